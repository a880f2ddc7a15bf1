#!/bin/bash
# SPDX-License-Identifier: MIT
# Writes small ELF files with symbols, unwind information and source lines, and without some of them, into a
# folder: make_module_seeds.sh FOLDER.
set -eu
folder=$(cd "${1:?usage: make_module_seeds.sh FOLDER}" && pwd)
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/library.c" <<'CEND'
int g(int), v;
static inline int twice(int n) { return 2 * g(n); }
int f(int n) { for (int i = 0; i < n; i++) v += twice(i); return v; }
CEND

# library NAME OPTION...
library() {
	local name=$1
	shift
	gcc -nostdlib -shared -fPIC -O1 -Wl,--build-id "$@" -o "$folder/$name" "$work/library.c"
}
library lines -g
library lines-4 -gdwarf-4
library packed -g -gz=zlib
library packed-gnu -g -gz=zlib-gnu
library stripped -s
library without-id -g -Wl,--build-id=none
objcopy --add-gnu-debuglink="$folder/stripped" "$folder/stripped" "$folder/linked"
gcc -nostdlib -static -g -o "$folder/program" tests/programs/differs.S
