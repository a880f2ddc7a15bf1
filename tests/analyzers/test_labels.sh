#!/bin/bash
# One label, one number: facts of the same name in the results of several analyzers are equal.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
golden=$here/../golden
cd "$work" || exit 1
"$BIN/trace-record" -q -o sort.trace -- sort "$here/../lib.sh" >/dev/null
"$BIN/trace-record" -q -o reps.trace -- "$PROGRAMS/reps" >/dev/null
"$BIN/trace-record" -q -o threads.trace -- "$PROGRAMS/threads" >/dev/null
"$BIN/trace-record" -q --follow -o forks.trace -- "$PROGRAMS/forks" 2 >/dev/null
commands=()
for name in mix itypes ilp ppm reg stride footprint stackdist slo info; do
	commands+=("$BIN/trace-$name")
done
for trace in sort.trace reps.trace threads.trace forks.trace "$golden"/v1.0/vectors.trace "$golden"/v1.4/*.trace; do
	check "labels.$(basename "$trace" .trace)" /usr/bin/python3 -B "$here/labels.py" "$trace" "${commands[@]}"
done
# MICA's memory touched and the cold blocks of stack distances differ for lanes and prefetches: so do the labels.
"$BIN/trace-footprint" sort.trace >text
check_match legend.instructions '^mica instructions .*a rep instruction that repeats 0 times counts none' text
check_match legend.executions '^executions .*each repetition of a rep instruction is one' text
check_match legend.bytes '^data blocks .*bytes' text
