#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-mix of recorded basic block vectors has the totals and tables of trace-mix of all executions.
. "$(dirname "$0")/../lib.sh"
golden=$(cd "$(dirname "$0")/../golden" && pwd)

# both PROGRAM...: records all.trace and vectors.trace of two runs.
both() {
	"${recorder[@]}" -q --force -o "$work/all.trace" -- "$@" >/dev/null 2>&1
	"${recorder[@]}" -q --force --vectors --interval=10k -o "$work/vectors.trace" -- "$@" >/dev/null 2>&1
}
# table TRACE COLUMNS OPTION...: these columns of the CSV table, "-": all.
table() {
	local trace=$1 columns=$2
	shift 2
	"$BIN/trace-mix" --format=csv --top=100000 "$@" "$work/$trace.trace" 2>"$work/err" | cut -d, -f"$columns"
}
same() {
	local name=$1 columns=$2
	shift 2
	check "same $name $*" cmp <(table all "$columns" "$@" | sort) <(table vectors "$columns" "$@" | sort)
	check "there $name $*" test "$(table vectors "$columns" "$@" | wc -l)" -gt 1
}

for program in branches calls locks addresses; do
	both "$PROGRAMS/$program"
	for by in class mnemonic symbol line module; do same $program 1- --by=$by; done
	check_equal "silent $program" '' "$(cat "$work/err")"
	check "same $program total" cmp <(table all 1- --by=total) <(table vectors 1- --by=total)
	same "$program thread" 1- --by=class --thread=0
	check "jobs $program" cmp <(table vectors 1-) <(table vectors 1- --jobs=3)
done

# Operands whose extent the vectors do not have: executions and branches are the same, and a message says what is not.
for program in strings regions mutual kernels_o2; do
	both "$PROGRAMS/$program"
	same $program 1- --by=class
	same $program 1,2,7,8,9 --by=mnemonic
	table vectors 1- --by=class >/dev/null
	check_match "unmeasured $program" 'only basic block vectors, so the accesses of [0-9]+ executions of string, .* are not counted; trace-record without --vectors records them' "$work/err"
	check_match "unmeasured $program total" '^unmeasured operands +[1-9]' <("$BIN/trace-mix" "$work/vectors.trace" 2>/dev/null)
	check_equal "unmeasured $program repetitions" '' "$("$BIN/trace-mix" "$work/vectors.trace" 2>/dev/null | grep repetitions)"
done

# A branch to the next instruction, of which vectors do not say whether it was taken.
both "$PROGRAMS/transfers"
same transfers 1- --by=class
same transfers 1,3-6,9 --by=mnemonic

# Options that need executions are refused.
for options in --interval=10k --threads=each --by=thread --from=5 --count=5; do
	check_status "refused $options" 3 "$BIN/trace-mix" $options "$work/vectors.trace"
	check_match "refused $options says" 'need executions, which trace-record records without --vectors' "$work/err"
done

# ---- vectors that were removed, in a file whose hashes are right ----
for version in v1.5 v1.6; do
	for part in 0 1; do
		"$BIN/../tests/edit_trace" "$golden/$version/intervals.trace" "$work/removed.trace" drop:VECTORS:$part
		for command in 'verify' 'info' 'mix -q' 'simpoint -q -k 2'; do
			check_status "removed.$version.$part.${command%% *}" 1 "$BIN"/trace-$command "$work/removed.trace"
			check_match "removed.$version.$part.${command%% *}.says" \
				'removed.trace: contradicts itself: its vectors have [0-9]+ instructions, its META says 1600004' "$work/err"
		done
	done
	check whole.$version "$BIN/trace-mix" -q "$golden/$version/intervals.trace"
done

# ---- totals in META that are not those of the vectors ----
for intervals in 0 15 17 4000000000; do
	echo "vectors.intervals: $intervals" >"$work/meta"
	"$BIN/../tests/edit_trace" "$golden/v1.6/intervals.trace" "$work/stated.trace" add:META:"$work/meta"
	for command in verify info; do
		check_status "stated.$intervals.$command" 1 "$BIN"/trace-$command "$work/stated.trace"
		check_match "stated.$intervals.$command.says" \
			"stated.trace: contradicts itself: its vectors have 16 intervals, its META says $intervals\$" "$work/err"
	done
	check_equal "stated.$intervals.shown" "16 false" \
		"$(info "$work/stated.trace" vector_intervals) $(info "$work/stated.trace" complete)"
done

# trace-info takes the filtered instructions from the intervals.
for filtered in 0 1600003 1600005 18446744073709551615; do
	echo "vectors.filtered: $filtered" >"$work/meta"
	"$BIN/../tests/edit_trace" "$golden/v1.6/intervals.trace" "$work/stated.trace" add:META:"$work/meta"
	for command in verify info; do
		check_status "filtered.$filtered.$command" 1 "$BIN"/trace-$command "$work/stated.trace"
		check_match "filtered.$filtered.$command.says" \
			"contradicts itself: its vectors have 1600004 filtered instructions, its META says $filtered\$" "$work/err"
	done
	check_equal "filtered.$filtered.shown" "1600004 false" \
		"$(info "$work/stated.trace" vector_filtered) $(info "$work/stated.trace" complete)"
done

# An unfinished trace has no totals in META: trace-info adds up its vectors.
"$BIN/../tests/edit_trace" "$golden/v1.6/intervals.trace" "$work/open.trace" drop:VECTORS:1 open
check_status open 0 "$BIN/trace-info" "$work/open.trace"
check_equal open.instructions "$("$BIN/trace-mix" -q "$work/open.trace" 2>/dev/null | sed -n 's/^instructions *//p')" \
	"$("$BIN/trace-info" "$work/open.trace" 2>/dev/null | sed -n 's/^vector instructions *//p')"
