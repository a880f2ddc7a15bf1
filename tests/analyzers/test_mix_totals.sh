#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-mix counts from static code what the recorder counted execution by execution: the totals
# in the trace must be the same, on real programs, with addresses and without.
. "$(dirname "$0")/../lib.sh"

mix() { "$BIN/trace-mix" --format=json "$@" | tr -d ' ",' >"$work/mix"; }
value() { sed -n "/^$1:[0-9]*$/{s/.*://p;q}" "$2"; }
# How many instructions a dump has of each mnemonic.
mnemonics() {
	tail -n +2 | cut -d, -f6 | tr -d '"' | sed -E 's/^((rep|repe|repne|lock|bnd|notrack) )+//' |
		awk '{ n[$1]++ } END { for (m in n) print n[m], m }' | sort
}

for program in "$PROGRAMS/branches" "$PROGRAMS/strings" "$PROGRAMS/vectors" "$PROGRAMS/fault" \
	/bin/true; do
	for mode in "" --no-addresses; do
		name=$(basename "$program")$mode
		"$BIN/trace-record" -q --force $mode -o "$work/t" -- "$program" >"$work/log" 2>&1
		"$BIN/trace-info" --format=json "$work/t" | tr -d ' ",' >"$work/info"
		mix "$work/t"
		for total in instructions loads stores prefetches; do
			check_equal "$name.$total" "$(value $total "$work/info")" "$(value $total "$work/mix")"
		done
		check_equal "$name.repetitions" "$(value repetitions "$work/info")" \
			"$(value string_repetitions "$work/mix")"
		check_equal "$name.classes" "$(value instructions "$work/info")" \
			"$(sed '1,/^classes/d' "$work/mix" | awk -F: '/^instructions/ { n += $2 } END { print n }')"
		check_equal "$name.unmeasured" "" "$(value unmeasured_operands "$work/mix")"
		cp "$work/mix" "$work/serial"
		mix -j4 "$work/t"
		check "$name.jobs" cmp "$work/serial" "$work/mix"
	done
	"$BIN/trace-dump" --intel --no-events --symbols=no --format=csv "$work/t" |
		mnemonics >"$work/dumped"
	"$BIN/trace-mix" --by=mnemonic --top=100000 --format=csv "$work/t" |
		awk -F, 'NR > 1 { print $1, $9 }' | sort >"$work/mix"
	check "$name.mnemonics" cmp "$work/dumped" "$work/mix"
	check "$name.mnemonics_there" [ -s "$work/mix" ]
done
