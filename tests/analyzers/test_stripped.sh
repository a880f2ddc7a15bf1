#!/bin/bash
# SPDX-License-Identifier: MIT
# Functions of stripped programs are named MODULE+0xADDRESS by their unwind information, or by
# targets of calls; and by their symbols, if debuginfod has fetched these.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1
export HOME=$work/home
unset DEBUGINFOD_CACHE_PATH XDG_CACHE_HOME

cat >whole.c <<'END'
#include <stdio.h>
static __attribute__((noinline)) int inner(int n) { return n ? n * 3 % 7 + inner(n - 1) : 0; }
static __attribute__((noinline)) int outer(int n) { return inner(n) + inner(n + 1); }
int main(void) { return printf("%d\n", outer(200)) < 0; }
END
build() { gcc -O1 -Wl,--build-id=sha1 "$@" whole.c -o whole && strip -o stripped whole; }

# address FUNCTION: its address as in the names.
address() { nm whole | sed -n "s/^0*\([0-9a-f]*\) . $1\$/\1/p"; }
# names: the names of all functions of the program.
names() { "$BIN/trace-mix" --by=symbol --top=10000 --format=csv "$1" | grep ',stripped,\|"stripped"\|stripped' | grep -o 'stripped+0x[0-9a-f]*\|\[unknown\]\|\<inner\>\|\<outer\>\|\<main\>' | sort -u; }

check_names() {
	local function
	for function in inner outer main; do
		check $1.$function grep -qx "stripped+0x$(address $function)" found
	done
	check_equal $1.no_unknown 0 "$(grep -c unknown found)"
}

build
"$BIN/trace-record" -q -o t -- ./stripped >out
names t >found
check_names unwound
"$BIN/trace-ibs" --period=144 --by=symbol --format=csv t | grep -o 'stripped+0x[0-9a-f]*' >ibs
check ibs grep -qx "stripped+0x$(address inner)" ibs
"$BIN/trace-slo" --format=csv --min-distance=0 --top=1000 t >slo
check_equal slo.no_unknown 0 "$(grep -c unknown slo)"
check info test "$("$BIN/trace-info" --format=csv t | wc -l)" -gt 3
"$BIN/trace-bbv" -q --interval-size=1000 --bb-out-file=bb --pc-out-file=pc t >out 2>&1
check_equal bbv.as_exp_bbv 0 "$(grep -c '+0x' pc)"

# Without unwind information, functions are the targets of calls.
objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr stripped bare 2>err && mv bare stripped
"$BIN/trace-record" -q --force -o t -- ./stripped >out
names t >found
for function in inner outer; do check called.$function grep -qx "stripped+0x$(address $function)" found; done

# Symbols that debuginfod has fetched; those of another build are not used.
build
id=$(readelf -n whole | sed -n 's/.*Build ID: //p')
mkdir -p "home/.cache/debuginfod_client/$id"
objcopy --only-keep-debug whole "home/.cache/debuginfod_client/$id/debuginfo"
"$BIN/trace-record" -q --force -o t -- ./stripped >out
names t >found
for function in inner outer main; do check cached.$function grep -qx "$function" found; done
build -DOTHER -g3
objcopy --only-keep-debug whole "home/.cache/debuginfod_client/$id/debuginfo"
gcc -O1 -Wl,--build-id=sha1 whole.c -o whole && strip -o stripped whole
"$BIN/trace-record" -q --force -o t -- ./stripped >out
names t >found
check other_build grep -qx "stripped+0x$(address inner)" found
