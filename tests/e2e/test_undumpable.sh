#!/bin/bash
# SPDX-License-Identifier: MIT
# A process that forbids others to read it is recorded as any other, also by a user who may not trace
# all programs, and reads back the setting that it has made.
. "$(dirname "$0")/../lib.sh"
cd "$work"

# same NAME COMMAND...: the recorder that COMMAND runs gives the output of the program run natively.
same() {
	local name=$1
	shift
	timeout -s KILL 120 "$@" >recorded 2>err
	check_equal $name.status 0 $?
	check $name.output cmp native recorded
	check_equal $name.messages "" "$(cat err)"
}

program=$PROGRAMS/undumpable
"$program" >native
check_equal native "1 0 0 17 7 30 30 0 1 -1 1 0 0 17 0 0 0 1 0 0 30 1" "$(echo $(cat native))"
for backend in translate step; do
	same $backend "$BIN/trace-record" -q --force --follow --backend=$backend -o trace -- "$program"
	check $backend.verify "$BIN/trace-verify" -q trace
done
# A process that is let go has the setting that it has made.
for count in 110k 125k 130k; do
	same let_go.$count "$BIN/trace-record" -q --force --count=$count -o trace -- "$program"
done
if let_nobody; then
	cp "$program" "$work/open/program"
	chmod 755 "$work/open/program"
	for backend in translate step; do
		same nobody.$backend "${nobody[@]}" "$work/open/trace-record" -q --follow --backend=$backend \
			-o "$work/open/$backend.trace" -- "$work/open/program"
		check nobody.$backend.verify "$BIN/trace-verify" -q "$work/open/$backend.trace"
	done
fi
