#!/bin/bash
# SPDX-License-Identifier: MIT
# On programs without libc trace-bbv's vectors are those of Valgrind, byte for byte, and so are
# the ids and addresses of its blocks.
. "$(dirname "$0")/../lib.sh"

summary() { sed -n 's/^==[0-9]*== #/#/p' "$1"; }

for name in blocks blocks-signals branches strings; do
	program=$PROGRAMS/$name trace=$work/$name.trace
	"$program"
	check_status "records_$name" $? "$BIN/trace-record" -o "$trace" -- "$program"
	for size in 1 7 100 1000 50000 100000; do
		valgrind --tool=exp-bbv --interval-size=$size --bb-out-file="$work/v.bb" \
			--pc-out-file="$work/v.pc" "$program" >"$work/v.log" 2>&1
		"$BIN/trace-bbv" --interval-size=$size --bb-out-file="$work/t.bb" \
			--pc-out-file="$work/t.pc" "$trace" >"$work/t.out" 2>"$work/t.log"
		check "vectors_$name.$size" cmp "$work/v.bb" "$work/t.bb"
		check_equal "places_$name.$size" "$(cut -d: -f1-3 "$work/v.pc")" \
			"$(cut -d: -f1-3 "$work/t.pc")"
		check_equal "summary_$name.$size" "$(summary "$work/v.log")" "$(summary "$work/t.log")"
	done
done
