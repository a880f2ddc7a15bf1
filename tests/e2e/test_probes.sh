#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs that ask the kernel about themselves, and change settings: the answers are the native ones, but for
# those that trace-record(1) lists.
. "$(dirname "$0")/e2e.sh"
ulimit -c 0

# probe PROGRAM GROUP [OPTION...]
probe() {
	check_same "$2${3:-}" "$2.trace" --follow "${@:3}" -- "$PROGRAMS/$1" $2
}
for group in options set memory_map orphan executable clone clone3 personality; do
	probe probes_process $group
done
for group in proc registers segments cpuid signals memory patch ring; do
	probe probes_state $group
	[ $group != patch ] || cp native.out patch.native
done
probe probes_state registers --backend=step --from=main
probe probes_state segments --backend=step --from=main

# Code that the program writes despite protection, if the kernel lets it, is in the trace, each version as often as it
# ran.
written() { awk '/^written / && ++n && $2 == 1 { print n < 5 ? n + 1 : 7 }' patch.native; }
versions() {
	"$BIN/trace-dump" --no-events patch.trace | sed -n 's/.* mov $0x\([1-7]\), %eax.*/\1/p' | sort | uniq -c
}
check_equal patch.versions "$(echo 1 $(written))" "$(versions | awk '$1 >= 500 { print $2 }' | xargs)"
check patch.verify "$BIN/trace-verify" -q patch.trace

# Children that ask not to be traced are in the trace.
for option in --threads=parallel --threads=serial --backend=step; do
	probe probes_process untraced $option --from=main
	check_equal processes$option 3 "$(info untraced.trace processes)"
done
check_same unfollowed unfollowed.trace -- "$PROGRAMS/probes_process" untraced
