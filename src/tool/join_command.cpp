#include "file_access.hpp"
#include "file_copy.hpp"
#include "output_file.hpp"
#include "set_commands.hpp"
#include "text.hpp"

namespace hurray::tool {
namespace {

/// A whole that can be joined: the composite of a file, or a set of shards.
struct whole {
    std::string name;
    set_file const* from = nullptr;  ///< of a composite
    shard_set set{};                 ///< else
};

std::vector<whole> wholes_in(std::vector<set_file> const& files) {
    std::vector<whole> all;
    for (auto const& f : files)
        for (auto const& entry : f.opened.tensors()) {
            auto const t = need(f.opened.describe(entry.name), f.path, entry.name);
            auto const& what = t.descriptor;
            bool const partition =
                what.layout == layout::composite && what.fields.composite.rule == 1;
            if (partition && !what.shard)
                all.push_back({.name = std::string(entry.name), .from = &f});
        }
    for (auto& set : sets_in(files)) {
        auto name = set.stem;
        all.push_back({.name = std::move(name), .set = std::move(set)});
    }
    return all;
}

std::string text_of(std::vector<std::string> const& names) {
    std::string text;
    for (auto const& name : names) text += ' ' + in_quotes(name);
    return text;
}

whole chosen_of(std::vector<set_file> const& files, std::string const& name) {
    auto all = wholes_in(files);
    std::vector<std::string> names;
    for (auto const& w : all) names.push_back(w.name);
    if (!name.empty()) std::erase_if(all, [&](whole const& w) { return w.name != name; });
    if (all.size() == 1) return std::move(all.front());
    if (all.empty() && !name.empty())
        throw stop(status::wrong_usage, "there is no partition " + in_quotes(name) + '.' +
                                            did_you_mean(name, names) +
                                            (names.empty() ? "" : " There is" + text_of(names)));
    if (all.empty())
        throw stop(status::wrong_usage, escaped(files.front().path.native()) +
                                            ": there is nothing to join: no partition, no shards");
    throw stop(status::wrong_usage, "there are " + grouped(all.size()) +
                                        " partitions; say which one with --name: there is" +
                                        text_of(names));
}

element_type type_of(whole const& from, std::filesystem::path const& path) {
    auto const& view = from.from != nullptr ? from.from->opened.view() : from.set.shards[0].file;
    auto const name = from.from != nullptr ? std::string_view(from.name) : from.set.shards[0].name;
    return need(view.describe(name), path, name).descriptor.element_type;
}

template<element T> result<partition_view<T>> parts_of(whole const& from) {
    if (from.from != nullptr) return from.from->opened.partition<T>(from.name);
    return partition_view<T>::over(from.set.shards);
}

/// Members of a composite are in its file, shards wherever they were found.
template<element T>
void need_unquantized_members(partition_view<T> const& parts, whole const& from) {
    for (auto const& member : parts.members()) {
        auto const& view =
            from.from != nullptr ? from.from->opened.view() : from.set.shards[member.file].file;
        auto const what = need(view.describe(member.name), member.name);
        need_unquantized(what, member.name);
    }
}

template<element T> result<std::string> write_joined(writer& out, whole const& from) {
    auto const parts = parts_of<T>(from);
    if (!parts) return parts.error();
    need_unquantized_members(*parts, from);
    if (auto ok = out.write(from.name, *parts); !ok) return ok.error();
    auto const shape = parts->shape();
    return std::to_string(shape.rows) + " x " + std::to_string(shape.columns) + ", " +
           grouped(parts->nnz()) + " entries of " + grouped(parts->members().size()) +
           (parts->members().size() == 1 ? " part" : " parts");
}

}  // namespace

status run_join(join_options const& options) {
    if (options.files.size() < 2)
        throw stop(status::wrong_usage,
                   "OUT is missing: join takes the files with the parts, then the one to write");
    auto const output = options.files.back();
    auto const files =
        open_set({options.files.begin(), options.files.end() - 1}, access::sequential);
    for (auto const& f : files) need_another_file(output, f.path);
    auto const from = chosen_of(files, options.name);
    if (from.from == nullptr && complain_of_faults(from.set, files, 64) != 0)
        throw stop(status::bad_file, in_quotes(from.name) + " cannot be joined");
    auto const type = type_of(from, files.front().path);
    if (bits_of(type) == 0)
        throw stop(status::bad_file, in_quotes(from.name) + ": elements of type " +
                                         type_text(type) + " are not supported");
    auto const& first = from.from != nullptr ? *from.from : files.front();
    write_options const how{.metadata = own_metadata(first.opened),
                            .checksums = first.opened.catalog().has_checksums()};
    auto out = begin_file(output, how);
    auto const said =
        need(visit_element_type(
                 type, [&]<class T>(std::type_identity<T>) { return write_joined<T>(out, from); }),
             first.path, from.name);
    finish_file(out, output);
    if (!options.quiet)
        print(escaped(output.native()) + ": " + in_quotes(from.name) + ", " + said + '\n');
    return status::good;
}

status run_verify_set(verify_command_options const& how,
                      std::vector<std::filesystem::path> const& files) {
    auto worst = status::good;
    for (auto const& path : files) {
        auto one = how;
        one.file = path;
        auto const outcome = run_verify(one);
        if (worst == status::good) worst = outcome;
    }
    if (worst != status::good) return worst;  // shards of damaged files say nothing of the set
    auto const opened =
        open_set(files, access::random, how.permissive ? mode::permissive : mode::strict);
    std::size_t faults = 0;
    std::string summary;
    for (auto const& set : sets_in(opened)) {
        auto const found = complain_of_faults(set, opened, how.limit);
        faults += found;
        if (found == 0)
            summary += in_quotes(set.stem) + ": complete, " + grouped(set.shards.size()) +
                       (set.shards.size() == 1 ? " shard\n" : " shards\n");
    }
    if (!how.quiet) print(summary);
    return faults == 0 ? status::good : status::bad_file;
}

}  // namespace hurray::tool
