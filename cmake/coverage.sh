#!/bin/sh
# Which lines and regions of src/ the tests reach; see --help.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/cmake/setup.sh"

help() {
    cat <<'END_OF_HELP'
sh cmake/coverage.sh [--lines] [--help]

Builds build/coverage with Clang's instrumentation, runs the suite, and prints for each file of
src/ (the tool has a folder and tests of its own) the share of regions and lines that were run.

  --lines  also prints the lines that were not, of the files under 95 %
END_OF_HELP
}

lines=no
for argument in "$@"; do
    case $argument in
        --lines) lines=yes ;;
        --help) help; exit 0 ;;
        *) help >&2; exit 2 ;;
    esac
done

install_packages clang llvm cmake libboost-dev libboost-iostreams-dev libboost-test-dev \
    nlohmann-json3-dev
choose_build_tools

build=$top/build/coverage
profiles=$build/profiles
cmake -S "$top" -B "$build" -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_CXX_FLAGS_DEBUG="-O0 -g1 -fprofile-instr-generate -fcoverage-mapping" \
    -DHURRAY_BUILD_TOOL=OFF -DHURRAY_BUILD_FUZZERS=OFF -DHURRAY_TEST_SAMPLED=ON
cmake --build "$build" -j "$jobs" --target hurray_test hurray_faults hurray_crashes hurray_hostility

rm -rf "$profiles"
mkdir -p "$profiles"
# What compiles others' programs has nothing to run here.
LLVM_PROFILE_FILE=$profiles/%p-%m.profraw ctest --test-dir "$build" -j "$jobs" --no-tests=error \
    --output-on-failure -E '^(headers|compile_fail|consumer|examples|interop)' || failed=yes

find "$profiles" -name '*.profraw' > "$profiles/list"
llvm-profdata merge -sparse -f "$profiles/list" -o "$profiles/all.profdata"
programs="$build/test/hurray_test"
for name in faults/hurray_faults faults/hurray_crashes hostility/hurray_hostility; do
    programs="$programs -object $build/test/$name"
done

# Unquoted: words.
# shellcheck disable=SC2086
report() {
    how=$1; shift
    llvm-cov "$how" $programs -instr-profile "$profiles/all.profdata" "$@"
}

report report -ignore-filename-regex '/(test|tool|fuzz|include)/|/usr/' "$top/src" |
    awk '$1 ~ /\.[ch]pp$|^TOTAL/ { printf "%-28s regions %8s  lines %8s\n", $1, $4, $10 }'

if [ "$lines" = yes ]; then
    for file in $(report report -ignore-filename-regex '/(test|tool|fuzz|include)/|/usr/' "$top/src" |
            awk '$1 ~ /\.[ch]pp$/ && ($4 + 0 < 95 || $10 + 0 < 95) { print $1 }'); do
        say "== $file"
        report show -show-regions=0 "$top/src/${file##*/}" | grep -E '^ +[0-9]+\| +0\|' || true
    done
fi
[ -z "${failed:-}" ] || fail "some tests failed"
