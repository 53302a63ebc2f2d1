#pragma once

// What can be wrong with a file, as data: each row breaks one rule in one way and says which error
// must tell of it, where, and when. The rows are in corruption_*.cpp.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hurray/error.hpp>
#include <hurray/options.hpp>

#include "samples.hpp"

namespace hurray_test {

/// A byte of a file, said in terms of its parts.
struct place {
    enum class part : std::uint8_t {
        nowhere,
        byte,      ///< `at` bytes from the start of the file
        from_end,  ///< `at` bytes before its end
        trailer,   ///< the rest: `at` bytes into the part, of the tensor where there are more
        metadata,
        index,
        entry,         ///< an index entry, from its name's length on
        entry_fields,  ///< what follows its name
        descriptor,
        byte_offset,
        layout_fields,
        table,  ///< the buffer table: 0 is buffer_count
        handle,
        sections,  ///< what follows the buffer table
        buffer,
    };
    part what = part::nowhere;
    std::uint64_t at = 0;
    std::size_t tensor = 0;
    std::size_t buffer = 0;

    /// Precondition: the part exists.
    std::uint64_t in(file_map const&, std::uint64_t file_size) const;
};

inline constexpr place nowhere{};
constexpr place byte_at(std::uint64_t at) { return {place::part::byte, at}; }
constexpr place from_end(std::uint64_t at) { return {place::part::from_end, at}; }
constexpr place trailer(std::uint64_t at) { return {place::part::trailer, at}; }
constexpr place key_values(std::uint64_t at) { return {place::part::metadata, at}; }
constexpr place index_at(std::uint64_t at) { return {place::part::index, at}; }
constexpr place entry(std::uint64_t at, std::size_t tensor = 0) {
    return {place::part::entry, at, tensor};
}
constexpr place descriptor_offset(std::size_t tensor = 0) {
    return {place::part::entry_fields, 0, tensor};
}
constexpr place descriptor_length(std::size_t tensor = 0) {
    return {place::part::entry_fields, 8, tensor};
}
constexpr place data_offset(std::size_t tensor = 0) {
    return {place::part::entry_fields, 12, tensor};
}
constexpr place data_length(std::size_t tensor = 0) {
    return {place::part::entry_fields, 20, tensor};
}
constexpr place entry_flags(std::size_t tensor = 0) {
    return {place::part::entry_fields, 28, tensor};
}
constexpr place in_descriptor(std::uint64_t at, std::size_t tensor = 0) {
    return {place::part::descriptor, at, tensor};
}
constexpr place byte_offset(std::size_t tensor = 0) {
    return {place::part::byte_offset, 0, tensor};
}
constexpr place fields(std::uint64_t at, std::size_t tensor = 0) {
    return {place::part::layout_fields, at, tensor};
}
constexpr place buffer_count(std::size_t tensor = 0) { return {place::part::table, 0, tensor}; }
constexpr place handle(std::size_t buffer, std::uint64_t at, std::size_t tensor = 0) {
    return {place::part::handle, at, tensor, buffer};
}
constexpr place sections(std::uint64_t at, std::size_t tensor = 0) {
    return {place::part::sections, at, tensor};
}
constexpr place in_buffer(std::size_t buffer, std::uint64_t at, std::size_t tensor = 0) {
    return {place::part::buffer, at, tensor, buffer};
}

/// One number written over what was there, or added to it; the index checksum is made right again
/// afterwards. Width 0: the file gets `value` bytes more at its end, or fewer.
struct edit {
    place where;
    std::uint64_t value = 0;
    unsigned width = 1;
    bool add = false;
    bool reseal = true;
};
constexpr edit u8(place where, std::uint64_t value) { return {where, value, 1}; }
constexpr edit u16(place where, std::uint64_t value) { return {where, value, 2}; }
constexpr edit u32(place where, std::uint64_t value) { return {where, value, 4}; }
constexpr edit u64(place where, std::uint64_t value) { return {where, value, 8}; }
/// The same, and the checksum stays as it was.
constexpr edit unsealed(edit e) { return e.reseal = false, e; }
constexpr edit add64(place where, std::int64_t by) {
    return {where, static_cast<std::uint64_t>(by), 8, true};
}
constexpr edit grow(std::int64_t by) {
    return {nowhere, static_cast<std::uint64_t>(by), 0, true, false};
}

/// The call that finds what is wrong, the first of these.
enum class stage : std::uint8_t {
    open,      ///< file_view::parse
    describe,  ///< describe() of a tensor
    lazy,      ///< a lazy view
    eager,     ///< a view
    verify,    ///< only verify()
    accepted,  ///< none
};
std::string_view name(stage);

/// What became of a file.
struct finding {
    stage at = stage::accepted;
    hurray::error error{};
    std::vector<hurray::error> notes{};  ///< of the file and of its descriptors, as file offsets
    bool verify_agrees = true;           ///< verify() finds the same
};

/// What permissive mode does about it.
struct permissive {
    enum class answer : std::uint8_t {
        same,       ///< refuses it with the same error
        tolerates,  ///< everything works
        notes,      ///< the same, and notes() has the error, where strict mode saw it or at `where`
        otherwise,  ///< refuses it, with another error
    };
    answer what = answer::same;
    stage at = stage::accepted;
    hurray::errc code{};
    place where{};
};
inline constexpr permissive same{};
inline constexpr permissive tolerates{permissive::answer::tolerates};
inline constexpr permissive notes{permissive::answer::notes};
constexpr permissive notes_at(place where) {
    return {permissive::answer::notes, stage::accepted, hurray::errc{}, where};
}
constexpr permissive otherwise(stage at, hurray::errc code, place where) {
    return {permissive::answer::otherwise, at, code, where};
}

/// One way to break one rule: the number of the rule is the value of the errc.
struct corruption {
    std::string what;
    std::function<bytes()> from;  ///< a valid file; with no edits, one that is broken already
    std::vector<edit> edits;
    stage at;
    hurray::errc code;
    place where;
    permissive mildly = same;

    /// The broken file.
    bytes file() const;
    /// The byte that shows it; hurray::error::nowhere if none does.
    std::uint64_t offset(place) const;
};

inline void add_row(std::vector<corruption>& to, std::string what, std::function<bytes()> from,
                    std::vector<edit> edits, stage at, hurray::errc code, place where,
                    permissive mildly = same) {
    to.push_back({std::move(what), std::move(from), std::move(edits), at, code, where, mildly});
}

std::vector<corruption> container_corruptions();
std::vector<corruption> descriptor_corruptions();
std::vector<corruption> section_corruptions();
std::vector<corruption> element_corruptions();
std::vector<corruption> composite_corruptions();
/// All of them.
std::vector<corruption> all_corruptions();

/// Opens, describes, views and verifies, until something fails.
finding look_at(std::span<std::byte const> file, hurray::mode);

/// Whether the rule is enforced as the row says, in both modes; else what happened instead.
std::optional<std::string> problem_of(corruption const&);

/// Runs all rows through Boost.Test.
void run(std::vector<corruption> const&);

}  // namespace hurray_test
