// SciPy and HDF5 files into hurray and out of it, with SciPy and h5py as the judges.

#include <hurray/hurray.hpp>

#include <boost/test/unit_test.hpp>

#include <complex>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "sanitizers.hpp"
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

/// In what a shell may have of memory: 2 GB. Sanitizers need far more for themselves.
std::string with_little_memory() {
    return HURRAY_TEST_UNDER_ASAN || HURRAY_TEST_UNDER_TSAN ? "" : "ulimit -v 2000000 ;";
}

void refused_with_little_memory(workplace const& place, std::string const& name) {
    for (std::string const layout : {"csr", "csc"}) {
        auto const did = place.shell(with_little_memory(),
                                     {"import", place.path(name), place.path("out.hrry"),
                                      "--layout", layout, "--memory", "100M", "--name", "A"});
        BOOST_TEST_CONTEXT(name << ' ' << layout << ": " << did.err) {
            BOOST_TEST(did.status == 1);
            BOOST_TEST(contains(did.err, name));
            BOOST_TEST(!std::filesystem::exists(place / "out.hrry"));
        }
    }
}

BOOST_AUTO_TEST_CASE(hdf5_files_that_claim_what_they_do_not_hold_are_refused) {
    auto const python = python_with("h5py");
    if (python.empty() || !there_is_a_tool()) return;
    workplace const place;
    run_python(place, python, R"py(
import numpy as np, h5py
def arrays(g, shape=(2, 3), kind='csr_matrix', **other):
    g.attrs['encoding-type'] = kind; g.attrs['shape'] = np.array(shape, 'u8')
    for n, a in (('data', [1., 2.]), ('indices', [0, 1]), ('indptr', [0, 1, 2])):
        other[n](g) if n in other else g.create_dataset(n, data=a)
def unwritten(name, count, **how):
    def make(g): g.create_dataset(name, (count,), 'i8', chunks=(1024,), **how)
    return {name: make}
def file(name, **how):
    with h5py.File(name, 'w') as f: arrays(f.create_group('X'), **how)
file('good.h5ad')
file('rows.h5ad', shape=(2**62, 3))
file('all_rows.h5ad', shape=(2**64 - 1, 3))
file('columns.h5ad', shape=(2, 2**62), kind='csc_matrix')
file('offsets.h5ad', shape=(2**40 - 1, 3), **unwritten('indptr', 2**40))
file('packed_offsets.h5ad', shape=(2**40 - 1, 3), **unwritten('indptr', 2**40, compression='gzip'))
both = unwritten('data', 2**36); both.update(unwritten('indices', 2**36))
file('entries.h5ad', **both)
def elsewhere(g): g.create_dataset('data', (2,), 'f8', external=[('good.h5ad', 0, 16)])
file('external.h5ad', data=elsewhere)
layout = h5py.VirtualLayout((2,), 'f8'); layout[:] = h5py.VirtualSource('good.h5ad', 'X/data', (2,))
file('virtual.h5ad', data=lambda g: g.create_virtual_dataset('data', layout))
with h5py.File('circle.h5ad', 'w') as f:
    g = f.create_group('g')
    for k in range(20): g[f'again{k}'] = g
)py");
    if (!reads(place, place.path("good.h5ad"))) return;
    for (auto const* const name :
         {"rows.h5ad", "all_rows.h5ad", "columns.h5ad", "offsets.h5ad", "packed_offsets.h5ad",
          "entries.h5ad", "external.h5ad", "virtual.h5ad", "circle.h5ad"})
        refused_with_little_memory(place, name);
}

BOOST_AUTO_TEST_CASE(numbers_of_hdf5_in_other_clothes) {
    auto const python = python_with("h5py");
    if (python.empty() || !there_is_a_tool()) return;
    workplace const place;
    run_python(place, python, R"py(
import numpy as np, h5py
def file(name, data):
    with h5py.File(name, 'w') as f:
        g = f.create_group('X')
        g.attrs['encoding-type'] = 'csr_matrix'; g.attrs['shape'] = np.array((2, 3), 'u8')
        data(g)
        for n, a in (('indices', [0, 1]), ('indptr', [0, 1, 2])): g.create_dataset(n, data=a)
def complex_of(*parts, **place):
    t = np.dtype(dict(names=['r', 'i'], formats=parts, **place))
    def make(g):
        a = np.zeros(2, t); a['r'] = [1, 2]; a['i'] = [3, 4]; g.create_dataset('data', data=a)
    return make
def float_of(*fields):
    t = h5py.h5t.IEEE_F16LE.copy(); t.set_fields(*fields[:5]); t.set_ebias(fields[5])
    def make(g):
        h5py.h5d.create(g.id, b'data', t, h5py.h5s.create_simple((2,)))
    return make
file('plain.h5ad', lambda g: g.create_dataset('data', data=[1., 2.]))
file('big.h5ad', lambda g: g.create_dataset('data', data=np.array([1, 2], '>f4')))
file('spread.h5ad', complex_of('<f4', '<f4', offsets=[0, 8], itemsize=16))
file('mixed.h5ad', complex_of('<f4', '<f8'))
file('halves.h5ad', complex_of('<f2', '<f2', offsets=[0, 4], itemsize=8))
file('half.h5ad', float_of(15, 10, 5, 0, 10, 15))
file('brain.h5ad', float_of(15, 7, 8, 0, 7, 127))
import scipy.sparse as sp
sp.save_npz('odd.npz', sp.csr_matrix(np.array([[2**53 + 1]])))
)py");
    auto const out = place.path("o.hrry");
    if (!reads(place, place.path("plain.h5ad"))) return;
    place.good({"import", place.path("big.h5ad"), out, "--name", "X", "--quiet"});
    BOOST_TEST(hurray::file::open(out)->csr<float>("X")->value(1, 1) == 2.0f);
    place.good({"import", place.path("spread.h5ad"), out, "--name", "X", "--quiet"});
    BOOST_TEST((hurray::file::open(out)->csr<std::complex<float>>("X")->value(1, 1) ==
                std::complex<float>(2, 4)));
    place.good({"import", place.path("half.h5ad"), out, "--name", "X", "--quiet"});
    for (auto const* const name : {"mixed.h5ad", "halves.h5ad", "brain.h5ad"})
        BOOST_TEST(place.run({"import", place.path(name), out, "--quiet"}).status == 1, name);
    for (auto const* const type : {"float64", "float32"})
        BOOST_TEST(
            place.run({"import", place.path("odd.npz"), out, "--type", type, "--quiet"}).status ==
            1);
    place.good({"import", place.path("odd.npz"), out, "--type", "uint64", "--quiet"});
}

BOOST_AUTO_TEST_CASE(what_is_packed_may_be_larger_than_its_file) {
    auto const python = python_with("h5py");
    if (python.empty() || !there_is_a_tool()) return;
    workplace const place;
    run_python(place, python, R"py(
import numpy as np, h5py
n = 300000
with h5py.File('ones.h5ad', 'w') as f:
    g = f.create_group('X'); g.attrs['encoding-type'] = 'csr_matrix'; g.attrs['shape'] = (n, n)
    g.create_dataset('data', data=np.ones(n), compression='gzip', chunks=(n,))
    g.create_dataset('indices', data=np.arange(n), compression='gzip', shuffle=True)
    g.create_dataset('indptr', data=np.arange(n + 1), compression='gzip', shuffle=True)
)py");
    if (!reads(place, place.path("ones.h5ad"))) return;
    auto const out = place.path("out.hrry"), identity = place.path("identity.hrry");
    place.good({"import", place.path("ones.h5ad"), out, "--name", "matrix", "--quiet"});
    BOOST_TEST(20 * std::filesystem::file_size(place / "ones.h5ad") < content(out).size());
    place.good({"generate", identity, "--kind", "identity", "--rows", "300000", "--quiet"});
    BOOST_TEST((content(out) == content(identity)));
}

BOOST_AUTO_TEST_CASE(scipy_files_that_claim_what_they_do_not_hold_are_refused) {
    auto const python = python_with("numpy");
    if (python.empty() || !there_is_a_tool()) return;
    workplace const place;
    run_python(place, python, R"py(
import numpy as np
def save(name, format, shape, **arrays):
    np.savez(name, format=format.encode(), shape=np.array(shape, 'u8'), data=[1., 2.], **arrays)
save('good', 'csr', (2, 3), indices=[0, 1], indptr=[0, 1, 2])
save('csr', 'csr', (2**62, 3), indices=[0, 1], indptr=[0, 1, 2])
save('all', 'csr', (2**64 - 1, 3), indices=[0, 1], indptr=np.array([], 'i8'))
save('csc', 'csc', (3, 2**62), indices=[0, 1], indptr=[0, 1, 2])
save('coo', 'coo', (2**62, 2**62), row=[0, 1], col=[0, 1])
save('large', 'coo', (2**36, 2**36), row=[0, 1], col=[0, 1])
)py");
    if (!reads(place, place.path("good.npz"))) return;
    for (auto const* const name : {"csr.npz", "all.npz", "csc.npz", "coo.npz", "large.npz"})
        refused_with_little_memory(place, name);
}

BOOST_AUTO_TEST_SUITE_END()
