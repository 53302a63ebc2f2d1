#include <hurray/file_view.hpp>

#include <algorithm>
#include <numeric>

#include "byte_source.hpp"
#include "catalog_state.hpp"
#include "composite.hpp"
#include "file_header.hpp"
#include "wire.hpp"

namespace hurray {
inline namespace v0 {

/// One full verification: every tensor in index order, then the padding between the parts.
class full_verification {
public:
    full_verification(file_view const& file, verify_options const& options)
        : file_(file), options_(options) {
        done_.tensors.assign(file.tensors().size(), outcome::not_reached);
        for (auto const& t : file.tensors()) total_ += t.data.length;
    }

    result<verification> run() {
        auto const tensors = file_.tensors();
        for (std::size_t i = 0; i < tensors.size() && !stopped_; ++i) {
            auto const how = check(tensors[i]);
            if (how) {
                done_.tensors[i] = *how;
            } else if (how.error().code == errc::cancelled) {
                return how.error();
            } else {
                done_.tensors[i] = outcome::failed;
                report(tensors[i].name, how.error());
            }
            bytes_ += tensors[i].data.length;
            if (!progress(0)) return errc::cancelled;
        }
        if (!stopped_ && heads_ != 0) check_composites();
        if (!stopped_) check_gaps();
        if (failed_) return *failed_;
        done_.bytes = bytes_;
        return std::move(done_);
    }

private:
    /// Everything about one tensor but the padding around it.
    result<outcome> check(index_entry const& entry) {
        auto const t = file_.catalog().describe(byte_source(file_.bytes()), entry);
        if (!t) return t.error();
        if (auto ok = check_sums(*t); !ok) return ok.error();
        if (auto ok = check_inner_padding(*t); !ok) return ok.error();
        auto const& d = t->descriptor;
        if (d.layout == layout::composite) ++heads_;
        if (d.layout == layout::csr || d.layout == layout::csc) return check_matrix(*t);
        if (auto ok = check_elements(*t); !ok) return ok.error();
        return outcome::structure_only;
    }

    /// Every block of every buffer against its checksum, where checksums are looked at.
    result<void> check_sums(tensor const& t) const {
        auto const& state = *file_.catalog().state_;
        if (!state.sums) return {};
        for (std::size_t k = 0; k < t.buffers.size(); ++k) {
            auto const where = t.buffers[k];
            auto const ok = state.sums->check(state.position_of(t.name), k, file_.bytes(), where, 0,
                                              where.length);
            if (!ok) return ok;
        }
        return {};
    }

    result<outcome> check_matrix(tensor const& t) {
        auto const type = t.descriptor.element_type;
        bool const typed = bits_of(type) != 0;
        auto const found = file_.locate(t, typed, trust::verified);
        if (!found) return found.error();
        auto const& s = found->structure;
        verify_options inner{.threads = options_.threads};
        inner.on_progress = [this](std::uint64_t done, std::uint64_t) { return progress(done); };
        if (auto ok = detail::check_slices(s, 0, s.major, inner); !ok) return ok.error();
        if (!typed) return outcome::structure_only;  // C-12
        detail::stored_values const values{type, found->values.data(), s.nnz};
        if (auto ok = check_value_rules(s, values); !ok) return ok.error();
        return outcome::verified;
    }

    /// C-13: packed tails and e8m0 values where every element of the buffer is one of the tensor.
    result<void> check_elements(tensor const& t) {
        auto const& d = t.descriptor;
        bool const plain = d.layout == layout::row_major || d.layout == layout::column_major;
        if (!plain && d.layout != layout::coo) return {};
        if (d.has_dynamic_dimension() || t.buffers.empty()) return {};
        std::uint64_t count = 1;
        for (auto const n : d.shape)
            if (plain && __builtin_mul_overflow(count, n, &count)) return {};
        if (!plain) count = *d.nnz();
        auto const need = bytes_for(d.element_type, count);
        auto const data = t.buffers[0];
        if (!need || d.byte_offset > data.length || *need > data.length - d.byte_offset) return {};
        detail::structure const nowhere{.nnz = count, .origin = file_.bytes().data()};
        return check_value_rules(
            nowhere, {d.element_type, file_.bytes().data() + data.offset + d.byte_offset, count});
    }

    static result<void> check_value_rules(detail::structure const& s,
                                          detail::stored_values const& values) {
        if (!is_packed(values.type) && values.type != element_type::float8_e8m0) return {};
        return detail::check_values(s, values, {0, values.count});
    }

    /// C-15: heads and the members that follow them. Tensors that failed already end it.
    void check_composites() {
        format::composite_checker composites;
        for (auto const* const entry : file_.catalog().in_file_order()) {
            auto& found = done_.tensors[static_cast<std::size_t>(entry - file_.tensors().data())];
            if (found == outcome::failed) return;
            auto const t = file_.catalog().describe(byte_source(file_.bytes()), *entry);
            if (!t) return;
            if (auto ok = composites.add(t->descriptor, entry->descriptor.offset); !ok) {
                found = outcome::failed;
                return report(entry->name, ok.error());
            }
        }
        if (file_.catalog().mode() == mode::permissive) return;  // members may be had singly
        if (auto ok = composites.finish(); !ok) report({}, ok.error());
    }

    /// between the buffers of one tensor.
    result<void> check_inner_padding(tensor const& t) const {
        for (std::size_t k = 1; k < t.buffers.size(); ++k)
            if (auto ok = check_zero(t.buffers[k - 1].end(), t.buffers[k].offset); !ok) return ok;
        return {};
    }

    /// between the parts of the file.
    void check_gaps() {
        std::uint64_t end = 0;
        std::string_view owner;  // padding belongs to the tensor before it
        for (auto const& part : file_.catalog().sections()) {
            if (part.where.offset > end)
                if (auto ok = check_zero(end, part.where.offset); !ok) report(owner, ok.error());
            if (stopped_) return;
            end = std::max(end, part.where.end());
            owner = part.tensor != nullptr ? part.tensor->name : std::string_view{};
        }
    }

    result<void> check_zero(std::uint64_t from, std::uint64_t to) const {
        if (file_.catalog().mode() == mode::permissive || to <= from) return {};  // C-14
        auto const padding = file_.bytes().subspan(from, to - from);
        auto const bad = std::find_if(padding.begin(), padding.end(),
                                      [](std::byte b) { return b != std::byte{}; });
        if (bad == padding.end()) return {};
        return error{.code = errc::padding_not_zero,
                     .offset = from + static_cast<std::uint64_t>(bad - padding.begin())};
    }

    void report(std::string_view tensor, error const& e) {
        if (!failed_) failed_ = e;
        ++failures_;
        bool const go_on = !options_.on_failure || options_.on_failure(tensor, e);
        stopped_ = !go_on || failures_ >= std::max<std::uint64_t>(options_.limit, 1);
    }

    bool progress(std::uint64_t within) const {
        return !options_.on_progress ||
               options_.on_progress(std::min(bytes_ + within, total_), total_);
    }

    file_view const& file_;
    verify_options const& options_;
    verification done_;
    std::optional<error> failed_;
    std::uint64_t failures_ = 0;
    std::uint64_t heads_ = 0;  ///< composites seen
    std::uint64_t bytes_ = 0;
    std::uint64_t total_ = 0;
    bool stopped_ = false;
};

result<verification> file_view::verify(verify_options const& options) const {
    return full_verification(*this, options).run();
}

}  // namespace v0
}  // namespace hurray
