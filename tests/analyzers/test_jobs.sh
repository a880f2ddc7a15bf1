#!/bin/bash
# SPDX-License-Identifier: MIT
# Analyses that are merged from parts give the result of one pass: small chunks, so that a stream is
# cut in many places; several threads and processes; a different number of parts each time.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1

record() { # record NAME OPTIONS... -- PROGRAM...
	"$BIN/trace-record" -q --chunk=3000 -o "$1.trace" "${@:2}" >/dev/null 2>"$1.log"
}
record reps -- "$PROGRAMS/reps"
record threads --threads=serial -- "$PROGRAMS/threads"
record processes --follow -- sh -c 'ls /; echo x | sort'

for trace in reps threads processes; do
	for analyzer in itypes footprint stride reg; do
		"$BIN/trace-$analyzer" --jobs=1 --format=json $trace.trace >one 2>one.log
		check $trace.$analyzer.counts grep -q executions one
		for jobs in 2 3 17; do
			"$BIN/trace-$analyzer" --jobs=$jobs --format=json $trace.trace >got 2>got.log
			check "$trace.$analyzer.$jobs" cmp one got
		done
	done
done
