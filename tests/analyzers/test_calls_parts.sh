#!/bin/bash
# SPDX-License-Identifier: MIT
# Call trees that are merged from parts give the bytes of one pass: parts begin inside of calls, longjmp and coroutines
# leave calls of earlier parts, and parts begin in signal handlers.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1

record() { # record NAME OPTIONS... -- PROGRAM...
	"$BIN/trace-record" -q --chunk=400 -o "$1.trace" "${@:2}" >/dev/null 2>"$1.log"
}
# merged_as_one TRACE PARTS OPTION... -- REPORT-OPTION...: the parts are merged two by two, then all.
merged_as_one() {
	local name=$1 n=$2 label=$1.$2$3 i options=()
	shift 2
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	"$BIN/trace-calls" "${options[@]}" "$@" --format=json "$name.trace" >one 2>one.log
	check "$label.counts" [ "$(wc -c <one)" -gt 1000 ]
	rm -f p.* q.*
	for ((i = 0; i < n; i++)); do
		"$BIN/trace-calls" "${options[@]}" --part=$i/$n --partial=p.$i "$name.trace" >>parts.log 2>&1
	done
	for ((i = 0; i + 1 < n; i += 2)); do
		"$BIN/trace-merge" --partial=q.$i p.$((i + 1)) p.$i >>parts.log 2>&1
		rm -f p.$i p.$((i + 1))
	done
	"$BIN/trace-merge" --format=json q.* $([ ! -e p.$((n - 1)) ] || echo p.$((n - 1))) -- "$@" >got 2>got.log
	check "$label" cmp one got
}

all=(--top=100000 --threshold=0)
record coroutines -- "$PROGRAMS/coroutines"
record flow --no-addresses -- "$PROGRAMS/coroutines"
record paths -- "$PROGRAMS/call_paths"
record handlers -- "$PROGRAMS/handlers"
record threads --threads=serial --from=main --count=25k -- "$PROGRAMS/threads"
merged_as_one coroutines 23 -- "${all[@]}"
merged_as_one coroutines 6 --fold-recursion -- "${all[@]}"
merged_as_one flow 9 -- "${all[@]}"
merged_as_one paths 7 -- "${all[@]}"
merged_as_one handlers 12 -- "${all[@]}"
merged_as_one threads 5 --per=thread -- "${all[@]}"
merged_as_one threads 3 -- --syscalls
merged_as_one paths 4 --export=pprof --
merged_as_one threads 3 --export=callgrind --
for trace in coroutines flow handlers threads; do
	"$BIN/trace-calls" "${all[@]}" --format=json $trace.trace >one 2>one.log
	for jobs in 2 16; do
		"$BIN/trace-calls" "${all[@]}" --jobs=$jobs --format=json $trace.trace >got 2>got.log
		check $trace.jobs.$jobs cmp one got
	done
done

for option in --heap --cost=misses --cost=cycles; do
	check_status refused$option 2 "$BIN/trace-calls" $option --part=0/2 --partial=p paths.trace
	check_match refused$option.says 'results with these options cannot be made in parts' err
done
"$BIN/trace-calls" --part=0/2 --partial=p.0 paths.trace
"$BIN/trace-calls" --per=thread --part=1/2 --partial=p.1 paths.trace
check_status other_options 1 "$BIN/trace-merge" p.0 p.1
check_match other_options.says "p.1: its option text is 'per=thread" err
