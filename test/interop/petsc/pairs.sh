#!/bin/sh
# Matrices stored by n ranks and loaded by m, and what happens when a rank fails.
# pairs.sh JOB TOOL MPIRUN PART [MATRIX]; PART: poisson, market, failures or large.
set -eu
job=$1 tool=$2 mpirun=$3 part=$4 matrix=${5-}

folder=$(mktemp -d "${TMPDIR:-/tmp}/hurray_petsc.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"

ranks() {
    n=$1
    shift
    OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none \
        OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
        "$mpirun" --oversubscribe -n "$n" "$job" "$@"
}
say() { printf '== %s\n' "$*"; }
die() {
    printf 'failed: %s\n' "$*" >&2
    exit 1
}

# Stored by 1 to 4 ranks the bytes are the same; loaded by 1 to 4 so are the rows.
all_pairs() {
    tolerance=$1
    shift
    for n in 1 2 3 4; do
        cmp "stored$n" reference.hrry || die "$n ranks stored other bytes than the library's writer"
        "$tool" verify --quiet "stored$n"
    done
    for n in 1 2 3 4; do
        for m in 1 2 3 4; do
            say "stored by $n, loaded by $m"
            ranks "$m" check "stored$n" A reference.hrry "$tolerance" "$@"
        done
    done
}

case $part in
poisson)
    "$tool" generate reference.hrry --kind poisson2d --grid 300 --name A --quiet
    for n in 1 2 3 4; do ranks "$n" poisson 300 "stored$n"; done
    all_pairs 1e-7 -pc_type bjacobi
    say "a partition of 3 parts"
    "$tool" split reference.hrry parts.hrry --parts 3 --quiet
    ranks 2 check parts.hrry A reference.hrry 1e-7 -pc_type bjacobi
    ;;
market)
    [ -f "$matrix" ] || die "there is no $matrix"
    "$tool" import "$matrix" reference.hrry --name A --quiet
    for n in 1 2 3 4; do ranks "$n" copy reference.hrry A "stored$n"; done
    # Its condition is past 1e10: the preconditioner is a factorization, and the tolerance says so.
    all_pairs 1e-3 -pc_type redundant
    ;;
failures)
    "$tool" generate in.hrry --kind poisson2d --grid 300 --name A --quiet
    printf 'what was there before' >target
    cp target before
    for victim in 0 1 2; do
        say "rank $victim of 3 cannot write"
        ranks 3 full in.hrry A target "$victim"
        cmp target before || die "the target changed"
        [ "$(find . -name '.target*' | wc -l)" = 0 ] || die "a file was left behind"
        say "rank $victim of 3 dies while it writes"
        if ranks 3 kill in.hrry A target "$victim" >/dev/null 2>&1; then die "the rank lived"; fi
        cmp target before || die "the target changed"
        rm -f .target.*
    done
    say "a row of rank 1 of 2 is broken"
    cp in.hrry broken.hrry
    # Values begin at 4096, indices at the next multiple of it.
    nnz=$((5 * 90000 - 4 * 300))
    indices=$(((4096 + nnz * 8 + 4095) / 4096 * 4096))
    printf '\377\377\377\377\377\377\377\377' |
        dd of=broken.hrry bs=1 seek=$((indices + 8 * 400000)) conv=notrunc status=none
    ranks 2 refuse broken.hrry A 1 105
    say "no such file, no such tensor"
    ranks 3 refuse in.hrry B 0 2000
    ;;
large)
    ranks 2 poisson 2000 large.hrry
    "$tool" verify --quiet large.hrry
    ranks 2 check large.hrry A large.hrry 1e-5 -pc_type gamg -ksp_rtol 1e-10
    ;;
*) die "no part $part" ;;
esac
say "good"
