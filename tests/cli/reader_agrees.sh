#!/bin/sh
# SPDX-License-Identifier: MIT
#
# reader_agrees.sh TRACE...: the reader made from the specification, tests/reader.py, lists each
# trace as trace-dump does, byte for byte: merged, by INDEX and by walking the sections, and each
# thread by itself; and its own totals agree with those in the trace. BIN is the folder of commands.

: "${BIN:?is not set: the folder of commands}"
[ $# -gt 0 ] || { echo "usage: BIN=folder reader_agrees.sh TRACE..." >&2; exit 2; }
reader=$(dirname "$0")/../reader.py
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
faults=0

fault()
{
	echo "$*" >&2
	faults=$((faults + 1))
}

# agree TRACE LISTING DUMP: this listing of the reader is the dump.
agree()
{
	if ! cmp -s "$3" "$work/reader/$2"; then
		fault "$1: trace-dump (<) and reader.py, $2, (>) differ:"
		diff "$3" "$work/reader/$2" | head -n 6 >&2
	fi
}

for trace in "$@"; do
	rm -rf "$work/reader"
	mkdir "$work/reader"
	/usr/bin/python3 "$reader" --each "$work/reader" "$trace" || fault "$trace: reader.py fails"
	"$BIN/trace-dump" --format=jsonl "$trace" >"$work/dump" || fault "$trace: trace-dump fails"
	agree "$trace" merged "$work/dump"
	agree "$trace" walked "$work/dump"
	for thread in $(grep -o '"thread":[0-9]*' "$work/dump" | sort -u | tr -dc '0-9\n'); do
		"$BIN/trace-dump" --format=jsonl --thread="$thread" "$trace" >"$work/thread" ||
			fault "$trace: trace-dump --thread=$thread fails"
		agree "$trace" "thread.$thread" "$work/thread"
	done
done
[ "$faults" -eq 0 ]
