#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs that trace others, all of them followed: tracees are let go, all other processes are recorded.
. "$(dirname "$0")/../e2e/e2e.sh"

# check_says NAME TRACE OPTION... -- PROGRAM ARGUMENT...: like check_same, apart from the warning.
check_says() {
	local name=$1 trace=$2
	local -a options command
	shift 2
	split_options "$@"
	"${command[@]}" >native.out 2>native.err
	native=$?
	record "$trace" "${options[@]}" -- "${command[@]}" >recorded.out 2>recorded.err
	check_equal "$name.status" $native $?
	check "$name.stdout" cmp native.out recorded.out
}

# traced NAME BACKEND KIND [OPTION]
traced() {
	check_says $1.$3 x.trace --follow --backend=$2 "${@:4}" -- "$PROGRAMS/tracer" $3
	check $1.$3.verify "$BIN/trace-verify" -q x.trace
	check_equal $1.$3.whole "true exit" "$(info x.trace complete) $(info x.trace stop_reason)"
}
for kind in me exec vfork attach seize threads stopped parent none first; do
	traced translate translate $kind
done
for kind in $(quick_or_full me "me exec vfork attach seize threads stopped parent none first"); do
	traced step step $kind $(quick_or_full --from=main "")
done
# Processes that are not followed are let go before their parent goes on, and may be traced at once.
for option in --from=main --sample=cpu-clock; do
	check_same siblings.$option x.trace $option -- "$PROGRAMS/tracer" siblings
	check_same unfollowed.$option x.trace $option -- "$PROGRAMS/tracer" seize
done
# One warning, and none if no process is traced by another.
check_status warns 0 "${recorder[@]}" --force --follow -o x.trace -- "$PROGRAMS/tracer" attach
check_equal warns.once 1 "$(grep -c 'is traced by another program from here on' err)"
"${recorder[@]}" --force --follow -o x.trace -- "$PROGRAMS/tracer" first >out 2>err
check_equal warns.never 0 "$(grep -c 'traced by another' err)"
# The trace has 2 processes of the tracer itself, and its tracee up to where the tracee is let go.
check_equal processes 3 "$("${recorder[@]}" -q --force --follow -o x.trace -- \
	"$PROGRAMS/tracer" attach >out; info x.trace processes)"

if [ -x /usr/bin/strace ]; then
	check_says strace x.trace --follow -- strace -qq -f -e trace=exit_group -o calls \
		"$PROGRAMS/forks" 3
	check_equal strace.calls 3 "$(grep -c exit calls)"
	check strace.verify "$BIN/trace-verify" -q x.trace
fi
if [ -x /usr/bin/gdb ] && ! is_quick; then
	check_says gdb x.trace --follow -- gdb -q -batch -nx -ex 'break main' -ex run -ex 'stepi 3' \
		-ex 'print $pc' -ex kill "$PROGRAMS/forks"
fi
