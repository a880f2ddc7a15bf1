#!/bin/bash
# SPDX-License-Identifier: MIT
# The first process of a pid namespace ends by its own faults, and by no signal that is sent to it.
. "$(dirname "$0")/../lib.sh"
cd "$work"

program=$PROGRAMS/namespace_init
timeout $patience "$program" >native
if [ $? = 77 ]; then
	echo "ok namespaces # skipped: the system allows none"
	exit
fi
check_equal native "11 4 5 8 11 7 0" "$(awk 'NR % 2 { printf "%s%s", sep, $1; sep = " " }' native)"
for backend in translate step; do
	timeout -s KILL $patience "$BIN/trace-record" -q --force --follow --backend=$backend -o trace -- "$program" \
		>recorded 2>err
	check_equal $backend.status 0 $?
	check $backend.output cmp native recorded
	check $backend.verify "$BIN/trace-verify" -q trace
done
