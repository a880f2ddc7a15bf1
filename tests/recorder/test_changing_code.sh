#!/bin/bash
# SPDX-License-Identifier: MIT
# Code that changes while the program runs: the last written code executes, each version is in
# the trace, and for programs short enough to be stepped, both backends record the same.
. "$(dirname "$0")/backends.sh"
rewrites="$PROGRAMS/rewrites"

for how in writable own twice protected mapped-over read; do
	same $how --from=main -- "$rewrites" $how
	check $how.long_enough [ "$instructions" -gt 400 ]
done
same forked --follow --from=main -- "$rewrites" forked
[ $other = translate ] || exit 0

# Each version's bytes are in the trace: its one instruction loads 0, 1, 4, 5, 8, 9 ... or 37.
record translate versions 0 --from=main -- "$rewrites" writable
"$BIN/trace-dump" --bytes --no-events versions.trace | awk '$4 == "mov" { print $2, $3 }' | sort -u >moves
check_equal versions.bytes 20 "$(cut -d' ' -f1 moves | uniq -c | sort -n | awk 'END { print $1 }')"

runs often -- "$rewrites" often
runs often.checked --self-check -- "$rewrites" often
runs threads -- "$rewrites" threads
runs threads.checked --self-check -- "$rewrites" threads
