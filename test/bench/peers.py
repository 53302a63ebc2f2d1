"""What SciPy does with the arrays it is given: a command a line, seconds as the answer."""

import sys
import time

import numpy
import scipy.io
import scipy.sparse

matrix = None
print("ready", flush=True)
for line in sys.stdin:
    command, *words = line.rstrip("\n").split("\t")
    spent = 0.0
    if command == "load":
        rows, columns, base = int(words[0]), int(words[1]), words[2]
        arrays = [
            numpy.fromfile(base + ".values", numpy.float64),
            numpy.fromfile(base + ".indices", numpy.int64),
            numpy.fromfile(base + ".offsets", numpy.int64),
        ]
        matrix = scipy.sparse.csr_matrix(tuple(arrays), shape=(rows, columns))
        del arrays
    elif command == "transpose":
        begin = time.perf_counter()
        made = matrix.tocsc()
        spent = time.perf_counter() - begin
        del made
    elif command == "mmread":
        begin = time.perf_counter()
        made = scipy.io.mmread(words[0])
        spent = time.perf_counter() - begin
        del made
    elif command == "forget":
        matrix = None
    print(spent, flush=True)
