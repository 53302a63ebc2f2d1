// SciPy and HDF5 files into hurray and out of it, with SciPy and h5py as the judges.

#include <hurray/hurray.hpp>

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tool_run.hpp"

namespace {

using namespace tool_run;

/// A Python that has `module`; empty: none, and the test says so.
std::string python_with(std::string const& module) {
    for (std::string const name : {"/usr/bin/python3", "python3"})
        if (std::system((name + " -c 'import " + module + "' >/dev/null 2>&1").c_str()) == 0)
            return name;
    BOOST_TEST_MESSAGE("not run: no Python with " << module);
    return {};
}

void run_python(workplace const& place, std::string const& python, std::string const& program) {
    auto const script = place.write("script.py", program);
    auto const command = "cd " + in_single_quotes(place.path("")) + " && " + python +
                         " script.py 2>" + in_single_quotes(place.path(".err"));
    BOOST_REQUIRE_MESSAGE(std::system(command.c_str()) == 0, content(place / ".err"));
}

/// Whether the program was built with what reads such files; a test without it says so.
bool reads(workplace const& place, std::string const& path) {
    auto const did = place.run({"import", path, place.path("x.hrry"), "--quiet"});
    if (!contains(did.err, "built without")) return true;
    BOOST_TEST_MESSAGE("not run: " << did.err);
    return false;
}

constexpr char const types[] =
    "['bool','int8','uint8','int16','uint16','int32','uint32','int64','uint64','float32',"
    "'float64','complex64','complex128']";

}  // namespace

BOOST_AUTO_TEST_SUITE(tool_import)

BOOST_AUTO_TEST_CASE(scipy_matrices_of_every_type_go_in_and_out) {
    auto const python = python_with("scipy.sparse");
    if (python.empty() || !there_is_a_tool()) return;
    workplace const place;
    run_python(place, python, std::string(R"py(
import numpy as np, scipy.sparse as sp, json
rng = np.random.default_rng(1)
names = []
for t in )py") + types + R"py(:
    dense = rng.integers(0, 100, (37, 53)) * (rng.random((37, 53)) < 0.2)
    for kind in ('csr', 'csc', 'coo'):
        for packed in (False, True):
            name = f'{t}_{kind}_{int(packed)}'
            sp.save_npz(name + '.npz', getattr(sp, kind + '_matrix')(dense.astype(t)), compressed=packed)
            names.append(name)
open('names', 'w').write('\n'.join(names))
)py");
    if (!reads(place, place.path("float64_csr_0.npz"))) return;
    std::istringstream names(content(place / "names"));
    unsigned count = 0;
    for (std::string name; std::getline(names, name); ++count) {
        auto const file = place.path(name + ".hrry");
        place.good({"import", place.path(name + ".npz"), file, "--name", "A", "--quiet"});
        place.good({"verify", file, "--quiet"});
        place.good({"export", file, "A", place.path("back_" + name + ".npz"), "--quiet"});
    }
    BOOST_TEST(count == 13u * 6);
    run_python(place, python, R"py(
import scipy.sparse as sp
for name in open('names').read().split('\n'):
    a, b = sp.load_npz(name + '.npz'), sp.load_npz('back_' + name + '.npz')
    assert a.dtype == b.dtype and a.shape == b.shape, (name, a.dtype, b.dtype)
    assert (a.tocsr() != b.tocsr()).nnz == 0 and a.nnz == b.nnz, name
)py");
}

BOOST_AUTO_TEST_CASE(broken_scipy_files_are_refused) {
    auto const python = python_with("scipy.sparse");
    if (python.empty() || !there_is_a_tool()) return;
    workplace const place;
    run_python(place, python, R"py(
import numpy as np, scipy.sparse as sp
a = sp.csr_matrix(np.eye(20))
sp.save_npz('good.npz', a)
whole = open('good.npz', 'rb').read()
open('short.npz', 'wb').write(whole[:len(whole) // 2])
open('noise.npz', 'wb').write(b'PK' + b'\x55' * 400)
sp.save_npz('dia.npz', sp.eye(5))
np.savez('order.npz', format=b'csr', shape=[1, 3], data=[1., 2.], indices=[2, 9], indptr=[0, 2])
np.savez('pointer.npz', format=b'csr', shape=[1, 3], data=[1., 2.], indices=[0, 1], indptr=[0, 7])
import io, zipfile
def claim(name, count):
    with zipfile.ZipFile('good.npz') as a, zipfile.ZipFile(name, 'w', zipfile.ZIP_DEFLATED) as b:
        for n in a.namelist():
            d = a.read(n)
            b.writestr(n, d.replace(b'(20,)', count, 1) if n in ('data.npy', 'indices.npy') else d)
claim('more.npz', b'(1099511627776,)')
sp.save_npz('twice.npz', sp.coo_matrix(([1., 2.], ([0, 0], [1, 1])), shape=(2, 2)))
)py");
    if (!reads(place, place.path("good.npz"))) return;
    auto const out = place.path("out.hrry");
    for (std::string const name : {"short", "noise", "dia", "order", "pointer", "more", "twice"}) {
        auto const did = place.run({"import", place.path(name + ".npz"), out});
        BOOST_TEST_CONTEXT(name << ": " << did.err) {
            BOOST_TEST(did.status == 1);
            BOOST_TEST(contains(did.err, name + ".npz"));
            BOOST_TEST(!std::filesystem::exists(out));
        }
    }
}

BOOST_AUTO_TEST_CASE(anndata_and_10x_files) {
    auto const python = python_with("scipy.sparse, h5py");
    if (python.empty() || !there_is_a_tool()) return;
    workplace const place;
    run_python(place, python, R"py(
import numpy as np, scipy.sparse as sp, h5py
rng = np.random.default_rng(2)
def put(where, a, kind, **how):
    g = where.create_group(kind[0]); g.attrs['encoding-type'] = kind[1] + '_matrix'; g.attrs['encoding-version'] = '0.1.0'
    g.attrs['shape'] = a.shape
    for n in ('data', 'indices', 'indptr'): g.create_dataset(n, data=getattr(a, n), **how)
x = sp.random(300, 40, 0.1, 'csr', np.float32, rng)
with h5py.File('cells.h5ad', 'w') as f:
    put(f, x, ('X', 'csr'), compression='gzip')
    put(f.create_group('layers'), x.tocsc(), ('counts', 'csc'))
ten = sp.random(50, 70, 0.2, 'csc', np.float64, rng); ten.data = np.round(ten.data * 100)
with h5py.File('tenx.h5', 'w') as f:
    g = f.create_group('matrix')
    for n in ('data', 'indices', 'indptr'): g.create_dataset(n, data=getattr(ten, n).astype('i8'))
    g.create_dataset('shape', data=ten.shape)
sp.save_npz('x.npz', x); sp.save_npz('tenx.npz', ten)
)py");
    if (!reads(place, place.path("cells.h5ad"))) return;
    auto const listed = place.run({"import", place.path("cells.h5ad"), place.path("n.hrry")});
    BOOST_TEST(listed.status != 0);
    BOOST_TEST(contains(listed.out + listed.err, "layers/counts"));
    auto const back = [&](std::string const& from, std::string const& dataset,
                          std::string const& to) {
        auto const file = place.path("m.hrry");
        place.good(
            {"import", place.path(from), file, "--dataset", dataset, "--name", "A", "--quiet"});
        place.good({"verify", file, "--quiet"});
        place.good({"export", file, "A", place.path(to), "--quiet"});
    };
    back("cells.h5ad", "X", "a.npz");
    back("cells.h5ad", "layers/counts", "b.npz");
    back("tenx.h5", "matrix", "c.npz");
    run_python(place, python, R"py(
import scipy.sparse as sp
x, t = sp.load_npz('x.npz'), sp.load_npz('tenx.npz')
for a, n in ((x, 'a'), (x, 'b')):
    b = sp.load_npz(n + '.npz'); assert b.shape == a.shape and (a != b.tocsr()).nnz == 0, n
c = sp.load_npz('c.npz'); assert sorted(c.shape) == sorted(t.shape), c.shape
c = c if c.shape == t.shape else c.T
assert (t.tocsr() != c.tocsr()).nnz == 0
)py");
}

BOOST_AUTO_TEST_SUITE_END()
