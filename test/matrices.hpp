#pragma once

// The worked example of the format and small helpers around it.

#include <cstdint>
#include <vector>

#include <hurray/writer.hpp>

#include "bytes.hpp"

namespace hurray_test {

/// A 4 x 5 matrix: 1 . . 2 . / . . 3 . . / . 4 . . 5 / empty.
struct example_arrays {
    std::vector<std::uint64_t> csr_offsets{0, 2, 3, 5, 5};
    std::vector<std::uint64_t> csr_indices{0, 3, 2, 1, 4};
    std::vector<float> csr_values{1, 2, 3, 4, 5};
    std::vector<std::uint64_t> csc_offsets{0, 1, 2, 3, 4, 5};
    std::vector<std::uint64_t> csc_indices{0, 2, 1, 0, 2};
    std::vector<float> csc_values{1, 4, 3, 2, 5};

    static constexpr hurray::extents shape{4, 5};

    hurray::csr_view<float> csr() const {
        return hurray::csr_view<float>::over(shape, csr_offsets, csr_indices, csr_values).value();
    }
    hurray::csc_view<float> csc() const {
        return hurray::csc_view<float>::over(shape, csc_offsets, csc_indices, csc_values).value();
    }
};

/// The bytes of a file with the example in it, as "rows" and "columns".
inline bytes example_file(hurray::write_options const& options = {}) {
    example_arrays const example;
    memory_sink memory;
    auto out = hurray::writer::onto(memory, options).value();
    out.write("rows", example.csr()).value();
    out.write("columns", example.csc()).value();
    out.close().value();
    return *memory.got;
}

}  // namespace hurray_test
