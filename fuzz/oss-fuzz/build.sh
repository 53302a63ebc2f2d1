#!/bin/bash -eu
sh "$SRC/hurray/fuzz/oss_fuzz.sh"
