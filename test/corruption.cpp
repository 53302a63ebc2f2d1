// The machinery of the corruption table, and what holds for all of its rows.

#include "corruption.hpp"
#include "sanitizers.hpp"

#include <hurray/file.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <new>

#include <sys/resource.h>
#include <unistd.h>

namespace hurray_test {

using hurray::errc;
using hurray::error;
using hurray::file_view;
using hurray::mode;

std::uint64_t place::in(file_map const& map, std::uint64_t file_size) const {
    switch (what) {
    case part::nowhere:
        return error::nowhere;
    case part::byte:
        return at;
    case part::from_end:
        return file_size - at;
    case part::trailer:
        return map.trailer + at;
    case part::metadata:
        return map.metadata + at;
    case part::index:
        return map.index + at;
    default:
        break;
    }
    auto const& t = map.tensors.at(tensor);
    switch (what) {
    case part::entry:
        return t.entry + at;
    case part::entry_fields:
        return t.entry_fields + at;
    case part::descriptor:
        return t.descriptor.offset + at;
    case part::byte_offset:
        return t.byte_offset + at;
    case part::layout_fields:
        return t.layout_fields + at;
    case part::table:
        return t.table + at;
    case part::handle:
        return t.table + 1 + 16 * buffer + at;
    case part::sections:
        return t.sections + at;
    default:
        return t.buffers.at(buffer).offset + at;
    }
}

std::string_view name(stage at) {
    switch (at) {
    case stage::open:
        return "open";
    case stage::describe:
        return "describe";
    case stage::lazy:
        return "lazy view";
    case stage::eager:
        return "view";
    case stage::verify:
        return "verify";
    default:
        return "nothing";
    }
}

bytes corruption::file() const {
    auto file = from();
    if (edits.empty()) return file;
    auto const map = map_of(file);
    auto const size = file.size();
    for (auto const& e : edits) {
        if (e.width == 0) {
            file.resize(file.size() + e.value);
            continue;
        }
        auto const position = e.where.in(map, size);
        auto const before = e.add ? number_at(file, position, e.width) : 0;
        put_number(file, position, before + e.value, e.width);
    }
    if (std::all_of(edits.begin(), edits.end(), [](edit const& e) { return e.reseal; }))
        reseal(file);
    return file;
}

std::uint64_t corruption::offset(place p) const {
    if (p.what == place::part::nowhere || p.what == place::part::byte) return p.in({}, 0);
    auto const base = from();
    return p.in(map_of(base), base.size());
}

namespace {

/// Why a matrix cannot be seen; nothing if it can, or if it is none.
std::optional<error> error_of_lazy_view(file_view const& file, std::string_view tensor) {
    auto const nothing = [](auto) { return 0; };
    auto seen = file.csr<hurray::pattern>(tensor, hurray::lazy).transform(nothing);
    if (!seen && seen.error().code == errc::layout_mismatch)
        seen = file.csc<hurray::pattern>(tensor, hurray::lazy).transform(nothing);
    if (seen || seen.error().code == errc::layout_mismatch) return std::nullopt;
    return seen.error();
}

/// The same with all of it checked, values included where their type has a view.
std::optional<error> error_of_view(file_view const& file, std::string_view tensor) {
    auto const seen = hurray::visit(file, tensor, [](auto const&) {});
    if (seen || seen.error().code == errc::layout_mismatch ||
        seen.error().code == errc::view_not_supported)
        return std::nullopt;
    return seen.error();
}

}  // namespace

finding look_at(std::span<std::byte const> file, mode mode) {
    auto const opened = file_view::parse(file, {.mode = mode});
    if (!opened) return {stage::open, opened.error()};
    finding found;
    found.notes.assign(opened->notes().begin(), opened->notes().end());
    auto const verified = opened->verify();
    auto const failed = [&](stage at, error const& e) {
        found.at = at;
        found.error = e;
        found.verify_agrees = !verified && verified.error() == e;
        return found;
    };
    for (auto const& t : opened->tensors()) {
        auto const described = opened->describe(t.name);
        if (!described) return failed(stage::describe, described.error());
        for (auto note : described->descriptor.notes) {
            note.offset += t.descriptor.offset;
            found.notes.push_back(note);
        }
    }
    for (auto const& t : opened->tensors())
        if (auto const e = error_of_lazy_view(*opened, t.name)) return failed(stage::lazy, *e);
    for (auto const& t : opened->tensors())
        if (auto const e = error_of_view(*opened, t.name)) return failed(stage::eager, *e);
    if (!verified) return failed(stage::verify, verified.error());
    return found;
}

namespace {

std::string text(stage at, error const& e) {
    if (at == stage::accepted) return "accepted";
    return std::string(name(at)) + ": " + e.message();
}

std::string text(finding const& f) { return text(f.at, f.error); }

std::optional<std::string> problem(finding const& found, stage at, errc code,
                                   std::uint64_t offset) {
    if (found.at == at && found.error.code == code && found.error.offset == offset) {
        if (found.verify_agrees) return std::nullopt;
        return "verify() does not agree with " + text(found);
    }
    return "expected " + text(at, {.code = code, .offset = offset}) + "; got " + text(found);
}

std::optional<std::string> problem_in_permissive_mode(corruption const& row, bytes const& file) {
    auto const found = look_at(file, mode::permissive);
    using answer = permissive::answer;
    auto const& mildly = row.mildly;
    if (mildly.what == answer::same) return problem(found, row.at, row.code, row.offset(row.where));
    if (mildly.what == answer::otherwise)
        return problem(found, mildly.at, mildly.code, row.offset(mildly.where));
    if (found.at != stage::accepted) return "expected to be tolerated; got " + text(found);
    auto const where = mildly.where.what == place::part::nowhere ? row.where : mildly.where;
    error const note{.code = row.code, .offset = row.offset(where)};
    bool const noted = std::find(found.notes.begin(), found.notes.end(), note) != found.notes.end();
    if (mildly.what == answer::notes && !noted) {
        auto said = "tolerated; notes do not say " + note.message() + ", but";
        for (auto const& n : found.notes) said += ": " + n.message();
        return said;
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> problem_of(corruption const& row) {
    if (!row.edits.empty()) {
        auto const before = look_at(row.from(), mode::strict);
        if (before.at != stage::accepted) return "the file was not valid before: " + text(before);
    }
    auto const file = row.file();
    auto const strict =
        problem(look_at(file, mode::strict), row.at, row.code, row.offset(row.where));
    if (strict) return "strict: " + *strict;
    auto const mildly = problem_in_permissive_mode(row, file);
    if (mildly) return "permissive: " + *mildly;
    return std::nullopt;
}

std::vector<corruption> all_corruptions() {
    std::vector<corruption> all;
    for (auto part : {container_corruptions(), descriptor_corruptions(), section_corruptions(),
                      element_corruptions(), composite_corruptions()})
        std::move(part.begin(), part.end(), std::back_inserter(all));
    return all;
}

void run(std::vector<corruption> const& rows) {
    for (auto const& row : rows) {
        auto const wrong = problem_of(row);
        BOOST_TEST(!wrong, "R-" << hurray::rule(row.code) << ", " << row.what << ": "
                                << wrong.value_or(""));
    }
    BOOST_TEST_MESSAGE(rows.size() << " corruptions");
}

}  // namespace hurray_test

namespace {

/// No more memory for this process than it has now and a little.
class limited_memory {
public:
    explicit limited_memory(std::uint64_t more) {
#if !HURRAY_TEST_UNDER_ASAN
        std::ifstream statm("/proc/self/statm");
        std::uint64_t pages = 0;
        if (!(statm >> pages)) return;
        ::getrlimit(RLIMIT_AS, &before_);
        auto now = before_;
        now.rlim_cur = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) + more;
        set_ = ::setrlimit(RLIMIT_AS, &now) == 0;
#else
        (void)more;
#endif
    }
    limited_memory(limited_memory const&) = delete;
    limited_memory& operator=(limited_memory const&) = delete;
    ~limited_memory() {
        if (set_) ::setrlimit(RLIMIT_AS, &before_);
    }
    bool set() const { return set_; }

private:
    ::rlimit before_{};
    bool set_ = false;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(corruption)

using namespace hurray_test;

// A path, mapped or read, tells what the bytes tell.
BOOST_AUTO_TEST_CASE(files_on_disk_are_refused_alike) {
    temporary_directory const here;
    auto const path = here / "damaged.hrry";
    for (auto const& row : all_corruptions()) {
        auto const damaged = row.file();
        write_file(path, damaged);
        for (auto const load : {hurray::load::map, hurray::load::read}) {
            auto const what = "R-" + std::to_string(hurray::rule(row.code)) + ", " + row.what;
            auto const opened = hurray::file::open(path, {.load = load});
            BOOST_TEST_REQUIRE(opened.has_value() == (row.at != stage::open), what);
            auto const verified = opened ? opened->verify() : opened.error();
            BOOST_TEST_REQUIRE(!verified.has_value(), what);
            BOOST_TEST((verified.error().code == row.code), what);
            BOOST_TEST(verified.error().offset == row.offset(row.where), what);
        }
    }
}

// Whatever a damaged file states, nothing is allocated for it but what its bytes can hold: the
// process gets 64 MiB more and no byte beyond. Sanitizers reserve terabytes themselves; under them
// it is their own limit that a wild allocation meets.
BOOST_AUTO_TEST_CASE(no_damage_makes_an_open_allocate) {
    limited_memory const limit(64 << 20);
    for (auto const& row : all_corruptions())
        for (auto const mode : {hurray::mode::strict, hurray::mode::permissive}) {
            auto const damaged = row.file();
            auto const opened = hurray::file_view::parse(damaged, {.mode = mode});
            if (opened)
                for (auto const& t : opened->tensors()) (void)opened->describe(t.name);
        }
    if (limit.set()) BOOST_CHECK_THROW(bytes(std::size_t{128} << 20), std::bad_alloc);
}

// Every cut of a file is refused, in both modes.
BOOST_AUTO_TEST_CASE(every_truncation_is_refused) {
    auto const whole = two_matrices();
    for (std::size_t size = 0; size < whole.size(); ++size)
        for (auto const mode : {hurray::mode::strict, hurray::mode::permissive}) {
            auto const cut = std::span(whole).first(size);
            auto const opened = hurray::file_view::parse(cut, {.mode = mode});
            BOOST_TEST_REQUIRE(!opened.has_value());
        }
}

BOOST_AUTO_TEST_SUITE_END()
