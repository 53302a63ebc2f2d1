#!/bin/sh
# Builds the hurray program and shows what it does; see --help.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/cmake/setup.sh"

packages="g++ cmake ninja-build libboost-dev libboost-iostreams-dev libcli11-dev nlohmann-json3-dev zlib1g-dev"
out=$top/build/demo/out
entries=50000000

help() {
    cat <<'END'
sh cmake/demo.sh [--setup] [--help]

Installs the Debian packages that are missing, builds the hurray program in build/demo, and shows it:
a real matrix is imported, written as CSR and CSC, inspected, verified and read; then opening and
verifying are timed on a generated matrix of 50 million entries (0.9 GB of disk, removed at the end).

  --setup  only installs what is missing
  --help   only prints this
END
}

only_setup=no
for argument in "$@"; do
    case $argument in
        --setup) only_setup=yes ;;
        --help) help; exit 0 ;;
        *) help >&2; exit 2 ;;
    esac
done

# shellcheck disable=SC2086
install_packages $packages
[ "$only_setup" = no ] || exit 0
choose_build_tools

say "== Building hurray in build/demo"
cmake -S "$top" -B "$top/build/demo" -DCMAKE_BUILD_TYPE=Release -DHURRAY_BUILD_TESTS=OFF \
    -DHURRAY_BUILD_FUZZERS=OFF
cmake --build "$top/build/demo" -j "$jobs" --target hurray_tool

mkdir -p "$out"
cd "$out"
PATH=$top/build/demo:$PATH
trap 'rm -f "$out/large.hrry"' EXIT
trap 'exit 130' INT TERM

# Prints a command as one would type it, and runs it.
show() {
    say "\$ $*"
    "$@"
}

# Milliseconds since the epoch; whole seconds where date knows no parts of them.
now() {
    stamp=$(date +%s%N)
    case $stamp in
        *[!0-9]*) echo "$(date +%s)000" ;;
        *) echo "${stamp%??????}" ;;
    esac
}

# Shows a command and then how long it took, the start of the program included.
timed() {
    start=$(now)
    show "$@"
    say "  ($(($(now) - start)) ms)"
}

say
say "== A real matrix: Zachary's karate club"
cp "$top/test/data/karate.mtx" .
show hurray import karate.mtx karate.hrry
show hurray import karate.mtx karate_csc.hrry --layout csc
show hurray inspect karate.hrry
show hurray verify karate.hrry
show hurray verify karate_csc.hrry
show hurray show karate.hrry karate --row 0
show hurray show karate_csc.hrry karate --column 33
show hurray show karate.hrry karate --at 0 33
show hurray show karate.hrry karate --at 0 31

matrices=$top/../shared/matrices
if [ -d "$matrices" ]; then
    say
    say "== Every matrix of ../shared/matrices, as CSR and as CSC"
    taken=0
    refused=0
    matrices=$(cd "$matrices" && pwd)
    for matrix in "$matrices"/*.mtx; do
        name=$(basename "$matrix" .mtx)
        status=0
        hurray import "$matrix" "$name.hrry" --quiet || status=$?
        case $status in
            0)
                hurray import "$matrix" "${name}_csc.hrry" --layout csc --quiet
                hurray verify "$name.hrry"
                hurray verify "${name}_csc.hrry"
                taken=$((taken + 1))
                ;;
            1) refused=$((refused + 1)) ;;
            *) fail "hurray import ended with status $status" ;;
        esac
    done
    say "$taken imported and verified, $refused refused"
fi

say
say "== A generated matrix of 50 million entries"
timed hurray generate large.hrry --name random --kind uniform --rows 5000000 --nnz $entries \
    --type float64 --seed 1
timed hurray inspect large.hrry
timed hurray show large.hrry random --row 2500000
timed hurray verify large.hrry --threads 1
timed hurray verify large.hrry
