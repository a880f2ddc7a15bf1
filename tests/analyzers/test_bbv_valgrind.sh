#!/bin/bash
# SPDX-License-Identifier: MIT
# The vectors of trace-bbv on programs without libc are those of Valgrind, byte for byte, and so are
# the ids and addresses of its blocks. The programs are made for this test, or random.
# By hand, with the variables that tests/run.sh sets: test_bbv_valgrind.sh [SEEDS [FIRST]]
. "$(dirname "$0")/../lib.sh"
tests=$(cd "$(dirname "$0")" && pwd)
seeds=${1:-6} first=${2:-1}

summary() { sed -n 's/^==[0-9]*== #/#/p' "$1"; }

# compare NAME PROGRAM SIZE...
compare() {
	local name=$1 program=$2 trace=$work/t.trace size
	shift 2
	"$program"
	check_status "records_$name" $? "$BIN/trace-record" --force -o "$trace" -- "$program"
	for size; do
		valgrind --tool=exp-bbv --interval-size=$size --bb-out-file="$work/v.bb" \
			--pc-out-file="$work/v.pc" "$program" >"$work/v.log" 2>&1
		"$BIN/trace-bbv" --interval-size=$size --bb-out-file="$work/t.bb" \
			--pc-out-file="$work/t.pc" "$trace" >"$work/t.out" 2>"$work/t.log"
		check "vectors_$name.$size" cmp "$work/v.bb" "$work/t.bb"
		check_equal "places_$name.$size" "$(cut -d: -f1-3 "$work/v.pc")" \
			"$(cut -d: -f1-3 "$work/t.pc")"
		check_equal "summary_$name.$size" "$(summary "$work/v.log")" "$(summary "$work/t.log")"
	done
}

for name in blocks blocks-signals branches strings; do
	compare $name "$PROGRAMS/$name" 1 7 100 1000 50000 100000
done
fma=$(grep -qw fma /proc/cpuinfo && grep -qw avx2 /proc/cpuinfo && echo fma)
[ -z "$fma" ] || compare blocks-odd "$PROGRAMS/blocks-odd" 1 100
for ((seed = first; seed < first + seeds; seed++)); do
	/usr/bin/python3 -B "$tests/bbv_program.py" $seed 1500 $fma >"$work/p.S" &&
		gcc -nostdlib -static -Wl,-z,noexecstack -o "$work/random" "$work/p.S" || exit 1
	compare random$seed "$work/random" $((seed * seed * 7 + 2))
done
