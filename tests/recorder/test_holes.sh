#!/bin/bash
# SPDX-License-Identifier: MIT
# Pages of files in memory that a program has never accessed stay away: the recorder reads mapped files without
# mapping them itself (tests/programs/holes.c).
. "$(dirname "$0")/backends.sh"
holes=$PROGRAMS/holes

# attached NAME OPTION...: the files are mapped before the recorder comes.
attached() {
	local name=$1 pid recorder
	shift
	rm -f input && mkfifo input
	: >$name.out
	"$holes" wait <input >$name.out &
	exec 5>input
	eventually test -s $name.out
	pid=$(head -1 $name.out)
	timeout -s KILL $patience "$BIN/trace-record" -q --force -o trace "$@" --pid=$pid 2>$name.err &
	recorder=$!
	eventually grep -q 'TracerPid:.[1-9]' /proc/$pid/status
	echo >&5
	exec 5>&-
	wait $recorder
	check_equal $name.status 0 $?
	check $name.output cmp native.out <(sed 1d $name.out)
	check $name.verify "$BIN/trace-verify" -q trace
}

same recorded -- "$holes"
"$holes" >native.out
attached attached
attached attached.step --backend=step
