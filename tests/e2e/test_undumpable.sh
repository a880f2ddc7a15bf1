#!/bin/bash
# SPDX-License-Identifier: MIT
# A process that makes itself undumpable is recorded as any other, also by a user who may not trace
# all programs, and reads back its own setting.
. "$(dirname "$0")/../lib.sh"
cd "$work"

# same NAME COMMAND...: the recorder that COMMAND runs gives the output of the program run natively.
same() {
	local name=$1
	shift
	timeout -s KILL $patience "$@" >recorded 2>err
	check_equal $name.status 0 $?
	check $name.output cmp native recorded
	check_equal $name.messages "" "$(cat err)"
}

program=$PROGRAMS/undumpable
"$program" >native
check_equal native "1 0 0 17 7 30 30 0 1 -1 1 0 0 17 0 0 0 1 0 0 30 1" "$(echo $(cat native))"
for backend in translate step; do
	same $backend "$BIN/trace-record" -q --force --follow --backend=$backend --from=main -o trace -- "$program"
	check $backend.verify "$BIN/trace-verify" -q trace
done
# After the recorder detaches, the process has its own setting. Recording ends between the first change of the
# setting and the first child; where that is depends on the environment, which the C library reads.
"$BIN/trace-record" -q --force -o trace -- "$program" >/dev/null
read -r undumpable child < <("$BIN/trace-dump" --events trace | awk '
	/-- syscall .*name=prctl args=0x4,0x0,/ && !first { first = $1 }
	/-- syscall .*name=(clone|fork)/ { print first, $1; exit }')
for quarter in 1 2 3; do
	count=$((undumpable + (child - undumpable) * quarter / 4))
	same let_go.$quarter "$BIN/trace-record" -q --force --count=$count -o trace -- "$program"
done

# changes WAY COMMAND...: recorded by COMMAND, the program goes on after that change of credentials as natively,
# and so does the program that it executes then.
program=$PROGRAMS/credentials
changes() {
	local way=$1
	shift
	"${alone[@]}" "$program" $way "$program" none >native
	same credentials.$way "$@" -q --force --follow -o "$work/trace" -- "$program" $way "$program" none
	check credentials.$way.verify "$BIN/trace-verify" -q "$work/trace"
}
alone=()
if [ "$(id -u)" = 0 ]; then
	for way in $(quick_or_full "setfsuid drop +drop" "setuid setresgid setfsuid capset.more drop back dumpable +setuid +drop"); do
		changes $way "$BIN/trace-record"
	done
	changes setfsgid "$BIN/trace-record" --backend=step --from=change --count=3000
else
	echo "skip credentials: only root can change them"
fi
for way in vfork +vfork; do
	changes $way "$BIN/trace-record"
done
# Root without CAP_SYS_PTRACE, as in a container.
if [ "$(id -u)" = 0 ] && alone=(setpriv --bounding-set=-sys_ptrace --inh-caps=-sys_ptrace) &&
	"${alone[@]}" true 2>/dev/null; then
	for way in +vfork; do
		changes $way "${alone[@]}" "$BIN/trace-record"
	done
else
	echo "skip root without CAP_SYS_PTRACE: setpriv cannot drop it"
fi

# not_recorded NAME FILE: for an ordinary user FILE, executed by another program, runs and a warning names it.
not_recorded() {
	"${nobody[@]}" "$work/open/trace-record" -q --force -o "$work/open/trace" -- \
		/bin/sh -c "exec $2 none" >recorded 2>err
	check_equal $1.status 0 $?
	check_match $1.ran '^-1 ' recorded
	check_match $1.says "^trace-record: warning: process .* executed $2, which is not recorded: " err
}

program=$PROGRAMS/undumpable
"$program" >native
if let_nobody; then
	cp "$program" "$work/open/program"
	chmod 755 "$work/open/program"
	for backend in translate step; do
		same nobody.$backend "${nobody[@]}" "$work/open/trace-record" -q --follow --backend=$backend --from=main \
			-o "$work/open/$backend.trace" -- "$work/open/program"
		check nobody.$backend.verify "$BIN/trace-verify" -q "$work/open/$backend.trace"
	done
	cp "$PROGRAMS/credentials" "$work/open/credentials"
	program=$work/open/credentials alone=("${nobody[@]}")
	mkdir -m 777 "$work/open/traces"
	for way in vfork +vfork; do
		"${alone[@]}" "$program" $way "$program" none >native
		same nobody.$way "${nobody[@]}" "$work/open/trace-record" -q --follow \
			-o "$work/open/traces/$way" -- "$program" $way "$program" none
	done
	if [ "$(id -u)" = 0 ]; then
		for file in unreadable with_rights with_capabilities; do
			cp "$PROGRAMS/credentials" "$work/open/$file"
		done
		chmod 711 "$work/open/unreadable"
		not_recorded unreadable "$work/open/unreadable"
		chmod 4755 "$work/open/with_rights"
		not_recorded with_rights "$work/open/with_rights"
		if setcap cap_net_raw+ep "$work/open/with_capabilities" 2>/dev/null; then
			not_recorded with_capabilities "$work/open/with_capabilities"
		else
			echo "skip with_capabilities: setcap cannot set any"
		fi
	else
		echo "skip unreadable programs: only root can make them"
	fi
fi
