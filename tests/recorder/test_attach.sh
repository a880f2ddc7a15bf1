#!/bin/bash
# SPDX-License-Identifier: MIT
# Recording running processes: they behave as without a recording, and go on natively.
. "$(dirname "$0")/../e2e/e2e.sh"

# is_native PID: no process traces any of its threads, and none of the recorder's memory is mapped.
is_native() {
	! cat /proc/"$1"/task/*/status | grep '^TracerPid' | grep -qv '\b0$' && ! has_recorder "$1"
}
# code PID: prints the mappings of its code.
code() {
	awk '$2 ~ /x/' "/proc/$1/maps"
}
is_traced() {
	! cat /proc/"$1"/task/*/status | grep '^TracerPid' | grep -q '\b0$'
}
has_line() {
	grep -qx -- "$1" "$2"
}
# attach TRACE OPTION...: becomes the recorder; start it in the background, so that signals reach the recorder.
attach() {
	local trace=$1
	shift
	exec "${recorder[@]}" --quiet --force -o "$trace" "$@"
}

# ---- threads, one that waits in the kernel, one that serves ----
mkfifo input
"$PROGRAMS/serves" <input >served &
server=$!
exec 9>input
eventually [ -s served ]
# asked LINE: sends the line to the server, which answers.
asked() {
	echo "$1" >&9
	eventually has_line "$1" served
}
# ask_while PID: the server answers as long as that process exists.
ask_while() {
	for ((i = 0; i < 600; i++)); do
		kill -0 "$1" 2>/dev/null || return 0
		asked "$1 $i" || return
		pause 0.05
	done
	return 1
}
# did_not_run STATUS MESSAGES: a recording has ended by time before its process ran, which happens on a busy
# computer.
did_not_run() {
	[ "$1" = 125 ] && grep -q 'nothing was recorded: .* did not run' "$2"
}
# served NAME [OPTION...]: the server answers before, during and after a recording, which ends by --time or
# --count, or without such an option by a signal. Repeats recordings in whose time the server did not run.
served() {
	local name=$1 pid status asked=0
	shift
	check $name.before asked "$name before"
	code $server >code.before
	if [[ " $*" =~ ' '--(time|count)= ]]; then
		while
			attach $name.trace -p $server "$@" 2>err &
			pid=$!
			ask_while $pid || asked=1
			wait $pid
			status=$?
			did_not_run $status err
		do :; done
		check_equal $name.during 0 $asked
	else
		attach $name.trace -p $server "$@" 2>err &
		pid=$!
		check $name.attached eventually is_traced $server
		check $name.mapped eventually has_recorder $server
		check $name.during asked "$name during"
		kill -INT $pid
		wait $pid
		status=$?
	fi
	check_equal $name.status 0 $status
	check_equal $name.says "" "$(cat err)"
	check $name.native is_native $server
	check $name.code cmp code.before <(code $server)
	check $name.after asked "$name after"
	check $name.verify "$BIN/trace-verify" -q $name.trace
	check_equal $name.threads 4 "$(info $name.trace threads)"
}
served signal
check_equal signal.reason interrupt "$(info signal.trace stop_reason)"
check_equal signal.exit_status "" "$(info signal.trace exit_status)"
eval "words=($("$BIN/trace-info" --format=json signal.trace |
	/usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)["command"])'))"	# quoted for shells
check_equal signal.command "$PROGRAMS/serves" "${words[*]}"
check_equal signal.order approximate "$(info signal.trace thread_order)"
served time --time=0.2
check_equal time.reason time "$(info time.trace stop_reason)"
served count --count=100k
check_equal count.instructions 100000 "$(info count.trace instructions)"
check_equal count.reason count "$(info count.trace stop_reason)"
check_whole count count.trace
# events of each thread's registers and of mappings come before its first instruction
check_match count.mapped '"event":"mapping".*libc' <(listing count.trace)
check_match count.code ' \(libc|\(serves\)' <("$BIN/trace-dump" count.trace)
served from --from=fgets --count=1000
check_match from.symbol '^_?(IO_)?fgets' <("$BIN/trace-dump" from.trace)
served step --backend=step --count=2000
check_equal step.instructions 2000 "$(info step.trace instructions)"
served checked --self-check --time=0.2
served serial --threads=serial --time=0.2

# ---- signals that arrive during attaching, recording, and detaching ----
# ended_or_idle STATUS MESSAGES: a short recording has ended well, or its process did not run in that time.
ended_or_idle() {
	[ "$1" = 0 ] || did_not_run "$1" "$2"
}
# blocked_by PID: prints which of SIGTRAP and SIGSEGV are blocked. A handler blocks its own signal as well.
blocked_by() {
	local mask
	mask=$(awk '/^SigBlk/ { print $2 }' "/proc/$1/status")
	printf '%x\n' $((16#$mask & 16#410))
}
"$PROGRAMS/ticks" >ticks &
ticks=$!
eventually [ -s ticks ]
for ((i = 0; i < 10; i++)); do
	attach ticks.trace -p $ticks --time=0.05 2>err &
	wait $!
	check ticks.$i ended_or_idle $? err
	check_equal ticks.$i.blocked 410 "$(blocked_by $ticks)"
done
attach ticks.trace -p $ticks --every=10ms --for=3ms --time=1 2>err &
wait $!
check ticks.windows ended_or_idle $? err
kill $ticks
wait $ticks
check_equal ticks.wrong '0 wrong' "$(tail -1 ticks)"
# No thread loses a signal that has stopped it when the recorder leaves.
for backend in translate step; do
	"$PROGRAMS/thread_signals" >signals &
	signals=$!
	eventually [ -s signals ]
	for ((i = 0; i < 10; i++)); do
		attach signals.trace --backend=$backend -p $signals --time=0.05 2>err &
		wait $!
		check signals.$backend.$i ended_or_idle $? err
	done
	kill $signals
	wait $signals
	check_equal signals.$backend.lost '0 lost' "$(tail -1 signals)"
done

# ---- a stopped process, which the message reports ----
sleep 1000 &
sleeper=$!
kill -STOP $sleeper
attach stopped.trace -p $sleeper --time=0.1 2>err &
wait $!
check_match stopped.says "nothing was recorded: process $sleeper did not run; if it is stopped, SIGCONT" err
attach stopped.trace -p $sleeper 2>err &
pid=$!
check stopped.attached eventually is_traced $sleeper
kill -KILL $sleeper
wait $pid
check_match stopped.ended "nothing was recorded: process $sleeper ended before it ran" err

# ---- the recorder process that the user has started is killed ----
attach killed.trace -p $server &
pid=$!
check killed.attached eventually is_traced $server
kill -KILL $pid
wait $pid 2>/dev/null
check killed.native eventually is_native $server
check killed.after asked killed
check killed.verify eventually "$BIN/trace-verify" -q killed.trace

# ---- the server is killed ----
attach victim.trace -p $server &
pid=$!
check victim.attached eventually is_traced $server
check victim.mapped eventually has_recorder $server
check victim.during asked "victim during"	# a recording without instructions fails

# ---- recordings that are refused meanwhile, in one line with the remedy ----
refused() {
	local name=$1 text=$2
	shift 2
	check_status $name.status 125 "$BIN/trace-record" --force -o refused.trace "$@"
	check_match $name.says "$text" err
	check_equal $name.lines 1 "$(wc -l <err)"
}
refused traced 'another tracer' -p $server
thread=$(ls "/proc/$server/task" | grep -vx $server | head -1)
refused thread 'that is a thread' -p "$thread"
refused missing 'no such process' -p 4194305
without_proc() { unshare --mount sh -c 'mount -t tmpfs none /proc && exec "$@"' - "$@"; }
if without_proc "$BIN/trace-record" --version >/dev/null 2>&1; then
	check_status hidden.status 125 without_proc "$BIN/trace-record" --force -o refused.trace -p $server
	check_match hidden.says '/proc does not show it, or it has ended' err
fi
check_status both.status 2 "$BIN/trace-record" -p $server ls
check_status zero.status 2 "$BIN/trace-record" -p 0

kill -KILL $server
wait $server 2>/dev/null
wait $pid
check_equal victim.status 0 $?
check victim.verify "$BIN/trace-verify" -q victim.trace
check_equal victim.signal 9 "$(info victim.trace exit_signal)"
exec 9>&-

# ---- a big program that collects its garbage and has a thread that sleeps ----
cat >counts.py <<'END'
import sys, threading, time
threading.Thread(target=lambda: [time.sleep(0.01) for _ in range(30000)], daemon=True).start()
print("begun", flush=True)
while True:
    words = sys.stdin.readline().split()
    if not words:
        break
    print(sum(len(str([i] * 3)) for i in range(int(words[0]))), flush=True)
END
mkfifo numbers
/usr/bin/python3 counts.py <numbers >counted &
python=$!
exec 9>numbers
check python.begun eventually has_line begun counted
echo 100000 >&9
attach python.trace -p $python &
pid=$!
check python.attached eventually is_traced $python
echo 20000 >&9
check python.during eventually has_line 386670 counted
kill -TERM $pid
wait $pid
check_equal python.status 0 $?
check python.native is_native $python
echo 30000 >&9
exec 9>&-
wait $python
check_equal python.own_status 0 $?
/usr/bin/python3 counts.py <<<$'100000\n20000\n30000' >expected
check python.output cmp expected counted
check python.verify "$BIN/trace-verify" -q python.trace
check_match python.symbol '_PyEval_EvalFrameDefault' \
	<("$BIN/trace-mix" --by=symbol --top=20 python.trace)

# ---- confined by seccomp: what the recorder has to do there is not the program's ----
check_equal confines.out 499500 "$(record confines.trace -- "$PROGRAMS/confines")"
check_equal confines.threads 2 "$(info confines.trace threads)"
mkfifo never
tries=20
while
	rm -f confined
	"$PROGRAMS/confines" - <never >confined &
	confined=$!
	exec 9>never
	eventually [ -s confined ]
	attach confined.trace -p $confined 9>&- 2>err &
	pid=$!
	if [ "$(id -u)" = 0 ]; then
		eventually is_traced $confined
		attached=$?
	else
		wait $pid
		status=$?
	fi
	exec 9>&-
	wait $confined
	own_status=$?
	[ "$(id -u)" = 0 ] || break
	wait $pid
	status=$?
	# When the recorder is ready cannot be seen: on a busy computer the process may end before.
	grep -q 'nothing was recorded: .* ended before it ran' err && [ $((tries--)) -gt 0 ]
do :; done
check_equal confined.own_status 0 $own_status
check confined.out has_line 499500 confined
if [ "$(id -u)" = 0 ]; then
	check_equal confined.attached 0 $attached
	check_equal confined.status 0 $status
	check_equal confined.threads 2 "$(info confined.trace threads)"
else
	check_equal confined.refused 125 $status
	check_match confined.says 'confined by seccomp, which only root' err
fi

# ---- waits in the kernel are not interrupted: the program's status would show it ----
mkfifo calm
"$PROGRAMS/serves" <calm >calmed &
calm=$!
exec 9>calm
eventually [ -s calmed ]
for time in 0.1 0.2 0.3; do
	while
		(attach calm.trace -p $calm --time=$time 9>&- 2>err)
		status=$?
		did_not_run $status err
	do :; done
	check_equal calm.$time.status 0 $status
done
exec 9>&-
wait $calm
check_equal calm.own_status 0 $?

# ---- nothing of the recorder stays behind, wherever the threads are at detaching ----
# restless NAME THREADS [OPTION...]
restless() {
	local name=restless.$1 threads=$2 time restless
	shift 2
	mkfifo $name.input
	"$PROGRAMS/restless" "$threads" <$name.input >$name.out &
	restless=$!
	exec 9>$name.input
	eventually [ -s $name.out ]
	for time in 0.01 0.02 0.03 0.04 0.05; do
		(attach $name.trace -p $restless --time=$time "$@" 9>&- 2>err)
		check $name.$time.status ended_or_idle $? err
		# on a busy computer the process may not run in so short a time
		check_equal $name.$time.says "" "$(grep -v 'did not run; if it is stopped' err)"
		check $name.$time.native is_native $restless
	done
	check $name.verify "$BIN/trace-verify" -q $name.trace
	exec 9>&-
	wait $restless
	status=$?
}
for threads in 0 1 3; do
	restless $threads $threads
	check_equal restless.$threads.own_status 0 $status
done
restless followed 2 --follow	# the children find the recorder's memory, of course

# ---- a function that does not exist: the recorder reports that it waits, and that it has waited in vain ----
sleep 1000 9>&- &
sleeper=$!
attach nowhere.trace -p $sleeper --from=no_such_function 2>nowhere.err &
pid=$!
check nowhere.waits eventually grep -q 'no_such_function yet: waiting' nowhere.err
kill -INT $pid
wait $pid
check_equal nowhere.status 125 $?
check_match nowhere.says 'nothing was recorded: no module has a symbol or mark no_such_function' nowhere.err
kill $sleeper
