#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs that handle signals, and programs that die of them.
. "$(dirname "$0")/e2e.sh"
ulimit -c 0

for program in handlers signals traps; do
	check_same $program $program.trace -- "$PROGRAMS/$program"
	check_whole $program $program.trace
done
# 3 signals SIGSEGV, with the addresses 8, 16, 24, and a handler that is left by siglongjmp
check_equal handlers.faults '"address":"0x8" "address":"0x10" "address":"0x18"' \
	"$(events handlers.trace signal | grep '"name":"SIGSEGV"' | grep -o '"address":"[^"]*"' | xargs -d '\n')"
# Each handler that returns does so by rt_sigreturn, which goes on at the interrupted pc.
listing handlers.trace --events | /usr/bin/python3 -c '
import json, sys
stack = []
returns = 0
for item in map(json.loads, sys.stdin):
    if item.get("event") == "signal" and item["handler"] != "0x0":
        stack.append(item["pc"])
    elif item.get("event") == "sigreturn":
        while stack and stack[-1] != item["pc"]:
            stack.pop()          # a handler left by siglongjmp
        if not stack:
            sys.exit("a sigreturn to " + item["pc"] + ", where nothing was interrupted")
        stack.pop()
        returns += 1
sys.exit(returns < 8)' >log 2>&1
check_equal handlers.return_where_they_were_called 0 $?

# dies NAME STATUS SIGNAL [HOW...]
dies() {
	local name=$1 status=$2 signal=$3
	shift 3
	check_same "$name" "$name.trace" -- "$PROGRAMS/dies" "$@"
	check_equal "$name.passed_on" "$status" "$recorded"
	check_whole "$name" "$name.trace"
	check_equal "$name.exit_signal" $((status - 128)) "$(info "$name.trace" exit_signal)"
	check_equal "$name.signal" "$signal" "$(events "$name.trace" signal | tail -n 1 |
		sed -n 's/.*"name":"\([A-Z0-9]*\)".*/\1/p')"
}

dies null 139 SIGSEGV null
dies jump 139 SIGSEGV jump
dies abort 134 SIGABRT abort
dies divide 136 SIGFPE divide
dies illegal 132 SIGILL illegal
dies trap 133 SIGTRAP trap
dies terminated 143 SIGTERM kill 15
dies user 138 SIGUSR1 kill 10
dies closed 141 SIGPIPE closed
dies sent 139 SIGSEGV kill 11
check_same killed killed.trace -- "$PROGRAMS/dies" kill 9
check_whole killed killed.trace
check_match null.address '"name":"SIGSEGV","code":1,"address":"0x8"' <(events null.trace signal)
check_match jump.address '"address":"0x10","pc":"0x10","handler":"0x0"' <(events jump.trace signal)

# A signal from kill() has no address: siginfo has the sender's pid and user in that place.
check_match sent.no_address '"name":"SIGSEGV","code":(0|-[0-9]+),"address":"0x0"' <(events sent.trace signal)

# The faulting instruction is not in the trace, whose last instruction is the one before.
pc=$(events null.trace signal | sed 's/.*"pc":"\([^"]*\)".*/\1/')
check_equal null.not_executed 0 "$(code null.trace | grep -c ",$pc,")"

# The program stops itself and is continued from outside: only SIGCONT may continue it.
"${recorder[@]}" -q -o stopped.trace -- sh -c 'echo $$ >pid; kill -STOP $$; echo continued' >out &
tracer=$!
eventually [ -s pid ]
while kill -0 $tracer 2>/dev/null; do
	# A SIGCONT before the process stops would take the SIGSTOP away.
	! grep -q '^State:.[Tt]' "/proc/$(cat pid)/status" 2>/dev/null || kill -CONT "$(cat pid)" 2>/dev/null
	pause 0.05
done
wait $tracer
check_equal stopped.status 0 $?
check_equal stopped.out continued "$(cat out)"
check_whole stopped stopped.trace
check_match stopped.signal '"name":"SIGSTOP"' <(events stopped.trace signal)

# A handler that a program with threads sets before its recording begins stays the program's.
for backend in translate step; do
	check_status from.$backend 7 "$BIN/trace-record" -q --backend=$backend -o from.$backend.trace \
		--from=cbrt -- "$PROGRAMS/late_library"
	check_match from.$backend.handler '"name":"SIGSEGV".*"handler":"0x[1-9a-f]' \
		<(events from.$backend.trace signal)
done

# Signals to the recorder: SIGTERM goes to the program; SIGINT is the terminal's, for both.
"${recorder[@]}" -q -o term.trace -- "$PROGRAMS/waits" >waits.out &
tracer=$!
eventually [ -s waits.out ]
kill -INT $tracer
kill -TERM $tracer
wait $tracer
check_equal term.status 143 $?
check_whole term term.trace
