#include "metadata.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>

#include "key_order.hpp"
#include "utf8.hpp"
#include "wire.hpp"

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

metadata::metadata() noexcept = default;
metadata::metadata(metadata const&) = default;
metadata::metadata(metadata&&) noexcept = default;
metadata& metadata::operator=(metadata const& other) { return *this = metadata(other); }
metadata& metadata::operator=(metadata&&) noexcept = default;
metadata::~metadata() = default;

metadata::metadata(std::initializer_list<metadata_entry> entries) {
    for (auto const& entry : entries) set(entry.key, entry.value);
}

namespace {

/// Where `key` is, or would be inserted, among positions sorted by key.
template<class Order, class Entries>
auto lower_bound_of(Order& by_key, Entries const& entries, std::string_view key) {
    return std::lower_bound(
        by_key.begin(), by_key.end(), key,
        [&](std::uint32_t i, std::string_view wanted) { return entries[i].key < wanted; });
}
}  // namespace

metadata_value const* metadata::find(std::string_view key) const& noexcept {
    auto const at = lower_bound_of(by_key_, entries_, key);
    if (at == by_key_.end() || entries_[*at].key != key) return nullptr;
    return &entries_[*at].value;
}

void metadata::set(std::string key, metadata_value value) {
    auto const at = lower_bound_of(by_key_, entries_, key);
    if (at != by_key_.end() && entries_[*at].key == key) {
        entries_[*at].value = std::move(value);
        return;
    }
    auto const place = at - by_key_.begin();
    auto const entry = static_cast<std::uint32_t>(entries_.size());
    if (by_key_.size() == by_key_.capacity()) by_key_.reserve(2 * by_key_.size() + 1);
    entries_.push_back({std::move(key), std::move(value)});
    by_key_.insert(by_key_.begin() + place, entry);  // has room: cannot fail
}

bool metadata::assign(std::vector<metadata_entry> entries) {
    format::key_order order;
    order.reserve(entries.size());
    for (auto const& entry : entries) order.add(entry.key);
    order.sort();
    if (order.repeated()) return false;
    by_key_ = order.entries();
    entries_ = std::move(entries);
    return true;
}

bool operator==(metadata_entry const& a, metadata_entry const& b) {
    return a.key == b.key && a.value == b.value;
}
bool operator==(metadata const& a, metadata const& b) { return a.entries_ == b.entries_; }

namespace detail {
/// How a section becomes key-values without sorting its keys again.
struct metadata_maker {
    static metadata make(std::vector<metadata_entry> entries, std::vector<std::uint32_t> by_key) {
        metadata made;
        made.entries_ = std::move(entries);
        made.by_key_ = std::move(by_key);
        return made;
    }
};
}  // namespace detail

}  // namespace v0
}  // namespace hurray

namespace hurray::format {
namespace {

struct tag {
    enum : std::uint8_t { string = 1, int64, uint64, float64, boolean, bytes, array };
};

/// Walks a section twice with one set of functions: first to check it, then to build values. What a
/// function gives nothing for, why() tells; positions count from the section's start.
class reader {
public:
    explicit reader(std::span<std::byte const> section) noexcept : in_(section) {}

    std::uint64_t position() const noexcept { return in_.position(); }
    std::uint64_t remaining() const noexcept { return in_.remaining(); }
    error why() const noexcept { return {.code = code_, .offset = at_}; }

    std::optional<std::uint32_t> count(std::uint64_t smallest, errc too_many) noexcept {
        auto const at = position();
        auto const n = in_.take_number<std::uint32_t>();
        if (!n || *n > in_.remaining() / smallest) return fail(too_many, at);
        return n;
    }
    std::optional<std::string_view> key() noexcept {
        auto const at = position();
        auto const run = sized<std::uint16_t>();
        if (!run) return std::nullopt;
        if (run->empty() || !detail::is_utf8(*run))
            return fail(errc::bad_metadata_key, at);
        return text_of(*run);
    }
    std::optional<std::string_view> string() noexcept {
        auto const at = position();
        auto const run = sized<std::uint32_t>();
        if (!run) return std::nullopt;
        if (!detail::is_utf8(*run)) return fail(errc::bad_metadata_string, at);
        return text_of(*run);
    }
    template<class Length> std::optional<std::span<std::byte const>> sized() noexcept {
        auto const at = position();
        auto const length = in_.take_number<Length>();
        if (!length) return fail(errc::metadata_length_mismatch, at);
        auto const run = in_.take(*length);
        if (!run) return fail(errc::metadata_length_mismatch, at);
        return run;
    }
    template<class T> std::optional<T> number() noexcept {
        auto const at = position();
        auto const n = in_.take_number<T>();
        if (!n) return fail(errc::metadata_length_mismatch, at);
        return n;
    }
    std::optional<bool> boolean() noexcept {
        auto const at = position();
        auto const b = number<std::uint8_t>();
        if (!b) return std::nullopt;
        if (*b > 1) return fail(errc::bad_metadata_bool, at);
        return *b == 1;
    }

    /// Precondition: `size` is at most remaining().
    std::span<std::byte const> run(std::uint64_t size) noexcept { return *in_.take(size); }

    std::nullopt_t fail(errc code, std::uint64_t at) noexcept {
        code_ = code;
        at_ = at;
        return std::nullopt;
    }
    static std::string_view text_of(std::span<std::byte const> run) noexcept {
        return {static_cast<char const*>(static_cast<void const*>(run.data())), run.size()};
    }

private:
    wire::cursor in_;
    errc code_{};
    std::uint64_t at_ = 0;
};

/// The smallest payload of one value.
constexpr std::uint64_t smallest_payload(std::uint8_t tag) noexcept {
    switch (tag) {
    case tag::string:
    case tag::bytes:
        return 4;
    case tag::boolean:
        return 1;
    default:
        return 8;
    }
}

bool check_payload(reader& in, std::uint8_t tag) noexcept {
    switch (tag) {
    case tag::string:
        return in.string().has_value();
    case tag::int64:
    case tag::uint64:
    case tag::float64:
        return in.number<std::uint64_t>().has_value();
    case tag::boolean:
        return in.boolean().has_value();
    default:
        return in.sized<std::uint32_t>().has_value();
    }
}

bool check_array(reader& in) noexcept {
    auto const refuse = [&](errc code, std::uint64_t at) { return in.fail(code, at), false; };
    auto const at = in.position();
    auto const tag = in.number<std::uint8_t>();
    if (!tag) return false;
    if (*tag < tag::string || *tag > tag::bytes)  // elements are no arrays
        return refuse(errc::bad_metadata_array, at);
    auto const count = in.count(smallest_payload(*tag), errc::bad_metadata_array);
    if (!count) return false;
    if (*tag == tag::string || *tag == tag::bytes) {
        for (std::uint32_t i = 0; i < *count; ++i)
            if (!check_payload(in, *tag)) return false;
        return true;
    }
    auto const first = in.position();
    auto const run = in.run(*count * smallest_payload(*tag));
    if (*tag != tag::boolean) return true;
    auto const bad =
        std::find_if(run.begin(), run.end(), [](std::byte b) { return b > std::byte{1}; });
    if (bad == run.end()) return true;
    return refuse(errc::bad_metadata_bool,
                  first + static_cast<std::uint64_t>(bad - run.begin()));
}

bool check_value(reader& in) noexcept {
    auto const at = in.position();
    auto const tag = in.number<std::uint8_t>();
    if (!tag) return false;
    if (*tag >= 0xF0 && *tag != 0xFF)  // cannot be skipped
        return in.fail(errc::private_metadata_tag, at), false;
    if (*tag < tag::string || *tag > tag::array)
        return in.fail(errc::unknown_metadata_tag, at), false;
    return *tag == tag::array ? check_array(in) : check_payload(in, *tag);
}

/// Everything about the section but the uniqueness of its keys, which go into `keys`.
/// False: in.why().
bool check_section(reader& in, key_order& keys) {
    auto const count = in.count(5, errc::metadata_length_mismatch);
    if (!count) return false;
    keys.reserve(*count);
    for (std::uint32_t i = 0; i < *count; ++i) {
        auto const key = in.key();
        if (!key || !check_value(in)) return false;
        keys.add(*key);
    }
    return true;
}

// From here on the section was checked: takes cannot fail.

std::string build_string(reader& in) {
    return std::string(reader::text_of(*in.sized<std::uint32_t>()));
}
std::vector<std::byte> build_bytes(reader& in) {
    auto const run = *in.sized<std::uint32_t>();
    return {run.begin(), run.end()};
}

template<class T> std::vector<T> build_numbers(reader& in, std::uint64_t count) {
    std::vector<T> values(count);
    auto const run = in.run(count * sizeof(T));
    if (count != 0) std::memcpy(values.data(), run.data(), run.size());
    return values;
}

metadata_array build_array(reader& in) {
    auto const tag = *in.number<std::uint8_t>();
    auto const count = *in.count(smallest_payload(tag), errc::bad_metadata_array);
    auto const all = [&](auto one) {
        std::vector<decltype(one())> values;
        values.reserve(count);
        for (std::uint32_t i = 0; i < count; ++i) values.push_back(one());
        return values;
    };
    switch (tag) {
    case tag::string:
        return all([&] { return build_string(in); });
    case tag::int64:
        return build_numbers<std::int64_t>(in, count);
    case tag::uint64:
        return build_numbers<std::uint64_t>(in, count);
    case tag::float64:
        return build_numbers<double>(in, count);
    case tag::boolean: {
        std::vector<bool> values(count);
        auto const run = in.run(count);
        for (std::uint32_t i = 0; i < count; ++i) values[i] = run[i] != std::byte{0};
        return values;
    }
    default:
        return all([&] { return build_bytes(in); });
    }
}

metadata_value build_value(reader& in, std::uint8_t tag) {
    switch (tag) {
    case tag::string:
        return build_string(in);
    case tag::int64:
        return *in.number<std::int64_t>();
    case tag::uint64:
        return *in.number<std::uint64_t>();
    case tag::float64:
        return std::bit_cast<double>(*in.number<std::uint64_t>());
    case tag::boolean:
        return *in.boolean();
    case tag::bytes:
        return build_bytes(in);
    default:
        return build_array(in);
    }
}

std::vector<metadata_entry> build_entries(std::span<std::byte const> section) {
    reader in(section);
    auto const count = *in.number<std::uint32_t>();
    std::vector<metadata_entry> entries;
    entries.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        auto const key = reader::text_of(*in.sized<std::uint16_t>());
        auto const tag = *in.number<std::uint8_t>();
        entries.push_back({std::string(key), build_value(in, tag)});
    }
    return entries;
}

/// The order of the entries by key. Errors: duplicate_metadata_key, where the second of two stands.
result<std::vector<std::uint32_t>> entries_by_key(std::span<std::byte const> section,
                                                  key_order keys) {
    keys.sort();
    auto const twice = keys.repeated();
    if (!twice) return keys.entries();
    auto const at = wire::bytes_of(*twice).data() - section.data() - 2;
    return error{.code = errc::duplicate_metadata_key,
                 .offset = static_cast<std::uint64_t>(at)};
}

void append_text(wire::appender& out, std::span<std::byte const> run) {
    out.number(static_cast<std::uint32_t>(run.size())).bytes(run);
}

}  // namespace

result<metadata> decode_metadata(std::span<std::byte const> section, std::uint64_t offset,
                                 mode mode, std::vector<error>& notes) {
    auto const shifted = [&](error e) {
        e.offset += offset;
        return e;
    };
    reader checking(section);
    key_order keys;
    if (!check_section(checking, keys)) return shifted(checking.why());
    if (checking.remaining() != 0) {
        auto const left =
            shifted({.code = errc::metadata_length_mismatch, .offset = checking.position()});
        if (mode == mode::strict) return left;
        notes.push_back(left);
    }
    auto by_key = entries_by_key(section, std::move(keys));
    if (!by_key) return shifted(by_key.error());
    return detail::metadata_maker::make(build_entries(section), *std::move(by_key));
}

std::optional<byte_range> find_bytes(std::span<std::byte const> section, std::string_view key) {
    reader in(section);
    auto const count = *in.number<std::uint32_t>();
    for (std::uint32_t i = 0; i < count; ++i) {
        bool const found = *in.key() == key;
        auto const tag_at = in.position();
        (void)check_value(in);
        if (found && section[tag_at] == std::byte{tag::bytes}) {
            auto const at = tag_at + 1 + 4;
            return byte_range{at, in.position() - at};
        }
    }
    return std::nullopt;
}

namespace {

constexpr std::uint64_t longest = std::numeric_limits<std::uint32_t>::max();

/// Appends values; the first rule that one of them breaks stops it.
class encoder {
public:
    explicit encoder(std::vector<std::byte>& bytes) noexcept : out_(bytes) {}

    result<void> operator()(std::string const& s) {
        if (s.size() > longest) return errc::metadata_too_long;
        auto const run = wire::bytes_of(s);
        if (!detail::is_utf8(run)) return errc::bad_metadata_string;
        append_text(out_, run);
        return {};
    }
    result<void> operator()(std::int64_t v) { return out_.number(v), result<void>(); }
    result<void> operator()(std::uint64_t v) { return out_.number(v), result<void>(); }
    result<void> operator()(double v) {
        return out_.number(std::bit_cast<std::uint64_t>(v)), result<void>();
    }
    result<void> operator()(bool v) {
        return out_.number(static_cast<std::uint8_t>(v)), result<void>();
    }
    result<void> operator()(std::vector<std::byte> const& v) {
        if (v.size() > longest) return errc::metadata_too_long;
        append_text(out_, v);
        return {};
    }
    result<void> operator()(metadata_array const& array) {
        out_.number(static_cast<std::uint8_t>(array.index() + 1));
        return std::visit(
            [this](auto const& values) -> result<void> {
                if (values.size() > longest) return errc::metadata_too_long;
                out_.number(static_cast<std::uint32_t>(values.size()));
                for (auto const& v : values)
                    if (auto ok = (*this)(v); !ok) return ok;
                return {};
            },
            array);
    }

private:
    wire::appender out_;
};

}  // namespace

result<std::vector<std::byte>> encode_metadata(metadata const& all) {
    std::vector<std::byte> bytes;
    wire::appender out(bytes);
    out.number(static_cast<std::uint32_t>(all.size()));
    for (auto const& [key, value] : all) {
        auto const run = wire::bytes_of(key);
        if (key.empty() || key.size() > UINT16_MAX || !detail::is_utf8(run))
            return errc::bad_metadata_key;
        out.number(static_cast<std::uint16_t>(key.size())).bytes(run);
        out.number(static_cast<std::uint8_t>(value.index() + 1));
        if (auto ok = std::visit(encoder(bytes), value); !ok) return ok.error();
        if (bytes.size() > longest) return errc::metadata_too_long;
    }
    return bytes;
}

}  // namespace hurray::format
