#!/bin/sh
# Builds hurray and passes every test; see --help.
set -eu

started=$(date +%s)
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/cmake/setup.sh"

packages="g++ clang libclang-rt-dev cmake ninja-build pkg-config libboost-dev libboost-iostreams-dev
    libboost-test-dev libcli11-dev nlohmann-json3-dev libzip-dev libhdf5-dev zlib1g-dev"
# What some tests need, and are left out without.
more_packages="libeigen3-dev libsuitesparse-dev libgraphblas-dev libbenchmark-dev
    libc++-14-dev libc++abi-14-dev python3-scipy python3-h5py valgrind"

help() {
    cat <<'END'
sh cmake/check.sh [--sanitize] [--all] [--setup] [--help]

Installs the Debian packages that are missing, then builds and tests:
  build/check-gcc    GCC, warnings as errors: the suite and the fuzz replays
  build/check-clang  Clang, address and undefined-behaviour sanitizers: the library's suite and the fuzz
                     replays, without the program; the longest tests take a sample (HURRAY_TEST_SAMPLED)
The second is broken off, and that is said, where both would take more than a quarter of an hour.

  --sanitize  lets it take what time it needs
  --all       leaves nothing out of the two, and adds the tests that need other libraries, the benchmarks'
              quick form, the consumers of an installation, the exhaustive tests, and cmake/sanitize.sh
  --setup     only installs what is missing
  --help      only prints this
END
}

all=no
sanitize=no
only_setup=no
for argument in "$@"; do
    case $argument in
        --sanitize) sanitize=yes ;;
        --all) all=yes sanitize=yes ;;
        --setup) only_setup=yes ;;
        --help) help; exit 0 ;;
        *) help >&2; exit 2 ;;
    esac
done

# build NAME OPTION...: configures and builds build/NAME.
build() {
    name=$1; shift
    say "== $name: $*"
    cmake -S "$top" -B "$top/build/$name" -DHURRAY_WERROR=ON "$@" || return
    $within cmake --build "$top/build/$name" -j "$jobs"
}

# run NAME OPTION...: runs tests of build/NAME.
run() {
    name=$1; shift
    $within ctest --test-dir "$top/build/$name" -j "$jobs" --output-on-failure --no-tests=error "$@"
}

# Puts a limit to what follows: what is left of the quarter of an hour. Over it, the status is 124.
limit() {
    left=$((880 - ($(date +%s) - started)))
    [ "$left" -gt 0 ] || return 124
    within="timeout $left"
}

# shellcheck disable=SC2086
install_packages $packages
# shellcheck disable=SC2086
[ "$all" = no ] || install_packages $more_packages
[ "$only_setup" = no ] || exit 0
choose_build_tools

within=
more=OFF
quick=-O1
sampled=ON
[ "$all" = no ] || { more=ON quick='' sampled=OFF; }
build check-gcc -DCMAKE_CXX_COMPILER=g++ -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O2 -DNDEBUG" \
    -DHURRAY_BUILD_BENCH=$more -DHURRAY_TOOL_OPTIONS=$quick
run check-gcc -E '^consumer'

build_sanitized() {
    [ "$sanitize" = yes ] || limit || return
    build check-clang -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1" -DHURRAY_SANITIZE=address,undefined \
        -DHURRAY_BUILD_TOOL=$more -DHURRAY_TEST_SAMPLED=$sampled
}
# What compiles rather than runs was seen to under GCC. The first failure ends it: it would be lost
# if the time ran out after it.
run_sanitized() {
    [ "$sanitize" = yes ] || limit || return
    run check-clang -E '^(headers|consumer|compile_fail|examples)' --stop-on-failure
}
status=0
{ build_sanitized && run_sanitized; } || status=$?
if [ "$status" -eq 124 ] && [ "$sanitize" = no ]; then
    say "NOT DONE: the sanitizers' part did not end within a quarter of an hour; see above how far it came," \
        "and sh cmake/check.sh --sanitize for all of it. Nothing had failed."
    exit 0
fi
[ "$status" -eq 0 ] && [ "$all" = yes ] || exit "$status"

run check-gcc -R '^consumer'
run check-gcc -C Exhaustive -L exhaustive
sh "$top/cmake/sanitize.sh"
