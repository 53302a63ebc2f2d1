#include <algorithm>
#include <array>
#include <numeric>

#include <hurray/checksum.hpp>

#include "commands.hpp"
#include "file_access.hpp"
#include "json.hpp"
#include "number_text.hpp"
#include "text.hpp"

namespace hurray::tool {
namespace {

/// Stored entries per cell; negative where there are no cells or no such count.
double density_of(descriptor const& what) {
    auto const nnz = what.nnz();
    double cells = 1;
    for (auto const size : what.shape) cells *= static_cast<double>(size);
    if (!nnz || cells == 0 || what.has_dynamic_dimension()) return -1;
    return static_cast<double>(*nnz) / cells;
}

json statistics_json(statistics const& from) {
    json object;
    if (from.nnz) object["nnz"] = *from.nnz;
    if (from.sparsity_ratio) object["sparsity_ratio"] = *from.sparsity_ratio;
    if (from.values) {
        object["min"] = from.values->min;
        object["max"] = from.values->max;
        object["abs_max"] = from.values->abs_max;
    }
    if (from.distribution) {
        object["mean"] = from.distribution->mean;
        object["stddev"] = from.distribution->stddev;
    }
    if (from.pattern) object["n_of_m"] = {from.pattern->n, from.pattern->m};
    if (from.special) {
        object["has_nan"] = from.special->has_nan;
        object["has_inf"] = from.special->has_inf;
    }
    return object;
}

json tensor_json(tensor const& from) {
    auto const& what = from.descriptor;
    json object;
    object["name"] = std::string(from.name);
    object["layout"] = layout_text(what.layout);
    object["element_type"] = type_text(what.element_type);
    object["shape"] = what.shape;
    object["nnz"] = what.nnz() ? json(*what.nnz()) : json(nullptr);
    if (auto const density = density_of(what); density >= 0) object["density"] = density;
    object["buffers"] = json::array();
    for (auto const& where : from.buffers)
        object["buffers"].push_back({{"offset", where.offset}, {"bytes", where.length}});
    if (what.statistics) object["statistics"] = statistics_json(*what.statistics);
    if (what.shard)
        object["shard"] = {{"parent_shape", what.shard->parent_shape},
                           {"offset", what.shard->offset}};
    return object;
}

json notes_json(std::span<error const> notes) {
    auto list = json::array();
    for (auto const& note : notes) list.push_back(error_json(note, "slice"));
    return list;
}

/// What inspect found: descriptors that are broken stand beside those that are not.
struct finding {
    index_entry const* entry;
    result<tensor> what;
};

std::vector<finding> look_at_all(file const& from) {
    std::vector<finding> found;
    for (auto const& entry : from.tensors()) found.push_back({&entry, from.describe(entry.name)});
    return found;
}

void print_json(file const& from, std::vector<finding> const& found) {
    json document;
    document["size"] = from.size();
    document["data_alignment"] = from.data_alignment();
    document["checksums"] = from.catalog().has_checksums();
    document["metadata"] = metadata_json(from.metadata());
    document["metadata"].erase(std::string(checksum_key));  // said in "checksums"
    document["notes"] = notes_json(from.notes());
    document["tensors"] = json::array();
    for (auto const& [entry, what] : found) {
        if (what)
            document["tensors"].push_back(tensor_json(*what));
        else
            document["tensors"].push_back(
                {{"name", std::string(entry->name)}, {"error", error_json(what.error(), "slice")}});
    }
    print(json_text(document));
}

/// Rows of cells, padded so that the columns stand under each other.
class table {
public:
    static constexpr std::size_t columns = 7;
    using row = std::array<std::string, columns>;

    void add(row cells, std::string below = {}) {
        for (std::size_t i = 1; i < columns; ++i)
            widths_[i] = std::max(widths_[i], columns_of(cells[i]));
        rows_.push_back({std::move(cells), std::move(below)});
    }
    std::string text() {
        widths_[0] = name_width();
        std::string out;
        for (auto const& [cells, below] : rows_) {
            std::string line;
            for (std::size_t i = 0; i < columns; ++i) append(line, i, cells[i]);
            line.erase(line.find_last_not_of(' ') + 1);
            out += line + '\n' + below;
        }
        return out;
    }

private:
    /// As wide as the names that leave the rest its place in 80 columns.
    std::size_t name_width() const {
        constexpr std::size_t screen = 80, least = 6;
        auto const rest = std::accumulate(widths_.begin() + 1, widths_.end(), 2 * (columns - 1));
        auto const most = std::max(least, screen - std::min(rest, screen));
        std::size_t width = 0;
        for (auto const& [cells, below] : rows_)
            if (auto const wanted = columns_of(cells[0]); wanted <= most)
                width = std::max(width, wanted);
        return width;
    }
    /// Numbers stand at the right.
    static constexpr bool is_number(std::size_t column) { return column >= 4; }
    void append(std::string& line, std::size_t column, std::string const& cell) const {
        auto const width = columns_of(cell);
        if (width > widths_[column]) {  // a long name has a line of its own
            line += cell + '\n' + std::string(widths_[column] + 2, ' ');
            return;
        }
        std::string const padding(widths_[column] - width, ' ');
        line += is_number(column) ? padding + cell : cell + padding;
        if (column + 1 != columns) line += "  ";
    }

    std::array<std::size_t, columns> widths_{};
    std::vector<std::pair<row, std::string>> rows_;
};

std::string number_text(double value) {
    std::string text;
    append_number(text, value);
    return text;
}

/// Statements, as many to a line as 80 columns take.
std::string statistics_text(statistics const& from) {
    std::string const head = "    statistics:";
    std::string text, line = head;
    auto const add = [&](std::string const& part) {
        constexpr std::size_t widest = 79;
        if (line != head) line += ',';
        if (line.size() + 1 + part.size() >= widest) {
            text += line + '\n';
            line = std::string(head.size(), ' ');
        }
        line += ' ' + part;
    };
    if (from.nnz) add(grouped(*from.nnz) + " non-zero");
    if (from.values) {
        add("from " + number_text(from.values->min) + " to " + number_text(from.values->max));
        add("largest magnitude " + number_text(from.values->abs_max));
    }
    if (from.distribution) {
        add("mean " + number_text(from.distribution->mean));
        add("standard deviation " + number_text(from.distribution->stddev));
    }
    if (from.sparsity_ratio) add("sparsity " + number_text(*from.sparsity_ratio));
    if (from.pattern)
        add(std::to_string(from.pattern->n) + " of " + std::to_string(from.pattern->m));
    if (from.special) {
        add(from.special->has_nan ? "has NaN" : "no NaN");
        add(from.special->has_inf ? "has infinities" : "no infinity");
    }
    return text + line + '\n';
}

std::string position_text(std::span<std::uint64_t const> offset) {
    std::string text;
    for (auto const at : offset) text += (text.empty() ? "" : ", ") + std::to_string(at);
    return '(' + text + ')';
}

std::string buffers_text(tensor const& of) {
    static constexpr std::array compressed = {"values", "indices", "offsets"};
    bool const known = of.descriptor.layout == layout::csr || of.descriptor.layout == layout::csc;
    std::string text;
    for (std::size_t i = 0; i < of.buffers.size(); ++i)
        text += "    " +
                (known && i < compressed.size() ? std::string(compressed[i])
                                                : "buffer " + std::to_string(i)) +
                ": " + grouped(of.buffers[i].length) + " bytes at byte " +
                std::to_string(of.buffers[i].offset) + '\n';
    return text;
}

std::string details(tensor const& of) {
    auto const& what = of.descriptor;
    auto text = buffers_text(of);
    if (what.statistics) text += statistics_text(*what.statistics);
    if (what.shard)
        text += "    shard at " + position_text(what.shard->offset) + " of " +
                shape_text(what.shard->parent_shape) + '\n';
    if (what.quantization) text += "    quantized\n";
    return text;
}

std::string tensors_text(std::vector<finding> const& found, bool verbose) {
    table lines;
    lines.add({"name", "layout", "type", "shape", "entries", "density", "size"});
    for (auto const& [entry, what] : found) {
        if (!what) {
            lines.add({in_quotes(entry->name), "?", "?", "?", "?", "?", "?"},
                      "    broken: " + what.error().message() + '\n');
            continue;
        }
        auto const& d = what->descriptor;
        lines.add({in_quotes(entry->name), layout_text(d.layout), type_text(d.element_type),
                   shape_text(d.shape), d.nnz() ? grouped(*d.nnz()) : "-", percent(density_of(d)),
                   human_bytes(entry->data.length)},
                  verbose ? details(*what) : std::string());
    }
    return lines.text();
}

std::string value_text(json const& value) {
    if (value.is_object() && value.contains("bytes")) {
        auto const& digits = value["bytes"].get_ref<std::string const&>();
        return human_bytes(digits.size() / 2) + (digits.empty() ? "" : ": " + digits);
    }
    return escaped(value.dump(-1, ' ', false, json::error_handler_t::replace));
}

std::string metadata_text(file const& from, bool verbose) {
    constexpr std::size_t widest = 79;
    std::string text;
    auto const values = metadata_json(from.metadata());
    for (auto const& [key, value] : values.items()) {
        if (key == checksum_key) continue;
        auto const line = "  " + escaped(key) + " = " + value_text(value);
        text += (verbose ? line : shortened(line, widest)) + '\n';
    }
    return text.empty() ? text : "key-values:\n" + text;
}

void print_text(std::filesystem::path const& path, file const& from,
                std::vector<finding> const& found, bool verbose) {
    auto const count = found.size();
    auto text = escaped(path.native()) + ": " + human_bytes(from.size()) + ", " + grouped(count) +
                (count == 1 ? " tensor" : " tensors") +
                (from.catalog().has_checksums() ? ", with checksums" : "") + '\n';
    if (verbose) text += "data alignment: " + human_bytes(from.data_alignment()) + '\n';
    text += metadata_text(from, verbose);
    if (!from.notes().empty()) text += "tolerated:\n";
    for (auto const& note : from.notes()) text += "  " + note.message() + '\n';
    if (count != 0) text += tensors_text(found, verbose);
    print(text);
}

}  // namespace

status run_inspect(inspect_options const& options) {
    auto const from = open_file(options.file, access::random,
                                options.permissive ? mode::permissive : mode::strict);
    auto const found = look_at_all(from);
    if (options.json)
        print_json(from, found);
    else
        print_text(options.file, from, found, options.verbose);

    auto worst = status::good;
    for (auto const& [entry, what] : found) {
        if (what) continue;
        complain(explain(options.file, entry->name, what.error()));
        worst = status::bad_file;
    }
    return worst;
}

}  // namespace hurray::tool
