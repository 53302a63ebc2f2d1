#!/bin/sh
# Builds the fuzz targets the way OSS-Fuzz asks for: from $CXX, $CXXFLAGS, $LIB_FUZZING_ENGINE and
# $SRC into $OUT, with seeds, dictionaries and options beside each. Links hurray::core's sources and
# nothing that is not in the image; Boost is used for its headers only.
set -eu

: "${CXX:?}" "${LIB_FUZZING_ENGINE:?}" "${OUT:?}" "${SRC:?}"
top=${HURRAY_SOURCE:-$SRC/hurray}
work=${WORK:-$OUT/work}
mkdir -p "$OUT" "$work"
# matrix_market is left out: it belongs to the program, not to hurray::core.
targets=${HURRAY_FUZZ_TARGETS:-open open_compact descriptor metadata view round_trip changing_source}

# compile SOURCE OBJECT
compile() {
    # shellcheck disable=SC2086
    "$CXX" ${CXXFLAGS:-} -std=c++20 -I"$top/include" -I"$top/src" -c "$1" -o "$2"
}

objects=
for source in "$top"/src/*.cpp; do
    name=$(basename "$source" .cpp)
    case $name in os | file | writer_file) continue ;; esac
    compile "$source" "$work/core_$name.o"
    objects="$objects $work/core_$name.o"
done
rm -f "$work/libhurray_core.a"
# shellcheck disable=SC2086
ar rcs "$work/libhurray_core.a" $objects

compile "$top/fuzz/use_file.cpp" "$work/use_file.o"
for target in $targets; do
    compile "$top/fuzz/$target.cpp" "$work/$target.o"
    shared=
    case $target in open | open_compact) shared=$work/use_file.o ;; esac
    # shellcheck disable=SC2086
    "$CXX" ${CXXFLAGS:-} "$work/$target.o" $shared "$work/libhurray_core.a" $LIB_FUZZING_ENGINE -lpthread \
        -o "$OUT/$target"
    case $target in view | round_trip) ;; *) cp "$top/fuzz/hurray.dict" "$OUT/$target.dict" ;; esac
    case $target in open) longest=131072 ;; *) longest=16384 ;; esac
    printf '[libfuzzer]\nmax_len = %s\ntimeout = 10\n' "$longest" >"$OUT/$target.options"
    (cd "$top/fuzz" && find "corpus/$target" "crashes/$target" -type f 2>/dev/null |
        zip -q -j -@ "$OUT/${target}_seed_corpus.zip")
done
