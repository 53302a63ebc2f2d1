#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
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
    hurray::layout layout;
    hurray::element_type type;
};

/// Which matrix is wanted.
struct request {
    hurray::trust trust = trust::verified;
    bool values = true;                          ///< or its structure alone
    std::optional<hurray::layout> layout{};      ///< none: CSR and CSC
    std::optional<hurray::element_type> type{};  ///< none: whichever has a C++ type
};

struct any_matrix;

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

template<class View> View view_of(located const& matrix) noexcept {
    using type = typename View::value_type;
    return view_maker::proved<View>(matrix.structure,
                                    view_as<type>(matrix.values, matrix.structure.nnz));
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
        detail::request wanted{.trust = V::gives,
                               .values = element<T>,
                               .layout = Major == axis::rows ? layout::csr : layout::csc};
        if constexpr (element<T>) wanted.type = element_type_of<T>;
        auto const found = matrix(name, wanted);
        if (!found) return found.error();
        return detail::view_of<compressed_view<T, Major, V::gives>>(*found);
    }

    /// What was asked for, checked as far as was asked for.
    result<detail::located> matrix(std::string_view name, detail::request const&) const;
    result<detail::located> locate(tensor const&, bool typed, trust) const;
    /// What slices are checked against. A tolerated buffer is longer than its elements, so
    /// that its blocks are not theirs: then all of it is checked now, and slices against nothing.
    result<format::checksum_table const*> sums_of_slices(tensor const&, std::uint64_t slices) const;
    friend class file;
    friend class full_verification;
    friend struct detail::any_matrix;
    friend struct detail::partition_reader;

    hurray::catalog catalog_;
    std::span<std::byte const> bytes_;
};

namespace detail {
/// What visit() needs of a file.
struct any_matrix {
    static result<located> in(file_view const& file, std::string_view name, trust trust) {
        return file.matrix(name, {.trust = trust});
    }
};
}  // namespace detail

/// Calls f with the view of `name` whatever its layout and element type: f takes a
/// csr_view<T> or csc_view<T> (lazy views with hurray::lazy) and gives the same type for each.
/// A result<R> where f gives R; where f gives a result, that result.
/// Errors: layout_mismatch if it is no CSR or CSC matrix, view_not_supported if its element type
/// has no C++ type, and those of csr().
template<class F, validation V = eager_t>
auto visit(file_view const& file, std::string_view name, F&& f, V = V{}) {
    using given = std::invoke_result_t<F&, compressed_view<float, axis::rows, V::gives>>;
    constexpr bool flat = requires {
        typename given::error_type;
        std::declval<given>().has_value();
    };
    using returned = typename std::conditional_t<flat, std::type_identity<given>,
                                                 std::type_identity<result<given>>>::type;
    auto const found = detail::any_matrix::in(file, name, V::gives);
    if (!found) return returned(found.error());
    auto const call = [&]<class View>(std::type_identity<View>) -> returned {
        if constexpr (std::is_void_v<given>)
            return f(detail::view_of<View>(*found)), returned{};
        else
            return f(detail::view_of<View>(*found));
    };
    return visit_element_type(found->type, [&]<class T>(std::type_identity<T>) -> returned {
        if (found->layout == layout::csr)
            return call(std::type_identity<compressed_view<T, axis::rows, V::gives>>{});
        return call(std::type_identity<compressed_view<T, axis::columns, V::gives>>{});
    });
}

}  // namespace v0
}  // namespace hurray
