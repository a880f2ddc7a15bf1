#!/bin/bash
# SPDX-License-Identifier: MIT
# Traces that have many of something take time and memory in proportion: what grows with the square would
# not end in time, or within these address spaces.
. "$(dirname "$0")/../lib.sh"
if grep -q __asan "$BIN/trace-dump"; then
	echo "ok the sanitizer needs all addresses"
	exit
fi
cd "$work" || exit 1
many=$BIN/../tests/many_of

# Each thread is over before the next one begins, so its memory is used again.
"$many" threads "$(quick_or_full 3000 20000)" threads.trace
check threads.dump timeout 300 prlimit --as=400000000 "$BIN/trace-dump" threads.trace
check threads.mix timeout 300 prlimit --as=400000000 "$BIN/trace-mix" threads.trace
check threads.info timeout 300 prlimit --as=400000000 "$BIN/trace-info" -t threads.trace

# A process that forks begins each child with its objects, but not without end.
"$many" forks 6000 forks.trace
check_status forks.objects 0 timeout 300 "$BIN/trace-slo" --data forks.trace
check_match forks.told 'were begun with by processes' err
