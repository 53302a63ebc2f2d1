#include <hurray/plan.hpp>

#include "writer_state.hpp"

namespace hurray {
namespace {

/// Keeps what is written instead of writing it.
class planned_output final : public output {
public:
    explicit planned_output(file_plan& to) noexcept : to_(to) {}
    bool any_order() const noexcept override { return true; }
    result<void> write(std::uint64_t offset, std::span<std::byte const> bytes) override {
        to_.rest.push_back({offset, {bytes.begin(), bytes.end()}});
        return {};
    }
    result<void> publish(std::uint64_t size) override {
        to_.size = size;
        return {};
    }

private:
    file_plan& to_;
};

}  // namespace

inline namespace [[gnu::visibility("default")]] v0 {

result<file_plan> plan_file(std::string_view name, layout layout, element_type type, extents shape,
                            std::uint64_t nnz, write_options const& options,
                            tensor_options const& matrix) {
    if (layout != layout::csr && layout != layout::csc) return errc::layout_mismatch;
    if (options.checksums) return errc::bad_option;
    file_plan plan;
    auto const state = start_writing(std::make_unique<planned_output>(plan), options);
    if (!state) return state.error();
    auto& s = **state;
    auto const ok = s.step([&]() -> result<void> {
        auto const alignment = s.options.data_alignment;
        auto const d =
            matrix_descriptor(layout, type, shape, nnz, matrix, s.options.handle_alignment);
        if (!d) return d.error();
        auto const bytes = s.admit(name, *d);
        if (!bytes) return bytes.error();
        auto const where = s.place(name, *bytes, 3, alignment);
        if (!where) return where.error();
        auto const places = places_of(*d, where->data, alignment);
        if (!places) return errc::too_many_elements;
        plan.values = {places->values, d->buffers[0].byte_size};
        plan.indices = {places->indices, d->buffers[1].byte_size};
        plan.offsets = {places->offsets, d->buffers[2].byte_size};
        if (auto flushed = s.main.flush(); !flushed) return flushed;
        s.main.move_to(places->end);
        s.finish_tensor(*where, places->end);
        return {};
    });
    if (!ok) return ok.error();
    if (auto closed = s.step([&] { return s.close(); }); !closed) return closed.error();
    return plan;
}

}  // namespace v0
}  // namespace hurray
