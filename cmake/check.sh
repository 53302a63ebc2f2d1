#!/bin/sh
# Builds hurray and passes every test; see --help.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/cmake/setup.sh"

packages="g++ clang libclang-rt-dev cmake ninja-build pkg-config libboost-dev libboost-iostreams-dev
    libboost-test-dev libcli11-dev nlohmann-json3-dev"

help() {
    cat <<'END'
sh cmake/check.sh [--all] [--setup] [--help]

Installs the Debian packages that are missing, then builds and tests:
  build/check-gcc    GCC, warnings as errors, the suite

  --all    also the consumers of an installation, the exhaustive tests, the other sanitizers, and build/check-clang: the suite under
           Clang's address and undefined-behaviour sanitizers (not seen to pass as a whole yet)
  --setup  only installs what is missing
  --help   only prints this
END
}

all=no
only_setup=no
for argument in "$@"; do
    case $argument in
        --all) all=yes ;;
        --setup) only_setup=yes ;;
        --help) help; exit 0 ;;
        *) help >&2; exit 2 ;;
    esac
done

# build NAME OPTION...: configures and builds build/NAME.
build() {
    name=$1; shift
    say "== $name: $*"
    cmake -S "$top" -B "$top/build/$name" -DHURRAY_WERROR=ON "$@"
    cmake --build "$top/build/$name" -j "$jobs"
}

# run NAME OPTION...: runs tests of build/NAME.
run() {
    name=$1; shift
    ctest --test-dir "$top/build/$name" -j "$jobs" --output-on-failure --no-tests=error "$@"
}

# shellcheck disable=SC2086
install_packages $packages
[ "$only_setup" = no ] || exit 0
choose_build_tools

build check-gcc -DCMAKE_CXX_COMPILER=g++ -DCMAKE_BUILD_TYPE=Release
run check-gcc -E '^consumer'

[ "$all" = yes ] || exit 0

run check-gcc -R '^consumer'
run check-gcc -C Exhaustive -L exhaustive
sh "$top/cmake/sanitize.sh"
build check-clang -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1" -DHURRAY_SANITIZE=address,undefined
run check-clang
