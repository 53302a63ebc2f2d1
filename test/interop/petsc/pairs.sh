#!/bin/sh
# Matrices stored by n ranks and loaded by m, and what happens when a rank fails.
# pairs.sh PROGRAMMES TOOL MPIRUN PART [MATRIX]; PROGRAMMES: the folder of hurray_petsc_*;
# PART: poisson, market, memory, edges, failures, kills, allocations, starvation, scale or large.
set -eu
programmes=$1 tool=$2 mpirun=$3 part=$4 matrix=${5-}

folder=$(mktemp -d "${TMPDIR:-/tmp}/hurray_petsc.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"

exec 3>&2  # what goes wrong is said here, wherever a job's own words go
say() { printf '== %s\n' "$*"; }
die() {
    printf 'failed: %s\n' "$*" >&3
    exit 1
}

# launch N PROGRAMME JOB...: its status is in $status. A job that does not end is a failure whatever was expected.
launch() {
    n=$1 programme=$2
    shift 2
    status=0
    begun=$(date +%s)
    OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none \
        OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
        timeout --kill-after=10 "${limit:-600}" \
        "$mpirun" --oversubscribe -n "$n" "$programmes/hurray_petsc_$programme" "$@" || status=$?
    [ $(($(date +%s) - begun)) -lt "${limit:-600}" ] || die "$n ranks of $programme $* hang"
}
ranks() {
    launch "$@"
    [ "$status" = 0 ] || die "status $status of: $*"
}
# Everything of it must end with an error, soon.
ranks_fail() {
    limit=300
    launch "$@" >out 2>err
    limit=600
    [ "$status" != 0 ] || die "no error from: $*"
}
left_behind() { find . -name '.hurray-*' | wc -l; }

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
            ranks "$m" job check "stored$n" A reference.hrry "$tolerance" "$@"
        done
    done
}

# What PETSc takes alone, in a run of its own, and what loading takes.
memory() {
    n=$1 grid=$2 file=$3
    ranks "$n" job alone "$grid" "alone$n"
    ranks "$n" job beside "$file" A "alone$n"
}

poisson_in() {
    "$tool" generate in.hrry --kind poisson2d --grid "$1" --name A --quiet
    printf 'what was there before' >target
    cp target before
}

case $part in
poisson)
    "$tool" generate reference.hrry --kind poisson2d --grid 300 --name A --quiet
    for n in 1 2 3 4; do ranks "$n" job poisson 300 "stored$n"; done
    all_pairs 1e-7 -pc_type bjacobi
    say "a partition of 3 parts"
    "$tool" split reference.hrry parts.hrry --parts 3 --quiet
    for n in 1 2 4; do ranks "$n" job check parts.hrry A reference.hrry 1e-7 -pc_type bjacobi; done
    ;;
market)
    [ -f "$matrix" ] || die "there is no $matrix"
    "$tool" import "$matrix" reference.hrry --name A --quiet
    for n in 1 2 3 4; do ranks "$n" job copy reference.hrry A "stored$n"; done
    # Its condition is past 1e10: the preconditioner is a factorization, and the tolerance says so.
    all_pairs 1e-3 -pc_type redundant
    ;;
memory)
    # Large enough that a second copy of a rank's entries would not pass for the 16 MiB.
    "$tool" generate in.hrry --kind poisson2d --grid 1000 --name A --quiet
    "$tool" split in.hrry parts.hrry --parts 3 --quiet
    for n in 1 2 3 4; do memory "$n" 1000 in.hrry; done
    say "a partition of 3 parts"
    ranks 2 job beside parts.hrry A alone2
    say "with a copy, which must be seen"
    ranks_fail 1 job clumsy in.hrry A alone1
    grep -q 'loading took too much memory' err || die "another error than too much memory"
    ;;
edges)
    for n in 1 2 3 4 7; do
        say "$n ranks"
        ranks "$n" hostile edges "edge$n"
        for k in 0 1 2 3 4 5 6 7; do cmp "edge1.$k" "edge$n.$k" || die "other bytes from $n ranks"; done
    done
    say "more than one message, more than one write"
    ranks 3 hostile messages 1000 7
    ;;
failures)
    poisson_in 300
    for victim in 0 1 2; do
        say "rank $victim of 3 cannot write"
        ranks 3 hostile full in.hrry A target "$victim"
        cmp target before || die "the target changed"
        [ "$(left_behind)" = 0 ] || die "a file was left behind"
    done
    say "a row of rank 1 of 2 is broken"
    # Values begin at 4096, indices at the next multiple of it.
    nnz=$((5 * 90000 - 4 * 300))
    byte=$(((4096 + nnz * 8 + 4095) / 4096 * 4096 + 8 * 400000))
    break_index() {
        printf '\377\377\377\377\377\377\377\377' | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
    }
    refused_at() {
        ranks 2 hostile refuse broken.hrry A 1 105 >said
        cat said
        grep -q "rank 0 heard: rank 1: .*byte $1" said || die "rank 0 was not told of byte $1"
    }
    cp in.hrry broken.hrry
    break_index broken.hrry "$byte"
    refused_at "$byte"
    say "the same in the last of three members"
    "$tool" split in.hrry broken.hrry --parts 3 --quiet
    # The eighth array of the file: the indices of the last member.
    byte=$("$tool" inspect broken.hrry --json | tr '{' '\n' | grep '"offset": *[0-9]' |
        sed -n '8s/.*"offset": *\([0-9]*\).*/\1/p')
    byte=$((byte + 8 * 100))
    break_index broken.hrry "$byte"
    refused_at "$byte"
    say "no such tensor, no whole file"
    ranks 3 hostile refuse in.hrry B 0 2000
    head -c 5000000 in.hrry >short.hrry
    ranks 3 hostile refuse short.hrry A 0 26
    say "rank 1 finds nothing, a shorter file, another file of the same size"
    ranks 3 hostile elsewhere in.hrry A absent.hrry
    ranks 3 hostile elsewhere in.hrry A short.hrry
    "$tool" generate other.hrry --kind poisson2d --grid 300 --name B --quiet
    [ "$(wc -c <other.hrry)" = "$(wc -c <in.hrry)" ] || die "the files differ in size"
    ranks 3 hostile elsewhere in.hrry A other.hrry
    say "ranks in different folders"
    ranks 3 hostile folders in.hrry A there.hrry
    cmp there.hrry in.hrry || die "another file than the first"
    say "shares that are not the whole"
    ranks 3 hostile shares in.hrry A
    say "errors of PETSc's"
    ranks 3 hostile misuse in.hrry A target
    cmp target before || die "the target changed"
    say "a rank that fails where the others wait for it"
    ranks_fail 3 hostile lonely
    grep -q 'hurray: rank 1: .*cannot be told' err || die "nobody said why"
    ;;
kills)
    poisson_in 300
    # Before any byte, in the middle of the rows, before the sync, before the rename.
    for point in '0 write 1' '0 write 5' '0 sync 1' '0 sync 2' '0 rename 1' \
        '1 write 1' '1 write 3' '1 sync 1' '2 write 1' '2 write 3' '2 sync 1'; do
        say "rank, call and number that kills: $point of 3"
        # shellcheck disable=SC2086
        ranks_fail 3 hostile kill in.hrry A target $point
        if grep -q 'nobody died' err; then die "nobody died"; fi
        cmp target before || die "the target changed"
        [ "$(left_behind)" = 1 ] || die "not one temporary file is left"
        rm .hurray-*
    done
    say "after the rename"
    ranks_fail 3 hostile kill in.hrry A target 0 sync 3
    cmp target in.hrry || die "the target is neither the old nor the new file"
    [ "$(left_behind)" = 0 ] || die "a file was left behind"
    ;;
allocations)
    poisson_in 20
    rm target
    say "each allocation of C++ fails once"
    ranks 3 hostile allocations in.hrry A target
    [ "$(left_behind)" = 0 ] || die "a file was left behind"
    ;;
starvation)
    poisson_in 20
    say "each allocation of PETSc's fails once"
    number=1
    ended=0
    while :; do
        limit=300
        launch 2 hostile engine in.hrry A "$number" >out 2>err
        last=$(sed -n 's/^allocation //p' out | tail -n 1)
        if [ "$status" = 0 ]; then break; fi
        grep -q 'hurray: rank 1: .*cannot be told' err || { cat out err >&2; die "allocation $last: nobody said why"; }
        ended=$((ended + 1))
        number=$((last + 1))
    done
    grep -q 'no allocation is left' out || die "not all were tried"
    say "$((last - 1)) allocations failed: $ended ended the program, of the others every rank was told"
    ;;
scale)
    "$tool" generate in.hrry --kind poisson2d --grid "${GRID:-300}" --name A --quiet
    for n in 1 2 3 4; do ranks "$n" scale in.hrry A out.hrry; done
    for parts in 4 100 10000; do
        "$tool" split in.hrry parts.hrry --parts $parts --quiet
        say "$parts members"
        for n in 1 2 4; do ranks "$n" scale parts.hrry A out.hrry; done
    done
    ;;
large)
    ranks 2 job poisson 2000 large.hrry
    "$tool" verify --quiet large.hrry
    memory 2 2000 large.hrry
    ranks 2 job check large.hrry A large.hrry 1e-5 -pc_type gamg -ksp_rtol 1e-10
    say "more bytes than MPI can count"
    ranks 2 hostile messages 2147483653 1073741824
    ;;
*) die "no part $part" ;;
esac
say "good"
