#include "peers.hpp"

#if HURRAY_BENCH_GRAPHBLAS
extern "C" {  // this header does not say so itself
#include <GraphBLAS.h>
}

#include <memory>
#include <stdexcept>

namespace bench {
namespace {

void need(GrB_Info info) {
    if (info != GrB_SUCCESS) throw std::runtime_error("GraphBLAS refuses");
}

/// The library, and a matrix of it.
class held {
public:
    explicit held(seen const& a) {
        static bool const started = (need(GrB_init(GrB_NONBLOCKING)), true);
        (void)started;
        need(GrB_Matrix_import_FP64(&matrix_, GrB_FP64, a.rows, a.columns, a.offsets, a.indices,
                                    a.values, a.rows + 1, a.nnz, a.nnz, GrB_CSR_FORMAT));
        need(GrB_Matrix_wait(matrix_, GrB_MATERIALIZE));
    }
    held(held const&) = delete;
    ~held() { GrB_Matrix_free(&matrix_); }
    GrB_Matrix get() const { return matrix_; }

private:
    GrB_Matrix matrix_ = nullptr;
};

}  // namespace

runner graphblas_transpose(seen const& a, unsigned threads) {
    auto from = std::make_shared<std::unique_ptr<held>>();
    return [a, threads, from] {
        if (!*from) *from = std::make_unique<held>(a);
        need(GxB_Global_Option_set(GxB_GLOBAL_NTHREADS, static_cast<int>(threads)));
        GrB_Matrix made = nullptr;
        auto const spent = seconds_of([&] {
            need(GrB_Matrix_new(&made, GrB_FP64, a.columns, a.rows));
            need(GrB_transpose(made, nullptr, nullptr, (*from)->get(), nullptr));
            need(GrB_Matrix_wait(made, GrB_MATERIALIZE));
        });
        GrB_Matrix_free(&made);
        return spent;
    };
}

}  // namespace bench
#else
namespace bench {
runner graphblas_transpose(seen const&, unsigned) { return {}; }
}  // namespace bench
#endif
