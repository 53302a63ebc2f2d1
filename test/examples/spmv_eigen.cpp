// Multiply with Eigen, straight from the file; write what Eigen made.

#include <cstdint>
#include <iostream>
#include <vector>

#include <hurray/hurray.hpp>
#include <hurray/interop/eigen.hpp>

int main() {
    // A matrix of Eigen's own goes into a file as it is.
    hurray::eigen::matrix<double> made(3, 3);
    made.insert(0, 0) = 2;
    made.insert(0, 2) = -1;
    made.insert(1, 1) = 3;
    made.insert(2, 0) = 1;
    made.makeCompressed();
    auto out = hurray::writer::create("a.hrry").value();
    hurray::eigen::write(out, "A", made).value();
    out.close().value();

    // A Map of the mapped file: no array is copied. It goes wherever Eigen reads a SparseMatrix.
    auto const file = hurray::file::open("a.hrry").value();
    auto const a = file.csr<double>("A").value();
    auto const mapped = hurray::eigen::map(a).value();

    Eigen::VectorXd const x = Eigen::VectorXd::LinSpaced(3, 1, 3);
    Eigen::VectorXd const y = mapped * x;
    std::cout << y.transpose() << '\n';
    std::cout << (mapped.valuePtr() == a.values().data() ? "same bytes" : "a copy") << '\n';
}
