// The input is the arrays of a matrix: eager, lazy and naive checks agree, and accessors stay
// inside.

#include "arrays.hpp"
#include "walk.hpp"

using namespace hurray;

template<class T, axis Major> static void look(fuzz::arrays const& a) {
    using lazy_view = compressed_view<T, Major, trust::lazy>;
    auto const values = detail::view_as<T>(a.values, a.indices.size());
    auto const shape = Major == axis::rows ? extents{a.major, a.minor} : extents{a.minor, a.major};
    auto const lazily = lazy_view::over(shape, a.offsets, a.indices, values);
    auto const eagerly =
        compressed_view<T, Major, trust::verified>::over(shape, a.offsets, a.indices, values);
    fuzz::require(lazily.has_value() == a.sizes_agree(), "sizes are checked");
    if (!lazily) return fuzz::require(!eagerly, "an eager view checks what a lazy one checks");

    auto const expected = fuzz::naive_check(a, 0, a.major);
    auto const values_hold = fuzz::naive_check_values(a, element_type_of<T>, 0, a.indices.size());
    auto const whole = lazily->verify();
    auto const given = eagerly ? error{} : eagerly.error();
    fuzz::require(whole.has_value() == eagerly.has_value(), "lazy and eager agree");
    fuzz::require(whole || whole.error() == given, "lazy and eager give the same error");
    fuzz::require(eagerly.has_value() == (expected == error{} && values_hold), "naive agrees");
    fuzz::require(expected == error{} || expected == given, "naive gives the same error");
    fuzz::require_slices_agree(a, *lazily);
    fuzz::walk_lazy(*lazily);
    if (eagerly) fuzz::walk_verified(*eagerly);
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    fuzz::arrays const a(fuzz::bytes_at(data, size));
    fuzz::require_plans_agree(a);
    visit_element_type(a.type, [&]<class T>(std::type_identity<T>) {
        a.by_rows ? look<T, axis::rows>(a) : look<T, axis::columns>(a);
    });
    return 0;
}
