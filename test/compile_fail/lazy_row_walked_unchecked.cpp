// refused: begin|invalid range expression
#include <hurray/compressed_view.hpp>

float good(hurray::csr_view<float> const& a) {
    float sum = 0;
    for (auto [column, value] : a.row(7)) sum += value;
    return sum;
}

#ifdef OFFENDING
float bad(hurray::lazy_csr_view<float> const& a) {
    float sum = 0;
    for (auto [column, value] : a.row(7)) sum += value;
    return sum;
}
#endif
