#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <hurray/catalog.hpp>
#include <hurray/compressed_view.hpp>

namespace hurray {
inline namespace [[gnu::visibility("default")]] v0 {

/// When to check a matrix. Passed by name: file.csr<float>("A", hurray::lazy).
struct eager_t {
    explicit eager_t() = default;
    static constexpr trust gives = trust::verified;
};
struct lazy_t {
    explicit lazy_t() = default;
    static constexpr trust gives = trust::lazy;
};
inline constexpr eager_t eager{};
inline constexpr lazy_t lazy{};

template<class V>
concept validation = std::same_as<V, eager_t> || std::same_as<V, lazy_t>;

/// What full verification found of one tensor.
enum class outcome : std::uint8_t {
    not_reached,     ///< stopped or cancelled before
    verified,        ///< every rule holds, down to the last entry
    structure_only,  ///< descriptor, extents and padding hold; the elements have rules unread here
    failed,
};

/// What full verification did.
struct verification {
    std::vector<outcome> tensors;  ///< in index order
    std::uint64_t bytes = 0;       ///< looked at
};

namespace detail {

/// A matrix whose descriptor was checked and whose buffers lie in the file.
struct located {
    detail::structure structure;
    std::span<std::byte const> values;
};

/// The one place where bytes of a file become elements, seen as they are and never written
/// . Their size and alignment were checked.
template<viewable T> typename values_seen<T>::type view_as(std::span<std::byte const> bytes,
                                                           std::uint64_t count) noexcept {
    if constexpr (std::same_as<T, pattern>)
        return {};
    else if constexpr (packed_element<T>)
        return {bytes.data(), count};
    else
        return {reinterpret_cast<T const*>(bytes.data()), count};
}

}  // namespace detail

template<viewable T> class partition_view;

namespace detail {
struct partition_reader;
}

/// A Hurray file that is already in memory: a catalog and the bytes. Does not own the bytes, like
/// std::string_view; owns what the catalog holds. Cheap to copy. Const members are safe from many
/// threads.
class file_view {
public:
    /// Reads the metadata of `bytes`, which may lie at any address.
    /// Errors, complexity and memory: as catalog::read().
    static result<file_view> parse(std::span<std::byte const> bytes, read_options const& = {});

    hurray::catalog const& catalog() const& noexcept { return catalog_; }
    hurray::catalog const& catalog() const&& = delete;
    std::span<std::byte const> bytes() const& noexcept { return bytes_; }
    std::span<std::byte const> bytes() const&& = delete;

    std::uint64_t size() const noexcept { return bytes_.size(); }
    std::uint32_t data_alignment() const noexcept { return catalog_.data_alignment(); }
    /// The tensors, in index order.
    std::span<index_entry const> tensors() const& noexcept { return catalog_.tensors(); }
    std::span<index_entry const> tensors() const&& = delete;
    hurray::metadata const& metadata() const& noexcept { return catalog_.metadata(); }
    hurray::metadata const& metadata() const&& = delete;
    /// What was tolerated when the file was opened, at most 64 of it.
    std::span<error const> notes() const& noexcept { return catalog_.notes(); }
    std::span<error const> notes() const&& = delete;

    /// What the tensor is and where its buffers lie. Reads its descriptor and no data.
    /// Errors: no_such_tensor, or the rule that the descriptor breaks.
    result<tensor> describe(std::string_view name) const&;
    result<tensor> describe(std::string_view name) const&& = delete;

    /// The matrix `name`, every invariant checked. With hurray::lazy: no array is read.
    /// T is the stored element type, or `pattern` for the structure of any.
    /// Errors: no_such_tensor, layout_mismatch, element_type_mismatch, misaligned_bytes, and the
    /// rule that the file breaks. Complexity: linear in rows and nnz; lazy: constant.
    /// Lifetime of the view: that of the bytes.
    template<viewable T, validation V = eager_t>
    result<compressed_view<T, axis::rows, V::gives>> csr(std::string_view name, V = V{}) const& {
        return get<T, axis::rows, V>(name);
    }
    template<viewable T, validation V = eager_t>
    result<compressed_view<T, axis::columns, V::gives>> csc(std::string_view name, V = V{}) const& {
        return get<T, axis::columns, V>(name);
    }
    template<viewable T, validation V = eager_t> result<compressed_view<T, axis::rows, V::gives>>
        csr(std::string_view, V = V{}) const&& = delete;
    template<viewable T, validation V = eager_t> result<compressed_view<T, axis::columns, V::gives>>
        csc(std::string_view, V = V{}) const&& = delete;

    /// The matrix that the composite partition `name` is: its shape, and its members with where
    /// they lie in it. Reads descriptors and no data. For <hurray/partition.hpp>.
    /// Errors: no_such_tensor, not_a_partition, view_not_supported unless it is of rank 2,
    /// element_type_mismatch, and the rule that head or members break.
    /// Complexity: n log n in the tensors of the file. Lifetime: that of the bytes.
    template<viewable T> result<partition_view<T>> partition(std::string_view name) const&;
    template<viewable T>
    result<partition_view<T>> partition(std::string_view name) const&& = delete;

    /// Checks everything: every tensor, every padding byte. Both modes check the same invariants.
    /// Errors: the first failure, when there was one; cancelled.
    /// Complexity: linear in the size of the file.
    result<verification> verify(verify_options const& = {}) const;

private:
    file_view(hurray::catalog catalog, std::span<std::byte const> bytes) noexcept
        : catalog_(std::move(catalog)), bytes_(bytes) {}

    template<viewable T, axis Major, validation V>
    result<compressed_view<T, Major, V::gives>> get(std::string_view name) const {
        auto const wanted = Major == axis::rows ? layout::csr : layout::csc;
        auto const found = locate(name, wanted, wanted_type<T>(), V::gives);
        if (!found) return found.error();
        using lazy_view = compressed_view<T, Major, trust::lazy>;
        auto const view = detail::view_maker::lazy<lazy_view>(
            found->structure, detail::view_as<T>(found->values, found->structure.nnz));
        if constexpr (V::gives == trust::lazy)
            return view;
        else
            return view.verify();
    }
    template<class T> static constexpr element_type wanted_type() noexcept {
        if constexpr (element<T>) return element_type_of<T>;
        return {};
    }

    result<detail::located> locate(std::string_view name, layout, element_type, trust) const;
    result<detail::located> locate(tensor const&, bool typed, trust) const;
    friend class file;
    friend class full_verification;
    friend struct detail::partition_reader;

    hurray::catalog catalog_;
    std::span<std::byte const> bytes_;
};

/// Calls f with the view of `name` whatever its layout and element type: f takes a
/// csr_view<T> or csc_view<T> (lazy views with hurray::lazy) and gives the same type for each.
/// A result<R> where f gives R; where f gives a result, that result.
/// Errors: layout_mismatch if it is no CSR or CSC matrix, view_not_supported if its element type
/// has no C++ type, and those of csr().
template<class F, validation V = eager_t>
auto visit(file_view const& file, std::string_view name, F&& f, V when = V{}) {
    using given = std::invoke_result_t<F&, compressed_view<float, axis::rows, V::gives>>;
    constexpr bool flat = requires {
        typename given::error_type;
        std::declval<given>().has_value();
    };
    using returned = typename std::conditional_t<flat, std::type_identity<given>,
                                                 std::type_identity<result<given>>>::type;
    auto const call = [&](auto view) -> returned {
        if (!view) return view.error();
        if constexpr (std::is_void_v<given>)
            return f(*view), returned{};
        else
            return f(*view);
    };
    auto const what = file.describe(name);
    if (!what) return returned(what.error());
    auto const layout = what->descriptor.layout;
    if (layout != layout::csr && layout != layout::csc) return returned(errc::layout_mismatch);
    if (bits_of(what->descriptor.element_type) == 0) return returned(errc::view_not_supported);
    return visit_element_type(what->descriptor.element_type,
                              [&]<class T>(std::type_identity<T>) -> returned {
                                  if (layout == layout::csr) return call(file.csr<T>(name, when));
                                  return call(file.csc<T>(name, when));
                              });
}

}  // namespace v0
}  // namespace hurray
