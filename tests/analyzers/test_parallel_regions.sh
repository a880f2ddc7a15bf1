#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-simpoint --interval-mark=parallel: slices from one parallel region to the next, of all threads.
. "$(dirname "$0")/../lib.sh"
simpoint=$BIN/trace-simpoint
entry=$(nm "$PROGRAMS/barriers" | sed -n 's/^\([0-9a-f]*\) T GOMP_parallel$/\1/p')
steps() { "$BIN/trace-dump" --format=csv --no-events "$1" | sed 1d | cut -d, -f3,4 --output-delimiter=' '; }

"${recorder[@]}" -q -o "$work/b.trace" -- "$PROGRAMS/barriers" >/dev/null
for options in '-k 3' '-k 9' '-k 9 --warmup-factor=0'; do
	check "points $options" "$simpoint" --interval-mark=parallel -q $options -o "$work/b" "$work/b.trace"
	cp "$work/.out" "$work/says"
	check "points $options right" /usr/bin/python3 "$(dirname "$0")/check_parallel.py" "$BIN" "$work/b.trace" "$work/b" "$entry"
	check_match "points $options number" '^9 ' "$work/.out"
done
# The region that does nothing is a cluster of its own, and too small for a point.
check_match dropped '^9 [0-9] 1$' "$work/.out"
check_match dropped.says 'no point stands for 1 cluster with less than 0.5 % of the instructions each, together 0\.[0-9]+ %' "$work/says"

# Distances of accesses.
for options in '' --memory=distances; do
	"$simpoint" --interval-mark=parallel -q $options -k 3 --save-json="$work/plan$options.json" "$work/b.trace" 2>/dev/null
done
check distances /usr/bin/python3 "$(dirname "$0")/check_distances.py" "$BIN" "$work/b.trace" "$entry" "$work/plan.json" \
	"$work/plan--memory=distances.json"

check cut "$BIN/trace-cut" -q --simpoints="$work/b.json" -o "$work/b" "$work/b.trace"
steps "$work/b.trace" >"$work/steps"
/usr/bin/python3 -c 'import json, sys
for p in json.load(open(sys.argv[1]))["points"]: print(p["cluster"], p["start"], p["end"] - p["start"])' "$work/b.json" >"$work/parts"
while read -r cluster from count; do
	check "cut $cluster" cmp <(steps "$work/b.$cluster.trace") <(tail -n +$((from + 1)) "$work/steps" | head -n "$count")
done <"$work/parts"
check cut.some test "$(wc -l <"$work/parts")" -gt 2
check same_by_marker "$BIN/trace-cut" -q --simpoints="$work/b.pc.csv" -o "$work/m" "$work/b.trace"
read -r cluster _ <"$work/parts"
check same_by_marker.slice cmp <("$BIN/trace-dump" "$work/b.$cluster.trace") <("$BIN/trace-dump" "$work/m.$cluster.trace")

# Another run records the slices of the plan: each but the first begins with the entry.
check again "${recorder[@]}" -q --points="$work/b.json" --warmup=0 -o "$work/again" -- "$PROGRAMS/barriers"
while read -r cluster from _; do
	expected=$(printf '0x%x' $((0x$entry)))
	[ "$from" -gt 0 ] || continue
	check_equal "again $cluster" "$expected" "$(steps "$work/again.$cluster.trace" | head -n 1 | cut -d' ' -f2)"
done <"$work/parts"

# ---- what has no parallel regions ----

"${recorder[@]}" -q -o "$work/none.trace" -- "$PROGRAMS/calls" >/dev/null
check_status none 1 "$simpoint" --interval-mark=parallel "$work/none.trace"
check_match none.says 'none.trace: enters no parallel region of OpenMP' "$work/err"
"${recorder[@]}" -q --vectors --interval=10k -o "$work/v.trace" -- "$PROGRAMS/barriers" >/dev/null
check_status vectors 3 "$simpoint" --interval-mark=parallel "$work/v.trace"
check_match vectors.says '--interval-mark needs executions' "$work/err"
check_status file 2 "$simpoint" --interval-mark=parallel "$(dirname "$0")/simpoint/phases.bb"
check_status interval 2 "$simpoint" --interval-mark=parallel --interval=10k "$work/b.trace"
