#!/bin/sh
# Compares hurray with what others do, and writes the table; see --help.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/cmake/setup.sh"

packages="g++ cmake ninja-build libboost-dev libboost-iostreams-dev libcli11-dev nlohmann-json3-dev
    libbenchmark-dev libeigen3-dev libgraphblas-dev libhdf5-dev python3-scipy"
out=$top/build/bench/table.md

help() {
    cat <<'END'
sh test/bench/run.sh [--quick] [--help] [JOB ...]

Installs the Debian packages that are missing (the peers among them), builds everything in
build/bench, measures for less than 15 minutes, and writes build/bench/table.md.
Takes 8 GB of memory and 4 GB of disk; give it a machine that does nothing else.

  --quick  small sizes and no peers: whether it runs at all
  JOB      one of: verify open cold walk write read transpose file multiply market
END
}

case ${1-} in --help) help; exit 0 ;; esac

# shellcheck disable=SC2086
install_packages $packages
choose_build_tools
cmake -S "$top" -B "$top/build/bench" -DCMAKE_BUILD_TYPE=Release -DHURRAY_BUILD_BENCH=ON \
    -DHURRAY_BUILD_TESTS=OFF -DHURRAY_BUILD_FUZZERS=OFF
cmake --build "$top/build/bench" -j "$jobs"
"$top/build/bench/test/bench/compare" --dir "$top/build/bench" --out "$out" "$@"
cat "$out"
