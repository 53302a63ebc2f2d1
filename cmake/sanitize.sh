#!/bin/sh
# What the usual suite does not show: races, undefined behaviour, unset memory; see --help.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/cmake/setup.sh"

help() {
    cat <<'END_OF_HELP'
sh cmake/sanitize.sh [WHAT...] [--help]

Builds and runs, each in a folder of its own under build/; without WHAT all of them:
  threads   Clang, thread sanitizer: eight threads on one file, and verification by threads
  gcc       GCC, address and undefined-behaviour sanitizers: the library's suite and the fuzz replays;
            the longest tests take a sample
  valgrind  GCC: the quick suites and the fuzz replays under memcheck
  perturb   the writers' tests with the heap filled with one pattern, then with another: the bytes
            that they compare with what the format says must not change
END_OF_HELP
}

known="threads gcc valgrind perturb"
wanted=
for argument in "$@"; do
    case $argument in
        threads|gcc|valgrind|perturb) wanted="$wanted $argument" ;;
        --help) help; exit 0 ;;
        *) help >&2; exit 2 ;;
    esac
done

targets=
# build NAME OPTION...: all of it, or $targets.
build() {
    name=$1; shift
    say "== $name: $*"
    cmake -S "$top" -B "$top/build/$name" "$@"
    # shellcheck disable=SC2086
    cmake --build "$top/build/$name" -j "$jobs" $targets
}
run() {
    name=$1; shift
    ctest --test-dir "$top/build/$name" -j "$jobs" --output-on-failure --no-tests=error "$@"
}

run_threads() {
    targets="--target hurray_test"  # other programs have an operator new, which this sanitizer has too
    build check-tsan -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1" -DHURRAY_SANITIZE=thread \
        -DHURRAY_BUILD_FUZZERS=OFF -DHURRAY_BUILD_TOOL=OFF
    targets=
    run check-tsan -L threads
}

run_gcc() {
    build check-gcc-sanitized -DCMAKE_CXX_COMPILER=g++ -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1" -DHURRAY_SANITIZE=address,undefined \
        -DHURRAY_BUILD_TOOL=OFF -DHURRAY_TEST_SAMPLED=ON
    run check-gcc-sanitized -E '^(headers|compile_fail|consumer|examples)'
}

quick="samples/*:corruption*/*:composite/*:compressed/*:checksum/*:crc32c/*:utf8/*:narrow/*"
quick="$quick:changing/*:golden/*"

# The folder that check.sh fills, with symbols enough for a report.
build_plain() {
    build check-gcc -DCMAKE_CXX_COMPILER=g++ -DCMAKE_BUILD_TYPE=Release -DHURRAY_WERROR=ON
}

run_valgrind() {
    install_packages valgrind
    build_plain
    # The tests' own operator new, which counts and fails on demand, stays what it is.
    memcheck="valgrind --quiet --error-exitcode=99 --soname-synonyms=somalloc=nouserintercepts"
    memcheck="$memcheck --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite"
    # shellcheck disable=SC2086
    $memcheck "$top/build/check-gcc/test/hurray_test" --run_test="$quick" --color_output=no
    for folder in "$top"/fuzz/corpus/*; do
        [ -d "$folder" ] || { say "no corpus: no replays under valgrind"; break; }
        target=${folder##*/}
        # shellcheck disable=SC2086
        $memcheck "$top/build/check-gcc/fuzz/replay_$target" "$folder" "$top/fuzz/crashes/$target"
    done
}

run_perturb() {
    build_plain
    for pattern in 85 170; do
        say "== glibc.malloc.perturb=$pattern"
        GLIBC_TUNABLES=glibc.malloc.perturb=$pattern \
            run check-gcc -R '^(writer|round_trip|golden|boost_sink|checksum|assemble|transpose|transpose_file|partition|partition_set)$'
    done
}

install_packages g++ clang libclang-rt-dev cmake libboost-dev libboost-iostreams-dev \
    libboost-test-dev libcli11-dev nlohmann-json3-dev
choose_build_tools
for what in ${wanted:-$known}; do "run_$what"; done
