#!/bin/bash
# SPDX-License-Identifier: MIT
# Translations are requested without stops while a CPU is free, and by stops if no CPU is free
# or no recorder answers: the recording is the same.
OTHER=translate
. "$(dirname "$0")/backends.sh"

cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')
cpus=("${fixed[@]}")

# one_cpu NAME PROGRAM ARGUMENT...: the recording is the same on one CPU as on all of them.
one_cpu() {
	local name=$1
	shift
	record translate $name.all 0 -- "$@"
	fixed=("${cpus[@]}" taskset -c "$cpu")
	record translate $name.one 0 -- "$@"
	fixed=("${cpus[@]}")
	check $name.output cmp $name.all.out $name.one.out
	check_status $name.same 0 "$COMPARE" $name.all.trace $name.one.trace
}
one_cpu kernels "$PROGRAMS/kernels_o2"
mkdir listed
touch listed/{a,b,c}
one_cpu ls ls listed
seq 3000 >lines
one_cpu sed sed -n s/1*/a/gp lines

# interrupted NAME STATUS [OPTION...] -- PROGRAM ARGUMENT...: the recorder is stopped again and
# again, and ends with that status.
interrupted() {
	local name=$1 status=$2 recorder
	shift 2
	"$BIN/trace-record" -q --force -o $name.trace "$@" >$name.out 2>$name.err &
	recorder=$!
	while kill -STOP $recorder 2>/dev/null; do
		pause 0.01
		kill -CONT $recorder
		pause 0.02
	done
	wait $recorder
	check_equal $name.status "$status" $?
	check $name.verify "$BIN/trace-verify" -q $name.trace
}
cat >script.py <<'X'
import json, re
print(len(json.dumps({str(i): re.sub('1', '2', str(i)) for i in range(300)})))
X
/usr/bin/python3 script.py >expected
interrupted recorded 0 -- /usr/bin/python3 script.py
check recorded.output cmp expected recorded.out
# A recording without instructions is a failure.
interrupted skipped 125 --skip=1000000M -- /usr/bin/python3 script.py
check skipped.output cmp expected skipped.out
