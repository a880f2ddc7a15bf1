#!/bin/bash
# SPDX-License-Identifier: MIT
# System calls without a stop are recorded like those with one, whatever comes in between.
. "$(dirname "$0")/../e2e/e2e.sh"
recorder=("$BIN/trace-record")

# told TRACE KIND: prints those events, of a trace that may be long.
told() {
	"$BIN/trace-dump" --events --format=jsonl "$1" 2>/dev/null | grep "\"event\":\"$2\""
}

# results TRACE [NAME]: prints the results of read(), or of other calls, in their order.
results() {
	told "$1" syscall-result | sed -n 's/.*"name":"'${2:-read}'".*"result":"\?\([-0-9]*\).*/\1/p'
}

for mode in many wait signal ignored exit; do
	check_same $mode $mode.trace -- "$PROGRAMS/enters" $mode
	check $mode.verify "$BIN/trace-verify" -q $mode.trace
done

# Each call has two events, with its number, even an unknown one.
told many.trace syscall >entered
told many.trace syscall-result >left
check_equal many.reads 7500 "$(results many.trace | tail -n 7500 | grep -c '^[0-9]')"
check_equal many.unknown 1250 "$(grep '"number":100000,' left | grep -c -e '-38')"
check_equal many.pairs "$(wc -l <entered)" $(($(wc -l <left) + 1))	# but for exit_group
# Times of events increase.
"$BIN/trace-dump" --events --format=jsonl many.trace | grep -o '"time_ns":[0-9]*' | cut -d: -f2 >times
check many.times sort -n -c times
check many.same_time [ $(($(tail -n 1 times) - $(head -n 1 times))) -lt 300000000000 ]
# Most calls have no stop.
"$BIN/trace-record" --force --stats -o many.trace -- "$PROGRAMS/enters" many >/dev/null 2>stats
resumed=$(sed -n 's/.*, \([0-9,]*\) times resumed.*/\1/p' stats | tr -d ,)
check many.few_stops [ "${resumed:-1000000}" -lt 7500 ]

# A call that waits is not interrupted.
check_equal wait.reads 0 "$(results wait.trace | grep -c -e -5)"
check_equal signal.results "-4 -512 1" "$(results signal.trace | tail -n 3 | xargs)"
# A wait that had to be interrupted is restarted, also if a signal interrupts it that would not do so natively.
check_same share share.trace --follow -- "$PROGRAMS/enters" share
for mode in share ignored; do
	check_equal $mode.results "-513 1" "$(results $mode.trace epoll_wait | uniq | xargs)"
done
is_quick || check_same stepped stepped.trace --backend=step -- "$PROGRAMS/enters" ignored
check_equal native 1 "$("$BIN/trace-record" --force -o native.trace --from=no_such_function -- \
	"$PROGRAMS/enters" ignored 2>/dev/null)"
check_equal exit.no_gap 0 "$(told exit.trace gap | wc -l)"
check_equal exit.unfinished 1 "$(($(told exit.trace syscall | grep -c '"name":"read"') -
	$(results exit.trace | wc -l)))"

# The events before a long wait are soon in the trace.
"$BIN/trace-record" -q --force --flush=0.1 -o pause.trace -- "$PROGRAMS/enters" pause &
pid=$!
for ((i = 0; i < 600; i++)); do
	[ "$(told pause.trace syscall | grep -c getppid)" != 100 ] || break
	pause 0.1
done
kill -KILL $pid
wait $pid 2>/dev/null
check pause.readable [ $i -lt 600 ]
