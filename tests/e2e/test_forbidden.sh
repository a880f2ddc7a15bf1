#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs that forbid themselves features that the recorder's code uses: they run as they do natively, with
# either backend, recorded and in parts that --skip leaves out.
. "$(dirname "$0")/e2e.sh"
ulimit -c 0

ways=(time handler fork alignment code key writable executable)
# mlockall locks the recorder's memory, too, which a small RLIMIT_MEMLOCK refuses: trace-record(1).
if [ "$(id -u)" = 0 ] || [ "$(ulimit -l)" = unlimited ]; then
	ways+=(locked)
fi
for way in "${ways[@]}"; do
	check_same $way $way.trace -- "$PROGRAMS/forbids" $way
	check $way.verify "$BIN/trace-verify" -q $way.trace
	check_same $way.skipped skipped.trace --every=3k --for=300 -- "$PROGRAMS/forbids" $way
done
for way in handler code key; do
	check_same $way.stepped stepped.trace --backend=step --from=main -- "$PROGRAMS/forbids" $way
done
