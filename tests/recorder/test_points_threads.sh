#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-record --points of a program with threads: a slice ends by the executions of all threads, so it has the filtered
# instructions of the first run's slice, however long its threads wait for each other.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1
program=$PROGRAMS/omp
export OMP_NUM_THREADS=2

meta() { "$BIN/trace-info" --meta "$1" | sed -n "s/^$2  *//p"; }

# of_program TRACE: prints how many instructions the program's own module has executed.
of_program() { "$BIN/trace-mix" --by=module --format=csv "$1" | awk -F, '/,omp$/ { print $1 }'; }

OMP_WAIT_POLICY=active check_status vectors 0 "$BIN/trace-record" -q --vectors --interval=10M --boundary=loop -o run.trace -- "$program" 200
check simpoint "$BIN/trace-simpoint" -q --k=2 -o run run.trace
OMP_WAIT_POLICY=passive check_status slices 0 "$BIN/trace-record" -q --points=run.json --warmup=100k -o slices/ -- "$program" 200
check several [ "$(ls slices | wc -l)" = 2 ]
for slice in slices/*; do
	name=${slice##*/}
	check "$name.verify" "$BIN/trace-verify" -q "$slice"
	filtered=$(meta "$slice" slice.filtered)
	check_equal "$name.analyzed" "$filtered" "$("$BIN/trace-mix" --filtered --region=simulation --format=json "$slice" |
		sed -n 's/.*"instructions": *\([0-9]*\).*/\1/p' | head -n 1)"
	difference=$(($(of_program "$slice") - filtered - 100000))
	check "$name.filtered" [ "$filtered" -gt 9000000 -a $((${difference#-} * 20)) -lt "$filtered" ]
done

# ---- without the trace of the first run, the code that is excluded by default is excluded ----
mv run.trace first.trace
check_status alone 0 "$BIN/trace-record" -q --points=run.json --warmup=0 --after=kill -o alone -- "$program" 200
for slice in alone.*.trace; do
	check "$slice.excluded" grep -q libgomp <<<"$(meta "$slice" excluded.0)"
done
