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

# agree TRACE DUMP OPTION...: the reader with these options prints the file DUMP.
agree()
{
	trace=$1
	dump=$2
	shift 2
	if ! /usr/bin/python3 "$reader" "$@" "$trace" >"$work/reader"; then
		fault "$trace: reader.py $* fails"
	elif ! cmp -s "$dump" "$work/reader"; then
		fault "$trace: trace-dump (<) and reader.py $* (>) differ:"
		diff "$dump" "$work/reader" | head -n 6 >&2
	fi
}

for trace in "$@"; do
	"$BIN/trace-dump" --format=jsonl "$trace" >"$work/dump" || fault "$trace: trace-dump fails"
	agree "$trace" "$work/dump"
	agree "$trace" "$work/dump" --walk
	for thread in $(grep -o '"thread":[0-9]*' "$work/dump" | sort -u | tr -dc '0-9\n'); do
		"$BIN/trace-dump" --format=jsonl --thread="$thread" "$trace" >"$work/thread" ||
			fault "$trace: trace-dump --thread=$thread fails"
		agree "$trace" "$work/thread" --thread="$thread"
	done
	/usr/bin/python3 "$reader" --info "$trace" >/dev/null || fault "$trace: reader.py --info fails"
done
[ "$faults" -eq 0 ]
