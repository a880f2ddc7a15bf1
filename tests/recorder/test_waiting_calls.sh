#!/bin/bash
# SPDX-License-Identifier: MIT
# Threads that block in system calls behave as natively while other threads are counted, also if intervals end
# meanwhile; and their calls do not stop them.
. "$(dirname "$0")/backends.sh"

# behaves NAME MODE [OPTION...]: recorded with the options, the program prints what it prints natively.
behaves() {
	local name=$1 mode=$2
	shift 2
	check_status $name 0 timeout $patience "$BIN/trace-record" -q --force -o $mode.trace "$@" -- "$PROGRAMS/futexes" $mode
	check $name.same cmp $mode.native out
	check $name.verify "$BIN/trace-verify" -q $mode.trace
}

for mode in timeouts signals locks requeue cancellation leave; do
	"$PROGRAMS/futexes" $mode >$mode.native
	check $mode.native test -s $mode.native
	behaves $mode.counted $mode --vectors --interval=1M
	is_quick && continue
	[ $mode = leave ] || behaves $mode.skipped $mode --skip=300k
	behaves $mode.whole $mode
	behaves $mode.turns $mode --vectors --interval=100k --boundary=exact
	behaves $mode.loops $mode --vectors --interval=1M --boundary=loop
	behaves $mode.serial $mode --threads=serial
done
behaves loops timeouts --vectors --interval=100k --boundary=loop

# Threads that take turns to wait execute the same instructions, wherever intervals end.
counts() {
	"$BIN/trace-bbv" --format=csv --quiet --bb-out-file=x.bb --instr-count-only "$1" 2>/dev/null |
		awk -F, '$1 ~ /^[0-9]+$/ && ($2 == 1 || $2 == 2) { print $2, $5 }'
}
"$PROGRAMS/futexes" pipes >pipes.native
behaves pipes.whole pipes --no-addresses
counts pipes.trace >pipes.counts
behaves pipes.counted pipes --vectors --interval=300k
check pipes.counts [ "$(wc -l <pipes.counts)" = 2 ]
check_equal pipes.instructions "$(cat pipes.counts)" "$(counts pipes.trace)"

# Together, threads that run at the same time skip exactly as many instructions. The last 100,000 or so are executed in
# turns.
behaves skipped pipes --no-addresses --skip=200k
check_equal skipped.instructions 200000 "$("$BIN/trace-dump" --events --format=jsonl pipes.trace 2>/dev/null |
	sed -n 's/.*"event":"gap".*"instructions":\([0-9]*\).*/\1/p' | awk '{ n += $1 } END { print n }')"

# 4000 calls of two threads, most of which wait.
resumed() {
	"$BIN/trace-record" --force --stats -o few.trace "$@" 2>&1 >/dev/null |
		sed -n 's/.*, \([0-9,]*\) times resumed.*/\1/p' | tr -d ,
}
n=$(resumed --vectors --interval=10000M -- "$PROGRAMS/futexes" pipes)
check few_stops [ "${n:-1000000}" -lt 2000 ]
