#include "npz_archive.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "failure.hpp"
#include "text.hpp"

#ifdef HURRAY_LIBZIP
#include "zip_library.hpp"
#endif

namespace hurray::tool {

#ifndef HURRAY_LIBZIP

struct npz_archive::state {};

npz_archive npz_archive::open(std::filesystem::path const& path) {
    throw stop(status::bad_file, escaped(path.native()) +
                                     ": this program was built without libzip, which reads .npz");
}
bool npz_archive::has(std::string const&) const { return false; }
std::unique_ptr<number_stream> npz_archive::numbers(std::string const&) const { return nullptr; }
std::string npz_archive::text(std::string const&) const { return {}; }

#else

namespace {

[[noreturn]] void bad(std::string const& what) { throw stop(status::bad_file, what); }

struct zip_closer {
    void operator()(zip_t* archive) const noexcept { zip().zip_discard(archive); }
    void operator()(zip_file_t* entry) const noexcept { zip().zip_fclose(entry); }
};
using zip_handle = std::unique_ptr<zip_t, zip_closer>;
using entry_handle = std::unique_ptr<zip_file_t, zip_closer>;

std::optional<element_type> type_of(npy_header const& header) noexcept {
    auto const wide = header.width;
    auto const integer = [&](element_type narrowest) -> std::optional<element_type> {
        for (unsigned power = 0; power < 4; ++power)
            if (wide == 1U << power)
                return static_cast<element_type>(static_cast<unsigned>(narrowest) + 2 * power);
        return std::nullopt;
    };
    if (header.kind == 'i') return integer(element_type::int8);
    if (header.kind == 'u') return integer(element_type::uint8);
    if (header.kind == 'b' && wide == 1) return element_type::boolean;
    if (header.kind == 'f' && wide == 2) return element_type::float16;
    if (header.kind == 'f' && wide == 4) return element_type::float32;
    if (header.kind == 'f' && wide == 8) return element_type::float64;
    if (header.kind == 'c' && wide == 8) return element_type::complex64;
    if (header.kind == 'c' && wide == 16) return element_type::complex128;
    return std::nullopt;
}

/// An array inside the archive, its header read.
class npy_entry {
public:
    npy_entry(std::shared_ptr<void const> archive, entry_handle entry, std::string where)
        : archive_(std::move(archive)), entry_(std::move(entry)), where_(std::move(where)) {
        read_header();
    }
    npy_header const& header() const noexcept { return header_; }
    std::string const& where() const noexcept { return where_; }

    void read(void* into, std::uint64_t bytes) {
        auto* at = static_cast<char*>(into);
        while (bytes != 0) {
            auto const got = zip().zip_fread(entry_.get(), at, bytes);
            if (got < 0) bad(where_ + " is damaged: " + zip().zip_file_strerror(entry_.get()));
            if (got == 0) bad(where_ + " ends too early");
            at += got;
            bytes -= static_cast<std::uint64_t>(got);
        }
    }

private:
    void read_header() {
        constexpr std::uint64_t longest = std::uint64_t{1} << 20;
        std::array<unsigned char, 8> start{};
        read(start.data(), start.size());
        std::string_view const magic("\x93NUMPY");
        if (!std::equal(magic.begin(), magic.end(), start.begin(),
                        [](char a, unsigned char b) { return static_cast<unsigned char>(a) == b; }))
            bad(where_ + " is no numpy array");
        std::array<unsigned char, 4> length{};
        read(length.data(), start[6] == 1 ? 2 : 4);
        std::uint64_t size = 0;
        for (unsigned k = 4; k-- > 0;) size = size << 8 | length[k];
        if (size > longest) bad(where_ + " is no numpy array");
        std::string text(size, ' ');
        read(text.data(), size);
        if (!parse_npy_header(text, header_))
            bad(where_ + ": numpy arrays of this kind are not read");
    }

    std::shared_ptr<void const> archive_;
    entry_handle entry_;
    std::string where_;
    npy_header header_;
};

class npy_numbers final : public number_stream {
public:
    npy_numbers(npy_entry entry, element_type type)
        : number_stream(type, entry.header().shape.front(), entry.where()),
          entry_(std::move(entry)) {}

    void read(std::byte* into, std::uint64_t count) override {
        entry_.read(into, count * bytes_each());
        if (entry_.header().swapped) swap(into, count);
    }

private:
    void swap(std::byte* at, std::uint64_t count) const {
        auto const parts = is_complex(type()) ? 2U : 1U;
        auto const bytes = bytes_each() / parts;
        for (std::uint64_t k = 0; k < count * parts; ++k, at += bytes) std::reverse(at, at + bytes);
    }
    npy_entry entry_;
};

}  // namespace

struct npz_archive::state {
    zip_handle archive;
    std::string path;
};

npz_archive npz_archive::open(std::filesystem::path const& path) {
    auto opened = std::make_shared<state>();
    opened->path = escaped(path.native());
    int code = 0;
    opened->archive.reset(zip().zip_open(path.c_str(), ZIP_RDONLY, &code));
    if (!opened->archive) {
        zip_error_t why;
        zip().zip_error_init_with_code(&why, code);
        std::string const text = zip().zip_error_strerror(&why);
        zip().zip_error_fini(&why);
        bool const system = code == ZIP_ER_OPEN || code == ZIP_ER_READ || code == ZIP_ER_MEMORY;
        throw stop(system ? status::system_failed : status::bad_file,
                   opened->path + ": cannot be read: " + text);
    }
    return npz_archive(std::move(opened));
}

bool npz_archive::has(std::string const& array) const {
    return zip().zip_name_locate(state_->archive.get(), (array + ".npy").c_str(), 0) >= 0;
}

namespace {

npy_entry entry_of(zip_t* archive, std::shared_ptr<void const> keep, std::string const& path,
                   std::string const& array) {
    entry_handle entry(zip().zip_fopen(archive, (array + ".npy").c_str(), 0));
    if (!entry)
        bad(path + " holds no array \"" + array +
            "\"; SciPy's save_npz() writes what is read here");
    return {std::move(keep), std::move(entry), array + ".npy of " + path};
}

/// How many bytes an array may have, its header included: no more than the archive justifies, so
/// that nothing is made room for that cannot come.
std::uint64_t bytes_of(zip_t* archive, std::string const& array) {
    constexpr std::uint64_t best_deflation = 1032;
    zip_stat_t found;
    zip().zip_stat_init(&found);
    if (zip().zip_stat(archive, (array + ".npy").c_str(), 0, &found) != 0) return 0;
    auto const packed = found.comp_method == ZIP_CM_STORE ? 1 : best_deflation;
    std::uint64_t most = 0;
    if (__builtin_mul_overflow(found.comp_size, packed, &most)) return found.size;
    return std::min<std::uint64_t>(found.size, most);
}

}  // namespace

std::unique_ptr<number_stream> npz_archive::numbers(std::string const& array) const {
    auto entry = entry_of(state_->archive.get(), state_, state_->path, array);
    auto const type = type_of(entry.header());
    if (!type || entry.header().shape.size() != 1)
        bad(entry.where() + ": numpy arrays of this kind are not read");
    if (entry.header().shape.front() >
        bytes_of(state_->archive.get(), array) / entry.header().width)
        bad(entry.where() + " is shorter than its header says");
    return std::make_unique<npy_numbers>(std::move(entry), *type);
}

std::string npz_archive::text(std::string const& array) const {
    constexpr unsigned longest = 256;
    auto entry = entry_of(state_->archive.get(), state_, state_->path, array);
    auto const& header = entry.header();
    bool const wide = header.kind == 'U';
    if ((header.kind != 'S' && !wide) || !header.shape.empty() || header.width > longest)
        bad(entry.where() + " is no text");
    std::string raw(wide ? header.width * 4 : header.width, '\0');
    entry.read(raw.data(), raw.size());
    std::string text;  // of ASCII letters, each perhaps among zeros
    std::copy_if(raw.begin(), raw.end(), std::back_inserter(text),
                 [](char c) { return c != '\0'; });
    return text;
}

#endif

}  // namespace hurray::tool
