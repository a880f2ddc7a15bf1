#!/bin/bash
# SPDX-License-Identifier: MIT
# Signals faster than they can be delivered: the program still comes to its end. Programs that wait
# for all signals get them all.
. "$(dirname "$0")/e2e.sh"

# comes_to_its_end WAY COUNT [OPTION...]
comes_to_its_end() {
	local way=$1 count=$2
	shift 2
	check "$way${*:+.}$*" timeout $patience "${recorder[@]}" -q --force -o "$way.trace" "$@" -- \
		"$PROGRAMS/rapid" "$way" "$count"
	check_equal "$way.says" ok "$(tail -n 1 "$work/.out")"
	check "$way.verify" "$BIN/trace-verify" -q "$way.trace"
}

for way in interval nested jumping timers thread faults files; do
	comes_to_its_end $way 200000
done
comes_to_its_end calling 2000
comes_to_its_end interval 200000 --every=100k --for=10k
comes_to_its_end interval 200000 --threads=serial
for way in interval nested jumping; do
	comes_to_its_end $way 100 --backend=step --from=main
done
check_same again again.trace -- "$PROGRAMS/rapid" again 200
check_same queued queued.trace -- "$PROGRAMS/rapid" queued 300

# Other processes use the CPU most of the time: the program still makes progress between two signals, and
# its handlers return.
cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')
busy=()
for i in 1 2 3; do
	taskset -c "$cpu" sh -c 'while :; do :; done' &
	busy+=($!)
done
recorder=(taskset -c "$cpu" "${recorder[@]}")
comes_to_its_end nested 200000
kill "${busy[@]}"
wait "${busy[@]}" 2>/dev/null || :
