#include <hurray/transpose.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <vector>

#include <hurray/writer.hpp>

#include "bucket_sort.hpp"
#include "transpose_progress.hpp"
#include "unpacked.hpp"
#include "writer_state.hpp"

// From file to file: the slices of the result are cut into parts that fit the memory. One pass
// over the entries counts, so that the parts can be cut; another one sends each entry to the spool
// of its part, {other index, slice within the part} packed into a word. Then part after part is
// read back, sorted, and appended. Where the memory has no room for a buffer per part, the second
// pass is repeated for a group of parts at a time.

namespace hurray {
namespace {

using detail::load_once;
using detail::structure;

/// Slices [first, last) of the result, whose entries start at entry `begin` of it.
/// Between parts there are only empty slices.
struct part {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint64_t begin = 0;
};

unsigned bits_below(std::uint64_t bound) noexcept {
    return bound == 0 ? 0 : static_cast<unsigned>(std::bit_width(bound - 1));
}

/// What fits the memory.
struct capacity {
    std::uint64_t entries;   ///< of a part that is sorted
    std::uint64_t slices;    ///< of a part: a power of two
    std::uint64_t counters;  ///< a power of two
    std::uint64_t buffers;   ///< bytes of entries that wait to be spooled
    std::uint64_t sorting;   ///< bytes that the sort of a part may take

    capacity(std::uint64_t memory, unsigned width, unsigned other_bits) noexcept {
        constexpr std::uint64_t least = std::uint64_t{1} << 16;
        auto const m = std::max(memory, least);
        // As they were spooled, sorted, and perhaps packed.
        entries = m / 8 * 5 / (2 * (8 + width) + 1);
        slices = std::min(std::bit_floor(m / 8 / 8),
                          std::uint64_t{1} << (64 - std::max(other_bits, 1U)));
        counters = std::min(std::bit_floor(m / 8 / 8), std::uint64_t{1} << 16);
        buffers = m / 2;
        sorting = m / 8;
    }
};

/// Cuts the slices into parts.
class cutter {
public:
    cutter(structure const& from, capacity const& fits, transpose_progress& progress)
        : from_(from), fits_(fits), progress_(progress) {
        if (from.nnz != 0) nodes_.push_back({0, bits_below(from.minor), from.nnz});
    }

    /// Errors: too_large_for_memory, file_changed.
    result<std::vector<part>> run() {
        for (auto large = large_nodes(); !large.empty(); large = large_nodes())
            if (auto ok = split(large); !ok) return ok.error();
        return join();
    }

private:
    /// 2^bits slices from `first` on.
    struct node {
        std::uint64_t first;
        unsigned bits;
        std::uint64_t entries;
        std::uint64_t end() const noexcept { return first + (std::uint64_t{1} << bits); }
    };

    bool is_large(node const& n) const noexcept {
        return n.bits != 0 &&
               (n.entries > fits_.entries || (std::uint64_t{1} << n.bits) > fits_.slices);
    }
    std::vector<node> large_nodes() const {
        std::vector<node> large;
        std::copy_if(nodes_.begin(), nodes_.end(), std::back_inserter(large),
                     [&](node const& n) { return is_large(n); });
        return large;
    }

    /// Replaces large nodes by smaller ones, after counting the entries of these.
    result<void> split(std::vector<node> const& large) {
        auto const each = std::max<std::uint64_t>(std::bit_floor(fits_.counters / large.size()), 2);
        auto const bits = static_cast<unsigned>(std::bit_width(each)) - 1;
        auto counts = detail::memory_block::zeroed(large.size() * each * 8);
        if (!counts) return counts.error();
        auto* count = counts->as<std::uint64_t>();
        progress_.expect(from_.nnz);
        for (std::uint64_t k = 0; k < from_.nnz; ++k) {
            if (k % told_each == told_each - 1)
                if (auto ok = progress_.add(told_each); !ok) return ok;
            auto const slice = load_once(from_.indices[k]);
            if (slice >= from_.minor) return errc::file_changed;
            auto const at = std::upper_bound(
                large.begin(), large.end(), slice,
                [](std::uint64_t wanted, node const& n) { return wanted < n.first; });
            if (at == large.begin()) continue;
            auto const& n = at[-1];
            if (slice >= n.end()) continue;
            auto const which = static_cast<std::uint64_t>(at - large.begin()) - 1;
            ++count[which * each + ((slice - n.first) >> (n.bits - std::min(n.bits, bits)))];
        }
        std::vector<node> now;
        for (auto const& n : nodes_) {
            if (!is_large(n)) {
                now.push_back(n);
                continue;
            }
            auto const below = n.bits - std::min(n.bits, bits);
            for (std::uint64_t i = 0; i < each; ++i)
                if (count[i] != 0) now.push_back({n.first + (i << below), below, count[i]});
            count += each;
        }
        nodes_ = std::move(now);
        return progress_.add(from_.nnz % told_each);
    }

    /// Errors: file_changed; parts are as long as they were counted, or there are none.
    result<std::vector<part>> join() const {
        std::vector<part> parts;
        std::uint64_t begin = 0;
        for (auto const& n : nodes_) {
            auto const end = std::min(n.end(), from_.minor);
            if (!parts.empty() && end - parts.back().first <= fits_.slices &&
                begin + n.entries - parts.back().begin <= fits_.entries)
                parts.back().last = end;
            else
                parts.push_back({n.first, end, begin});
            begin += n.entries;
        }
        if (begin != from_.nnz) return errc::file_changed;
        return parts;
    }

    static constexpr std::uint64_t told_each = std::uint64_t{1} << 20;

    structure const& from_;
    capacity const& fits_;
    transpose_progress& progress_;
    std::vector<node> nodes_;  ///< by slice; none is empty
};

/// The entries of one part, in the order in which they were spooled.
struct spooled_entries {
    std::uint64_t const* keys;
    unsigned shift;
    std::byte const* values;

    std::uint64_t slice(std::uint64_t k) const noexcept {
        return keys[k] & ((std::uint64_t{1} << shift) - 1);
    }
    template<class F> bool each(std::uint64_t first, std::uint64_t last, F f) const noexcept {
        for (auto k = first; k < last; ++k)
            if (!f(slice(k), keys[k] >> shift, k)) return false;
        return true;
    }
};

/// Gives the part of a slice quickly.
class part_finder {
public:
    part_finder(std::vector<part> const& parts, std::uint64_t slices, std::uint64_t cells)
        : parts_(parts),
          shift_(bits_below(slices) - std::min(bits_below(slices), bits_below(cells))) {
        std::uint32_t p = 0;
        for (std::uint64_t at = 0; at < slices; at += std::uint64_t{1} << shift_) {
            while (p + 1 < parts.size() && parts[p].last <= at) ++p;
            first_.push_back(p);
        }
    }
    /// The part that holds the slice, if any does; otherwise some part.
    /// Precondition: the slice exists, and so does a part.
    std::uint64_t operator()(std::uint64_t slice) const noexcept {
        std::uint64_t p = first_[slice >> shift_];
        while (parts_[p].last <= slice && p + 1 < parts_.size()) ++p;
        return p;
    }

private:
    std::vector<part> const& parts_;
    unsigned shift_;
    std::vector<std::uint32_t> first_;
};

class file_transposer {
public:
    file_transposer(structure const& from, detail::value_run values,
                    transpose_options const& options)
        : from_(from), values_(values), width_(unpacked::width_of(values.type)),
          threads_(options.threads), progress_(options),
          fits_(options.memory, width_, bits_below(from.major)), shift_(bits_below(fits_.slices)) {}

    /// Errors: too_large_for_memory, file_changed, cancelled.
    result<void> plan() {
        progress_.expect(2 * from_.nnz);
        auto parts = cutter(from_, fits_, progress_).run();
        if (!parts) return parts.error();
        parts_ = *std::move(parts);
        return {};
    }

    result<void> run(detail::writer_state& state, detail::open_matrix& to) {
        for (auto* const one : {&key_spool_, &value_spool_}) {
            auto made = state.out->make_spool();
            if (!made) return made.error();
            *one = *std::move(made);
        }
        part_finder const find(parts_, from_.minor, fits_.counters);
        constexpr std::uint64_t least_buffer = 512;  // entries
        auto const in_group =
            std::max<std::uint64_t>(fits_.buffers / (least_buffer * entry_bytes()), 1);
        auto const groups = (parts_.size() + in_group - 1) / in_group;
        progress_.expect((std::max<std::uint64_t>(groups, 1) - 1) * from_.nnz);
        for (std::uint64_t first = 0; first < parts_.size(); first += in_group) {
            auto const last = std::min<std::uint64_t>(first + in_group, parts_.size());
            if (auto ok = spool_parts(find, first, last); !ok) return ok;
            if (auto ok = append_parts(first, last, to); !ok) return ok;
        }
        return append_empty(from_.minor, to);
    }

private:
    std::uint64_t entry_bytes() const noexcept { return 8 + width_; }
    std::uint64_t begin_of(std::uint64_t p) const noexcept {
        return p == parts_.size() ? from_.nnz : parts_[p].begin;
    }
    std::uint64_t size_of(std::uint64_t p) const noexcept { return begin_of(p + 1) - begin_of(p); }

    // ---- the second pass

    /// Buffers of the parts of a group, and how far each part got.
    struct outlet {
        std::uint64_t first_part;
        std::uint64_t room;  ///< entries of a buffer
        detail::memory_block keys{}, values{};
        std::vector<std::uint64_t> waiting{};  ///< entries in the buffer
        std::vector<std::uint64_t> next{};     ///< where in the spool they go
    };

    result<void> spool_parts(part_finder const& find, std::uint64_t first, std::uint64_t last) {
        constexpr std::uint64_t most = std::uint64_t{1} << 15;  // pieces of 256 KiB
        auto const count = last - first;
        outlet out{.first_part = first,
                   .room =
                       std::clamp<std::uint64_t>(fits_.buffers / count / entry_bytes(), 1, most)};
        for (auto const& [block, bytes] : {std::pair{&out.keys, count * out.room * 8},
                                           std::pair{&out.values, count * out.room * width_}}) {
            auto got = detail::memory_block::uninitialised(bytes);
            if (!got) return got.error();
            *block = *std::move(got);
        }
        out.waiting.assign(count, 0);
        for (auto p = first; p < last; ++p) out.next.push_back(begin_of(p) - begin_of(first));
        if (auto ok = spool_all(find, out); !ok) return ok;
        for (std::uint64_t p = first; p < last; ++p) {
            if (auto ok = flush(out, p - first); !ok) return ok;
            if (out.next[p - first] != begin_of(p + 1) - begin_of(first)) return errc::file_changed;
        }
        return {};
    }

    result<void> spool_all(part_finder const& find, outlet& out) {
        switch (width_) {
        case 1:
            return spool_entries<1>(find, out);
        case 2:
            return spool_entries<2>(find, out);
        case 4:
            return spool_entries<4>(find, out);
        case 8:
            return spool_entries<8>(find, out);
        default:
            return spool_entries<16>(find, out);
        }
    }

    /// Walks all entries, a block of them at a time: packed values are unpacked by the block.
    template<unsigned Width> result<void> spool_entries(part_finder const& find, outlet& out) {
        constexpr std::uint64_t block = std::uint64_t{1} << 14;
        std::vector<std::byte> unpacked(is_packed(values_.type) ? block : 0);
        std::uint64_t other = 0;
        std::uint64_t other_end = load_once(from_.offsets[1]);
        for (std::uint64_t at = 0; at < from_.nnz; at += block) {
            auto const last = std::min(from_.nnz, at + block);
            auto const* values = values_.bytes;
            if (unpacked.empty()) {
                values += at * Width;
            } else {
                auto run = values_;
                run.first += at;
                unpacked::unpack(run, last - at, 1, unpacked.data());
                values = unpacked.data();
            }
            for (auto k = at; k < last; ++k, values += Width) {
                while (other_end <= k) {
                    if (++other >= from_.major) return errc::file_changed;
                    other_end = load_once(from_.offsets[other + 1]);
                }
                auto const slice = load_once(from_.indices[k]);
                if (slice >= from_.minor) return errc::file_changed;
                auto const p = find(slice);
                auto const slot = p - out.first_part;  // wraps for parts before the group
                if (slot >= out.waiting.size()) continue;
                if (slice < parts_[p].first || slice >= parts_[p].last) return errc::file_changed;
                auto const place = slot * out.room + out.waiting[slot];
                out.keys.as<std::uint64_t>()[place] = other << shift_ | (slice - parts_[p].first);
                std::memcpy(out.values.data() + place * Width, values, Width);
                if (++out.waiting[slot] == out.room)
                    if (auto ok = flush(out, slot); !ok) return ok;
            }
            if (auto ok = progress_.add(last - at); !ok) return ok;
        }
        return {};
    }

    result<void> flush(outlet& out, std::uint64_t slot) {
        auto const count = std::exchange(out.waiting[slot], 0);
        auto const p = out.first_part + slot;
        auto const at = std::exchange(out.next[slot], out.next[slot] + count);
        if (at + count > begin_of(p + 1) - begin_of(out.first_part)) return errc::file_changed;
        auto const from = slot * out.room;
        auto const keys = std::span(out.keys.data() + from * 8, count * 8);
        auto const values = std::span(out.values.data() + from * width_, count * width_);
        if (auto ok = key_spool_->write(at * 8, keys); !ok) return ok;
        return value_spool_->write(at * width_, values);
    }

    // ---- part after part

    result<void> append_parts(std::uint64_t first, std::uint64_t last, detail::open_matrix& to) {
        std::uint64_t most = 0;
        std::uint64_t slices = 0;
        for (auto p = first; p < last; ++p) {
            most = std::max(most, std::min(size_of(p), fits_.entries));
            slices = std::max(slices, parts_[p].last - parts_[p].first);
        }
        for (auto const& [block, bytes] :
             {std::pair{&keys_, most * 8}, std::pair{&unsorted_, most * width_},
              std::pair{&indices_, most * 8}, std::pair{&sorted_, most * width_},
              std::pair{&offsets_, (slices + 1) * 8}}) {
            auto got = detail::memory_block::uninitialised(bytes);
            if (!got) return got.error();
            *block = *std::move(got);
        }
        for (auto p = first; p < last; ++p) {
            if (auto ok = append_empty(parts_[p].first, to); !ok) return ok;
            auto const at = begin_of(p) - begin_of(first);
            auto const ok = parts_[p].last - parts_[p].first == 1 ? append_slice(p, at, most, to)
                                                                  : append_part(p, at, to);
            if (!ok) return ok;
            appended_ = parts_[p].last;
            if (auto told = progress_.add(size_of(p)); !told) return told;
        }
        keys_ = {}, unsorted_ = {}, indices_ = {}, sorted_ = {}, offsets_ = {};
        return {};
    }

    result<void> append_empty(std::uint64_t before, detail::open_matrix& to) {
        for (; appended_ < before; ++appended_)
            if (auto ok = to.slice({}, {.type = values_.type}); !ok) return ok;
        return {};
    }

    result<void> fetch(std::uint64_t at, std::uint64_t count) {
        if (auto ok = key_spool_->read(at * 8, std::span(keys_.data(), count * 8)); !ok) return ok;
        return value_spool_->read(at * width_, std::span(unsorted_.data(), count * width_));
    }

    /// `count` values, one to a byte at least, as the writer takes them.
    result<detail::element_run> run_of(std::byte const* values, std::uint64_t count) {
        if (!is_packed(values_.type)) return detail::element_run{values_.type, values, 0, count};
        auto packed = unpacked::pack(values_.type, values, count, threads_);
        if (!packed) return packed.error();
        packed_ = *std::move(packed);
        return detail::element_run{values_.type, packed_.data(), 0, count};
    }

    result<void> append_part(std::uint64_t p, std::uint64_t at, detail::open_matrix& to) {
        auto const count = size_of(p);
        auto const slices = parts_[p].last - parts_[p].first;
        if (auto ok = fetch(at, count); !ok) return ok;
        buckets::target const target{slices, count, offsets_.as<std::uint64_t>(),
                                     indices_.as<std::uint64_t>(), sorted_.data()};
        spooled_entries const entries{keys_.as<std::uint64_t>(), shift_, unsorted_.data()};
        auto const done = buckets::sort(entries, target, bits_below(from_.major), width_,
                                        {.threads = threads_, .memory = fits_.sorting});
        if (!done) return done.error();
        auto const all = run_of(sorted_.data(), count);
        if (!all) return all.error();
        for (std::uint64_t i = 0; i < slices; ++i) {
            auto const first = target.offsets[i];
            auto const size = target.offsets[i + 1] - first;
            if (auto ok =
                    to.slice({target.indices + first, size}, {all->type, all->bytes, first, size});
                !ok)
                return ok;
        }
        return {};
    }

    /// A part of one slice is in order as it is, and may be larger than the memory.
    result<void> append_slice(std::uint64_t p, std::uint64_t at, std::uint64_t room,
                              detail::open_matrix& to) {
        auto left = size_of(p);
        auto* const indices = indices_.as<std::uint64_t>();
        while (left != 0) {
            auto const count = std::min(left, room);
            if (auto ok = fetch(at, count); !ok) return ok;
            auto const* const keys = keys_.as<std::uint64_t>();
            for (std::uint64_t k = 0; k < count; ++k) indices[k] = keys[k] >> shift_;
            auto const run = run_of(unsorted_.data(), count);
            if (!run) return run.error();
            left -= count;
            at += count;
            if (auto ok = to.part_of_slice({indices, count}, *run, left == 0); !ok) return ok;
        }
        return {};
    }

    structure const& from_;
    detail::value_run values_;
    unsigned width_;
    unsigned threads_;
    transpose_progress progress_;
    capacity fits_;
    unsigned shift_;  ///< of the other index in a key
    std::vector<part> parts_;
    std::unique_ptr<spool> key_spool_, value_spool_;
    detail::memory_block keys_, unsorted_, offsets_, indices_, sorted_, packed_;
    std::uint64_t appended_ = 0;  ///< slices
};

/// Whether the result, and what it takes to make it, fits.
bool fits_memory(structure const& from, element_type type, std::uint64_t memory) noexcept {
    constexpr std::uint64_t countable = std::uint64_t{1} << 58;
    if (from.nnz >= countable || from.minor >= countable) return false;
    auto const entry = 8 + unpacked::width_of(type) + (is_packed(type) ? 2 : 0);
    // By division: none of the products is known to be small.
    auto const entries = memory / 5 * 4 / entry;
    return from.nnz <= entries && from.minor / 4 < (entries - from.nnz) / 4 &&
           memory >= (std::uint64_t{1} << 20);
}

}  // namespace

inline namespace [[gnu::visibility("default")]] v0 {

namespace detail {

result<void> transpose_to_file(structure const& from, value_run values, axis major, writer& out,
                               std::string_view name, transpose_options const& options) {
    auto const layout = major == axis::rows ? layout::csc : layout::csr;
    auto const shape =
        major == axis::rows ? extents{from.major, from.minor} : extents{from.minor, from.major};

    if (fits_memory(from, values.type, options.memory)) {
        auto const made = transpose_arrays(from, values, options);
        if (!made) return made.error();
        return writer_access::write(out, name, layout, shape,
                                    {made->offsets.as<std::uint64_t>(), made->major + 1},
                                    {made->indices.as<std::uint64_t>(), made->nnz},
                                    {values.type, made->values.data(), 0, made->nnz});
    }
    if (from.minor >= std::uint64_t{1} << 58) return errc::too_many_elements;
    file_transposer transposer(from, values, options);
    if (auto ok = transposer.plan(); !ok) return ok;
    auto matrix = writer_access::append(out, name, layout, values.type, shape, from.nnz);
    if (!matrix) return matrix.error();
    if (auto ok = transposer.run(writer_access::state(out), *matrix); !ok) return ok;
    return matrix->close();
}

}  // namespace detail

}  // namespace v0
}  // namespace hurray
