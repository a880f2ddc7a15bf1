#!/bin/bash
# SPDX-License-Identifier: MIT
# Points of recorded vectors: markers with counts over all threads, by a reader of its own; and the same places in a
# recording of another run.
. "$(dirname "$0")/../lib.sh"
# The dynamic loader's instructions depend on the environment, which is always the same here.
fixed=(env -i PATH="$PATH" LC_ALL=C)
# run NAME INTERVAL OPTIONS -- PROGRAM ARGUMENT...: makes NAME.vectors, and NAME.trace of another run.
run() {
	local name=$1 interval=$2 options=$3
	shift 4
	# shellcheck disable=SC2086
	"${fixed[@]}" "${recorder[@]}" -q --vectors --interval="$interval" $options -o "$work/$name.vectors" -- "$@" >/dev/null
	"${fixed[@]}" "${recorder[@]}" -q -o "$work/$name.trace" -- "$@" >/dev/null
}
# points NAME EACH OPTIONS: chooses points, and checks their files.
points() {
	local name=$1 each=$2 options=$3 factor=2 word
	for word in $options; do [ "${word%=*}" = --warmup-factor ] && factor=${word#*=}; done
	# shellcheck disable=SC2086
	check "$name $options" "$BIN/trace-simpoint" -q $options -o "$work/$name" \
		--save-looppoint="$work/$name.looppoint.json" "$work/$name.vectors"
	check "$name $options read" /usr/bin/python3 "$(dirname "$0")/check_run_regions.py" "$work/$name.vectors" \
		"$work/$name" "$each" "$factor"
}
# same_places NAME: the markers of the plan are in another run at the same instructions, which the program repeats.
same_places() {
	"$BIN/trace-cut" --force --format=json --simpoints="$work/$1.json" -o "$work/$1.slice" "$work/$1.trace" >"$work/cut" 2>"$work/err"
	check "$1 same_places" /usr/bin/python3 - "$work/$1.json" "$work/cut" <<-'END'
		import json, sys
		points, slices = (json.load(open(name))[what] for name, what in zip(sys.argv[1:], ("points", "slices")))
		assert [(p["start"], p["end"]) for p in points] == [(s["first"], s["first"] + s["instructions"]) for s in slices]
	END
}

run regions 10k '' -- "$PROGRAMS/regions"
for factor in 0 2 5; do points regions 1 "-k 3 --warmup-factor=$factor"; done
same_places regions
points regions 2 '-k 2 --interval=20k'
same_places regions
run exact 10k '--boundary=exact' -- "$PROGRAMS/regions"
points exact 1 '-k 3'
same_places exact
run gzip 20k '' -- gzip -c LICENSE
points gzip 1 '-k 4'
run workers 10k '' -- "$PROGRAMS/workers" 3 20000
points workers 1 '-k 4'
points workers 2 '-k 3 --interval=20k'
# Several points of a cluster, and points of equal parts of the program.
points workers 1 '-k 2 --points-per-cluster=2'
points gzip 1 '--select=systematic:4'

# ---- two runs: markers that both execute equally often ----

# compare NAME OTHER OPTIONS REGEX: checks the plan; prints markers, failed ones, points there, steady intervals left.
compare() {
	check "compare $1 $2 $3" "$BIN/trace-simpoint" $3 -q -o "$work/both" "$work/$1.vectors" "$work/$2.vectors"
	cp "$work/.out" "$work/both.says"
	check "compare $1 $2 $3 read" /usr/bin/python3 "$(dirname "$0")/check_proven.py" "$work/$1.vectors" "$work/$2.vectors" \
		"$work/both.json"
	check_match "compare $1 $2 $3 found" "$4" "$work/.out"
}
run again 20k '' -- gzip -c LICENSE
compare gzip again '-k 4' '^[1-9][0-9]* 0 0 '
check_match compare.equal 'places where intervals end are executed equally often in ' "$work/both.says"
# The loop of the workers is longer in the other run, and nothing else is.
run busier 10k '' -- "$PROGRAMS/workers" 3 20100
compare workers busier '-k 2' '^[1-9][0-9]* [1-9]'
check_match compare.failed '^trace-simpoint: [1-9][0-9]* of the [0-9]+ places where intervals end are executed another number of times' "$work/both.says"
# Of other input, gzip's inner loops differ, and its start does not: points avoid what differs, if the start has an
# interval with two places that are executed equally often.
run longer 20k '' -- gzip -c LICENSE "$PROGRAMS/workers"
compare gzip longer '-k 1' '^[1-9][0-9]* [1-9][0-9]* (0 |1 0$)'
# ---- messages ----
"$BIN/trace-simpoint" --marker-limit=5 -o "$work/limited" "$work/gzip.vectors" >"$work/out" 2>"$work/err"
check_match limit.says '[1-9][0-9]* bounds of regions are executions above number 5 ' "$work/err"
check_status thread_vectors 3 "$BIN/trace-simpoint" --thread=0 --thread-vectors=sum "$work/workers.vectors"
check_match thread_vectors.says 'thread-vectors is for vectors of all threads' "$work/err"
check_status whole 1 "$BIN/trace-simpoint" --interval=1G "$work/workers.vectors"
check_match whole.says 'the program has no whole interval of 1,000,000,000 instructions' "$work/err"
check_status compare.no_vectors 3 "$BIN/trace-simpoint" "$work/gzip.vectors" "$work/gzip.trace"
check_match compare.no_vectors.says 'gzip.trace: has no basic block vectors with the ends' "$work/err"
check_status compare.three 2 "$BIN/trace-simpoint" "$work/gzip.vectors" "$work/gzip.vectors" "$work/gzip.vectors"
