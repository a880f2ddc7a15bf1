#!/bin/bash
# SPDX-License-Identifier: MIT
# Code and data of a file whose file system is a process, which is recorded or not (tests/programs/mounts.c): the
# recorder does not wait for that process.
. "$(dirname "$0")/backends.sh"
mounts=$PROGRAMS/mounts
mkdir folder

# recorded NAME OPTION... -- ARGUMENT...: the program's output is the native one, and the trace is good.
recorded() {
	local name=$1
	local -a options command
	shift
	split_options "$@"
	timeout -s KILL $patience "$BIN/trace-record" --quiet --force -o trace "${options[@]}" -- \
		"$mounts" folder "${command[@]}" >$name.out 2>$name.err
	check_equal $name.status 0 $?
	check $name.output cmp native.out $name.out
	check $name.verify "$BIN/trace-verify" -q trace
	! mountpoint -q folder || umount -l folder
}

"$mounts" folder >native.out
if [ $? = 77 ]; then
	echo "ok # skipped: $(cat native.out)"
	exit 0
fi
recorded apart --
check_equal apart.messages "" "$(cat apart.err)"
recorded apart.step --backend=step --from=use --
recorded followed --follow --
recorded followed.step --follow --backend=step --from=use --
recorded followed.serial --follow --threads=serial --
recorded followed.count --follow --count=10k --
# The server unmaps code while main waits for data and cannot leave the code cache.
recorded within -- within
recorded within.step --backend=step --from=use -- within
recorded within.serial --threads=serial -- within
recorded within.count --count=10k -- within
# So the return of a watched function cannot be watched where a translation hides it.
recorded calls --function=watched/0 -- calls
"$BIN/trace-dump" --events trace 2>/dev/null | grep -E -- '-- (call|return) .*watched' >events
check_equal calls.events "5 5" "$(grep -c -- '-- call' events) $(grep -c -- '-- return' events)"
