// The input is the arrays of a matrix: eager, lazy and naive checks agree, and accessors stay
// inside.

#include "arrays.hpp"
#include "walk.hpp"

using namespace hurray;

/// The view over the arrays, by rows whatever it is.
template<class T, trust Trust>
static result<compressed_view<T, axis::rows, Trust>> over(fuzz::arrays const& a) {
    auto const values = detail::view_as<T>(a.values, a.indices.size());
    if (a.by_rows)
        return compressed_view<T, axis::rows, Trust>::over({a.major, a.minor}, a.offsets, a.indices,
                                                           values);
    return compressed_view<T, axis::columns, Trust>::over({a.minor, a.major}, a.offsets, a.indices,
                                                          values)
        .transform([](auto const& view) { return view.transposed(); });
}

template<class T> static void look(fuzz::arrays const& a) {
    auto const lazily = over<T, trust::lazy>(a);
    auto const eagerly = over<T, trust::verified>(a);
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
    visit_element_type(a.type, [&]<class T>(std::type_identity<T>) { look<T>(a); });
    return 0;
}
