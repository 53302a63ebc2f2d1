#include "peers.hpp"

#if HURRAY_BENCH_EIGEN
#include <Eigen/SparseCore>
#include <unsupported/Eigen/SparseExtra>

#include <optional>

namespace bench {
namespace {

using index = std::int64_t;
using csr = Eigen::SparseMatrix<double, Eigen::RowMajor, index>;
using csc = Eigen::SparseMatrix<double, Eigen::ColMajor, index>;

/// Eigen counts with signed numbers, of which these arrays use the half that is alike.
index const* as_signed(std::uint64_t const* words) {
    return static_cast<index const*>(static_cast<void const*>(words));
}
auto map(seen const& a) {
    return Eigen::Map<csr const>(static_cast<index>(a.rows), static_cast<index>(a.columns),
                                 static_cast<index>(a.nnz), as_signed(a.offsets),
                                 as_signed(a.indices), a.values);
}

}  // namespace

runner eigen_transpose(seen const& a) {
    return [a] {
        std::optional<csc> made;
        auto const from = map(a);
        return seconds_of([&] { made.emplace(from); });
    };
}

runner eigen_multiply(seen const& a, double const* x, double* y) {
    return [=] {
        auto const from = map(a);
        Eigen::Map<Eigen::VectorXd const> const in(x, static_cast<index>(a.columns));
        Eigen::Map<Eigen::VectorXd> out(y, static_cast<index>(a.rows));
        return seconds_of([&] { out.noalias() = from * in; });
    };
}

runner eigen_read_market(std::filesystem::path const& path) {
    return [path] {
        csr made;
        bool good = false;
        auto const spent = seconds_of([&] { good = Eigen::loadMarket(made, path.string()); });
        return good ? spent : std::numeric_limits<double>::quiet_NaN();
    };
}

}  // namespace bench
#else
namespace bench {
runner eigen_transpose(seen const&) { return {}; }
runner eigen_multiply(seen const&, double const*, double*) { return {}; }
runner eigen_read_market(std::filesystem::path const&) { return {}; }
}  // namespace bench
#endif
