#pragma once

// Mutations that know what a file is: they leave padding alone and mostly repair what follows from
// the rest, so that what they make is refused, if at all, for an interesting reason.

#include <algorithm>
#include <random>

#include "model.hpp"

// The engine's own mutations, if it has any.
extern "C" __attribute__((weak)) std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                                                              std::size_t room);

namespace hurray::fuzz {

/// An input in memory where it may grow to `room` bytes.
struct input_buffer {
    std::uint8_t* data;
    std::size_t size, room;

    std::span<std::byte const> bytes() const noexcept { return bytes_at(data, size); }
    /// The new size; 0 if the bytes do not fit.
    std::size_t assign(byte_vector const& bytes) const noexcept {
        if (bytes.size() > room) return 0;
        if (!bytes.empty()) std::memcpy(data, bytes.data(), bytes.size());
        return bytes.size();
    }
};

class mutator {
public:
    explicit mutator(unsigned seed) : random_(seed) {}

    std::uint64_t below(std::uint64_t n) { return random_() % n; }
    bool once_in(std::uint64_t n) { return below(n) == 0; }
    template<class T> T& any_of(std::vector<T>& choices) { return choices[below(choices.size())]; }

    /// Any change of the bytes, which may become longer.
    void change(byte_vector& bytes, std::size_t most) {
        auto const size = bytes.size();
        bytes.resize(std::max(size, most));
        auto* const data = static_cast<std::uint8_t*>(static_cast<void*>(bytes.data()));
        bytes.resize(LLVMFuzzerMutate != nullptr ? LLVMFuzzerMutate(data, size, bytes.size())
                                                 : change_a_byte(data, size));
    }

    /// Sets a word to one that matters somewhere: a boundary, or a neighbour of another word.
    void change_word(byte_vector& data) {
        auto const words = data.size() / 8;
        if (words == 0) return change(data, 64);
        auto const word = [&](std::uint64_t i) { return std::span(data).subspan(8 * i, 8); };
        auto const near = number_in<std::uint64_t>(word(below(words))) + below(3) - 1;
        std::uint64_t const values[] = {
            near, near, 0, ~std::uint64_t{0}, below(words + 2), std::uint64_t{1} << below(64)};
        set_number(word(below(words)), values[below(std::size(values))]);
    }

    /// A descriptor that still says how long it is, and if it is a matrix, how long its buffers
    /// are.
    void change_descriptor(byte_vector& bytes) {
        change(bytes, bytes.size() + 32);
        if (bytes.size() < 20 || once_in(8)) return;
        set_number(std::span(bytes).subspan(6, 4), static_cast<std::uint32_t>(bytes.size()));
        bool const matrix = bytes[15] == std::byte{7} || bytes[15] == std::byte{8};
        if (matrix && bytes.size() >= 61 + 3 * 16 && !once_in(4)) repair_sizes(bytes);
    }

    void change_model(model& m) {
        auto const choice = below(16);
        if (choice < 9 && !m.tensors.empty()) return change_tensor(any_of(m.tensors));
        if (choice < 11) return change(m.metadata, m.metadata.size() + 32);
        if (choice < 12) return void(m.how ^= static_cast<std::uint8_t>(1u << below(8)));
        if (choice < 14) return add_patch(m.patches);
        if (choice < 15) return m.patches.clear();
        if (m.tensors.empty()) return;
        auto const at = m.tensors.begin() + static_cast<std::ptrdiff_t>(below(m.tensors.size()));
        if (once_in(2)) return void(m.tensors.erase(at));
        take_over(m, model_tensor(*at));
    }

    /// A tensor of `from`, or its key-values, become part of `m`.
    void cross(model& m, model& from) {
        if (from.tensors.empty() || once_in(8)) return void(m.metadata = from.metadata);
        auto& taken = any_of(from.tensors);
        if (m.tensors.empty() || once_in(2)) return take_over(m, taken);
        auto& changed = any_of(m.tensors);
        if (once_in(2)) changed.descriptor = taken.descriptor;
        changed.data = taken.data;
    }

    /// A change inside one of the parts of a file, which stays as long as it was.
    void change_in_place(byte_vector& file) {
        auto const frame = frame_of(file);
        if (!frame) return change(file, file.size() + 64);
        std::vector<std::span<std::byte const>> parts{frame->header, frame->trailer, frame->index,
                                                      frame->metadata};
        for (auto const& t : tensors_of(file, *frame)) {
            parts.push_back(t.descriptor);
            parts.insert(parts.end(), t.buffers.begin(), t.buffers.end());
        }
        auto const part = any_of(parts);
        if (part.empty()) return;
        byte_vector changed(part.begin(), part.end());
        change(changed, changed.size());
        std::copy(changed.begin(), changed.end(), file.begin() + (part.data() - file.data()));
        auto const after = frame_of(file);
        if (!once_in(4))
            set_number(std::span(file).last(trailer_size).subspan(28, 4),
                       detail::crc32c(after->index));
    }

private:
    std::size_t change_a_byte(std::uint8_t* data, std::size_t size) {
        if (size != 0) data[below(size)] ^= static_cast<std::uint8_t>(1u << below(8));
        return size;
    }

    static void repair_sizes(byte_vector& bytes) {
        auto const at = [&](std::size_t place) { return std::span(bytes).subspan(place, 8); };
        auto const major = number_in<std::uint64_t>(at(bytes[15] == std::byte{7} ? 20 : 28));
        auto const nnz = number_in<std::uint64_t>(at(44));
        auto const type = static_cast<element_type>(bytes[14]);
        set_number(at(61), bytes_for(type, nnz).value_or(0));
        set_number(at(77), nnz * 8);
        set_number(at(93), (major + 1) * 8);
    }

    void change_tensor(model_tensor& t) {
        auto const choice = below(8);
        if (choice == 0) return change(t.name, t.name.size() + 4);
        if (choice < 3) return change(t.data, t.data.size() + 64);
        if (choice < 5) return change_word(t.data);
        auto const before = buffer_sizes(t.descriptor, t.data.size());
        change_descriptor(t.descriptor);
        auto const after = buffer_sizes(t.descriptor, t.data.size());
        if (before != after && before.size() == after.size()) fit_data(t, before, after);
    }

    /// Each buffer keeps its bytes and gets its new length.
    static void fit_data(model_tensor& t, std::vector<std::uint64_t> const& before,
                         std::vector<std::uint64_t> const& after) {
        byte_vector fitted;
        input in(t.data);
        for (std::size_t k = 0; k < before.size(); ++k) {
            auto const piece = in.take(before[k]);
            byte_vector buffer(piece.begin(), piece.end());
            buffer.resize(std::min<std::uint64_t>(after[k], piece.size() + 4096));
            fitted.insert(fitted.end(), buffer.begin(), buffer.end());
        }
        fitted.resize(std::min(fitted.size(), model::most_bytes));
        t.data = std::move(fitted);
    }

    void add_patch(byte_vector& patches) {
        std::uint64_t const values[] = {0,
                                        ~std::uint64_t{0},
                                        below(8192),
                                        8 * below(8192),
                                        std::uint64_t{1} << below(64),
                                        random_()};
        put_number(patches, static_cast<std::uint16_t>(below(1024)));
        put_number(patches, static_cast<std::uint8_t>(below(4)));
        put_number(patches, values[below(std::size(values))]);
    }

    /// Adds a tensor under a name that is not taken, most of the time.
    void take_over(model& m, model_tensor t) {
        if (m.tensors.size() == model::most_tensors) m.tensors.pop_back();
        auto const same = [&](model_tensor const& other) { return other.name == t.name; };
        bool const taken = std::any_of(m.tensors.begin(), m.tensors.end(), same);
        if (taken && !once_in(8)) t.name.push_back(static_cast<std::byte>('0' + below(10)));
        m.tensors.insert(m.tensors.begin() +
                             static_cast<std::ptrdiff_t>(below(m.tensors.size() + 1)),
                         std::move(t));
    }

    std::mt19937_64 random_;
};

inline std::size_t mutate_descriptor(input_buffer in, unsigned seed) {
    mutator random(seed);
    byte_vector bytes(in.bytes().begin(), in.bytes().end());
    random.change_descriptor(bytes);
    return in.assign(bytes);
}

inline std::size_t mutate_model(input_buffer in, unsigned seed) {
    mutator random(seed);
    if (random.once_in(8)) {
        byte_vector bytes(in.bytes().begin(), in.bytes().end());
        random.change(bytes, in.room);
        return in.assign(bytes);
    }
    auto m = model::decode(in.bytes());
    random.change_model(m);
    return in.assign(m.encode());
}

inline std::size_t mutate_file(input_buffer in, unsigned seed) {
    mutator random(seed);
    byte_vector bytes(in.bytes().begin(), in.bytes().end());
    auto m = random.once_in(2) ? model::of_file(bytes) : std::nullopt;
    if (m) {
        random.change_model(*m);
        if (auto const size = in.assign(m->expand())) return size;
    }
    if (random.once_in(16))
        random.change(bytes, in.room);
    else
        random.change_in_place(bytes);
    return in.assign(bytes);
}

inline std::size_t cross_models(std::span<std::byte const> a, std::span<std::byte const> b,
                                input_buffer out, unsigned seed) {
    auto m = model::decode(a), from = model::decode(b);
    mutator(seed).cross(m, from);
    return out.assign(m.encode());
}

inline std::size_t cross_files(std::span<std::byte const> a, std::span<std::byte const> b,
                               input_buffer out, unsigned seed) {
    auto m = model::of_file(a), from = model::of_file(b);
    if (!m || !from) return 0;
    mutator(seed).cross(*m, *from);
    return out.assign(m->expand());
}

}  // namespace hurray::fuzz
