#!/bin/bash
# SPDX-License-Identifier: MIT
# Traces with many records of a kind take time and memory in proportion: quadratic costs would exceed
# the time limits, or these address spaces.
. "$(dirname "$0")/../lib.sh"
if grep -q __asan "$BIN/trace-dump"; then
	echo "ok the sanitizer needs all addresses"
	exit
fi
cd "$work" || exit 1
many=$BIN/../tests/many_of

# Each thread ends before the next one begins, so its memory is used again.
"$many" threads "$(quick_or_full 3000 20000)" threads.trace
check threads.dump timeout $patience prlimit --as=400000000 "$BIN/trace-dump" threads.trace
check threads.mix timeout $patience prlimit --as=400000000 "$BIN/trace-mix" threads.trace
check threads.info timeout $patience prlimit --as=400000000 "$BIN/trace-info" -t threads.trace

# A child begins with the objects of its parent; their number is limited.
"$many" forks 6000 forks.trace
check_status forks.objects 0 timeout $patience "$BIN/trace-slo" --data forks.trace
check_match forks.told 'were begun with by processes' err

# Mappings at random addresses, each of which stays, and which others cover.
"$many" mappings "$(quick_or_full 300000 1000000)" mappings.trace
limit=$(quick_or_full 60 300)	# s of CPU time
check mappings.objects prlimit --cpu="$limit" "$BIN/trace-slo" --data mappings.trace
check mappings.region prlimit --cpu="$limit" "$BIN/trace-ibs" --period=144 --by=region mappings.trace
check mappings.cut prlimit --cpu="$limit" "$BIN/trace-cut" --from=1 --count=1 -o cut mappings.trace

# Threads take turns: more of them have files of vectors than may be open, and all files are complete.
"$many" turns 100 turns.trace
vectors() {
	mkdir "$1" && (cd "$1" && ulimit -n "$2" && "$BIN/trace-bbv" --interval=1 "${@:3}" ../turns.trace)
}
check vectors.many vectors many 400
check vectors.few vectors few 32
check vectors.same diff -r many few
check vectors.number test "$(ls few | wc -l)" = 101
check vectors.packed vectors packed 32 --compress=gzip
check vectors.unpacked test "$(gzip -dc packed/bb.out.7.50.gz)" = "$(cat many/bb.out.7.50)"

# Processes with the same pid have separate files.
"$many" threads 20 threads.trace
check again "$BIN/trace-bbv" --interval=1 --bb-out-file=again threads.trace
check again.names test "$(ls again again.9 again.9-* | wc -l)" = 21
