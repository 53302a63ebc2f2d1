#include <algorithm>
#include <bit>
#include <limits>

#include "commands.hpp"
#include "file_access.hpp"
#include "file_copy.hpp"
#include "number_text.hpp"
#include "output_file.hpp"
#include "text.hpp"
#include "verified.hpp"

namespace hurray::tool {
namespace {

/// How many entries the rows (or the columns) have.
struct spread {
    std::uint64_t least = 0, median = 0, most = 0, empty = 0;
    std::vector<std::uint64_t> powers{};  ///< [0]: empty ones; [k]: from 2^(k-1) to 2^k - 1
};

spread spread_of(std::vector<std::uint64_t> counts) {
    spread found;
    if (counts.empty()) return found;
    for (auto const count : counts) {
        auto const power = static_cast<std::size_t>(std::bit_width(count));
        if (found.powers.size() <= power) found.powers.resize(power + 1);
        ++found.powers[power];
    }
    found.empty = found.powers[0];
    auto const middle = counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2);
    std::nth_element(counts.begin(), middle, counts.end());
    found.median = *middle;
    found.least = *std::min_element(counts.begin(), counts.end());
    found.most = *std::max_element(counts.begin(), counts.end());
    return found;
}

/// What a pass over a verified matrix finds.
struct findings {
    spread major{}, minor{};
    std::uint64_t below = 0, above = 0;  ///< how far entries lie from the diagonal
    bool square = false, same_pattern = false, same_values = false;
    std::uint64_t zeros = 0, nans = 0, infinities = 0;
    double least = 0, greatest = 0, abs_greatest = 0;
    bool has_range = false;
};

/// How far a pass over the entries is, of the passes that there are.
class pass {
public:
    pass(progress& shown, std::uint64_t done, std::uint64_t total) noexcept
        : shown_(shown), done_(done), total_(total) {}
    /// Throws `interrupted`.
    void at(std::uint64_t entry) const {
        stop_if_interrupted();
        shown_.update(done_ + entry, total_);
    }

private:
    progress& shown_;
    std::uint64_t done_, total_;
};

void look_at_structure(csr_view<pattern> const& view, axis major, findings& found,
                       pass const& now) {
    std::vector<std::uint64_t> majors(view.major()), minors(view.minor());
    for (std::uint64_t i = 0; i < view.major(); ++i) {
        if ((i & 0xFFF) == 0) now.at(view.offsets()[i]);
        auto const indices = view.at(i).indices();
        majors[i] = indices.size();
        for (auto const j : indices) ++minors[j];
        if (indices.empty()) continue;
        if (indices.front() < i) found.below = std::max(found.below, i - indices.front());
        if (indices.back() > i) found.above = std::max(found.above, indices.back() - i);
    }
    if (major == axis::columns) std::swap(found.below, found.above);
    found.major = spread_of(std::move(majors));
    found.minor = spread_of(std::move(minors));
}

/// Rows are gone through in order, so the entries of each column turn up in order too: one cursor
/// per column tells whether the mirrored entry is the next one there.
template<element T>
void look_at_symmetry(csr_view<T> const& view, findings& found, pass const& now) {
    if (!found.square) return;
    auto const offsets = view.offsets();
    auto const indices = view.indices();
    auto const values = view.values();
    std::vector<std::uint64_t> cursors(offsets.begin(), offsets.end() - (offsets.empty() ? 0 : 1));
    found.same_pattern = found.same_values = true;
    for (std::uint64_t i = 0; i < view.major(); ++i) {
        if ((i & 0xFFF) == 0) now.at(offsets[i]);
        for (auto k = offsets[i]; k < offsets[i + 1]; ++k) {
            auto const mirrored = cursors[indices[k]]++;
            if (mirrored >= view.nnz() || indices[mirrored] != i) {
                found.same_pattern = found.same_values = false;
                return;
            }
            found.same_values = found.same_values && values[k] == values[mirrored];
        }
    }
}

void take_value(double value, findings& found) {
    if (value == 0) ++found.zeros;
    if (std::isnan(value)) {
        ++found.nans;
        return;
    }
    if (std::isinf(value)) ++found.infinities;
    found.least = found.has_range ? std::min(found.least, value) : value;
    found.greatest = found.has_range ? std::max(found.greatest, value) : value;
    found.abs_greatest = std::max(found.abs_greatest, std::fabs(value));
    found.has_range = true;
}

template<element T> void look_at_values(values_span<T> values, findings& found, pass const& now) {
    std::uint64_t k = 0;
    for (T const value : values) {
        if ((k++ & 0xFFFF) == 0) now.at(k - 1);
        if constexpr (complex_number<T>)
            take_value(static_cast<double>(std::abs(value)), found);
        else
            take_value(as_double(value), found);
    }
}

std::string spread_text(std::string_view what, spread const& of) {
    return "entries per " + std::string(what) + ": least " + grouped(of.least) + ", median " +
           grouped(of.median) + ", most " + grouped(of.most) + "; empty " + std::string(what) +
           "s " + grouped(of.empty) + '\n';
}

std::string histogram_text(spread const& of, std::string const& slices) {
    constexpr std::uint64_t width = 40;
    if (of.powers.empty()) return {};
    auto const most = *std::max_element(of.powers.begin(), of.powers.end());
    auto text = "how many " + slices + " have so many entries:\n";
    for (std::size_t power = 0; power < of.powers.size(); ++power) {
        auto const first = power == 0 ? 0 : std::uint64_t{1} << (power - 1);
        auto const last = power == 0 ? 0 : first * 2 - 1;
        auto range = grouped(first) + (first == last ? "" : " ... " + grouped(last));
        range.insert(0, range.size() < 24 ? 24 - range.size() : 0, ' ');
        auto const bar = static_cast<double>(of.powers[power]) / static_cast<double>(most) *
                         static_cast<double>(width);
        text += range + "  " + std::string(static_cast<std::size_t>(std::ceil(bar)), '#') + ' ' +
                grouped(of.powers[power]) + '\n';
    }
    return text;
}

std::string values_text(findings const& found, bool magnitudes) {
    std::string text = magnitudes ? "magnitudes: " : "values: ";
    if (found.has_range) {
        append_number(text, found.least);
        text += " ... ";
        append_number(text, found.greatest);
        text += "; ";
    }
    return text + "stored zeros " + grouped(found.zeros) + ", NaN " + grouped(found.nans) +
           ", infinite " + grouped(found.infinities) + '\n';
}

std::string symmetry_text(findings const& found) {
    if (!found.square) return "symmetric: no, not square\n";
    if (!found.same_pattern) return "symmetric: no\n";
    return found.same_values ? "symmetric: yes\n"
                             : "symmetric: in its pattern, not in its values\n";
}

std::string text_of(stats_options const& options, descriptor const& what, std::uint64_t nnz,
                    findings const& found) {
    bool const by_rows = what.layout == layout::csr;
    auto const cells = static_cast<double>(what.shape[0]) * static_cast<double>(what.shape[1]);
    return in_quotes(options.name) + ": " + shape_text(what.shape) + (by_rows ? " csr " : " csc ") +
           type_text(what.element_type) + ", " + grouped(nnz) + " entries, density " +
           percent(cells == 0 ? -1 : static_cast<double>(nnz) / cells) + '\n' +
           spread_text("row", by_rows ? found.major : found.minor) +
           spread_text("column", by_rows ? found.minor : found.major) +
           "bandwidth: " + grouped(found.below) + " below the diagonal, " + grouped(found.above) +
           " above\n" + symmetry_text(found) + values_text(found, is_complex(what.element_type)) +
           histogram_text(found.major, by_rows ? "rows" : "columns");
}

template<element T>
findings look_at(stats_options const& options, csr_view<T> const& view, axis major) {
    findings found;
    found.square = view.major() == view.minor();
    auto const nnz = view.nnz(), total = nnz * (found.square ? 3 : 2);
    progress shown("counting", options.quiet, counting::entries);
    look_at_structure(view, major, found, {shown, 0, total});
    look_at_symmetry(view, found, {shown, nnz, total});
    look_at_values<T>(view.values(), found, {shown, total - nnz, total});
    return found;
}

/// Complex numbers have no order, so no range either.
statistics to_store(findings const& found, std::uint64_t nnz, bool has_order) {
    statistics stored;
    stored.nnz = nnz;
    if (has_order && found.has_range && found.nans == 0 && found.infinities == 0)
        stored.values = {.min = found.least, .max = found.greatest, .abs_max = found.abs_greatest};
    stored.special = {.has_nan = found.nans != 0, .has_inf = found.infinities != 0};
    return stored;
}

/// A copy of the file in which the matrix carries its statistics.
template<element T> void write_copy(stats_options const& options, file const& from,
                                    tensor const& what, csr_view<T> const& view, axis major,
                                    findings const& found) {
    constexpr bool has_order = !complex_number<T>;
    auto const& path = options.write;
    auto carried = carried_by(what.descriptor);
    carried.statistics = to_store(found, view.nnz(), has_order);
    if (from.catalog().has_checksums() && from.tensors().size() > 1)
        verify_all(from, options.file, options.threads, options.quiet);
    auto out = begin_file(path, options_like(from));
    progress shown("writing", options.quiet);
    for (auto const* entry : from.catalog().in_file_order()) {
        stop_if_interrupted();
        if (entry->name == options.name)
            need(write_in_pieces(out, entry->name, view, major, carried, shown), path, entry->name);
        else
            need(out.copy(from.view(), entry->name), path, entry->name);
    }
    finish_file(out, path);
    if (!options.quiet)
        print(escaped(path.native()) + ": a copy with statistics of " + in_quotes(options.name) +
              '\n');
}

/// Each row and each column is counted, however few entries there are.
void need_room_for_counts(stats_options const& options, tensor const& what) {
    auto const& shape = what.descriptor.shape;
    auto const room = memory_or_half(0) / 32;
    if (shape[0] < room && shape[1] < room) return;
    throw stop(status::bad_file, escaped(options.file.native()) + ": tensor " +
                                     in_quotes(options.name) + ": " + shape_text(shape) +
                                     " are more rows and columns than there is memory to count");
}

void check_can_write(stats_options const& options, tensor const& what) {
    if (options.write.empty()) return;
    if (what.descriptor.quantization || what.descriptor.member)
        throw stop(status::wrong_usage, escaped(options.file.native()) + ": tensor " +
                                            in_quotes(options.name) +
                                            ": statistics of quantized tensors and of parts of "
                                            "overlays cannot be stored");
    std::error_code ignored;
    if (std::filesystem::equivalent(options.file, options.write, ignored))
        throw stop(status::wrong_usage,
                   escaped(options.write.native()) + " is the file that is read; name another one");
}

}  // namespace

status run_stats(stats_options const& given) {
    auto options = given;
    auto const from = open_file(options.file, access::sequential, mode::strict, checksums::verify);
    options.name = name_or_only(from, options.file, options.name);
    auto const what = described_matrix(from, options.file, options.name);
    check_can_write(options, what);
    need_room_for_counts(options, what);
    auto const take = [&]<class T>(lazy_csr_view<T> const& unchecked, axis major) -> result<void> {
        auto const view = verified(unchecked, options.threads, options.quiet);
        if (!view) return view.error();
        auto const found = look_at(options, *view, major);
        print(text_of(options, what.descriptor, view->nnz(), found));
        if (!options.write.empty()) write_copy(options, from, what, *view, major, found);
        return {};
    };
    auto const work = [&](auto const& unchecked) -> result<void> {
        return take(by_slices(unchecked), std::decay_t<decltype(unchecked)>::major_axis);
    };
    need(visit(from.view(), options.name, work, lazy), options.file, options.name,
         slice_word(what.descriptor.layout));
    return status::good;
}

}  // namespace hurray::tool
