#!/bin/sh
# Imitates the OSS-Fuzz environment: try_oss_fuzz.sh FOLDER
# Builds with Clang, libc++ and the address sanitizer and runs each program on its seeds.
set -eu

folder=${1:?}
top=$(cd "$(dirname "$0")/.." && pwd)
rm -rf "$folder"
mkdir -p "$folder/out" "$folder/work" "$folder/src"

export CXX="${CXX:-clang++}" SRC="$folder/src" OUT="$folder/out" WORK="$folder/work"
export HURRAY_SOURCE="$top" LIB_FUZZING_ENGINE=-fsanitize=fuzzer
export CXXFLAGS="-O1 -fno-omit-frame-pointer -gline-tables-only -stdlib=libc++ \
    -fsanitize=address -fsanitize-address-use-after-scope -fsanitize=fuzzer-no-link"
sh "$top/fuzz/oss_fuzz.sh"

for seeds in "$OUT"/*_seed_corpus.zip; do
    target=$(basename "$seeds" _seed_corpus.zip)
    mkdir -p "$folder/seeds/$target"
    unzip -q -o "$seeds" -d "$folder/seeds/$target"
    if ldd "$OUT/$target" | grep -i boost; then
        echo "$target needs a compiled Boost" >&2
        exit 1
    fi
    dictionary=
    [ ! -f "$OUT/$target.dict" ] || dictionary="-dict=$OUT/$target.dict"
    # shellcheck disable=SC2086
    "$OUT/$target" -runs=0 $dictionary "$folder/seeds/$target" 2>&1 | tail -n 1
done
