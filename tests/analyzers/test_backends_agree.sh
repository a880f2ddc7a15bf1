#!/bin/bash
# SPDX-License-Identifier: MIT
# The results of analyzers do not depend on the backend that has recorded the program: blocks, paths
# and exits then have other numbers, and none of these may show, not even in the order of rows.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1
if [ "${BACKEND:-translate}" != translate ]; then
	echo "# this test is of two backends already"
	exit
fi

# both PROGRAM OPTION...: records the program with both backends, as step.trace and translate.trace.
both() {
	local backend
	name=$1
	for backend in step translate; do
		"$BIN/trace-record" -q --force --backend=$backend -o $backend.trace "${@:2}" -- \
			"$PROGRAMS/$name" >/dev/null
		pid[$backend]=$("$BIN/trace-dump" --format=csv --count=1 $backend.trace |
			sed -n 's/.*process-start process=0 pid=\([0-9]*\).*/\1/p')
		check $name.$backend.pid test -n "${pid[$backend]}"
	done
	check $name.is_recorded test "$(info step.trace instructions)" -gt 100
}
declare -A pid

# say NAME ANALYZER OPTION...: its results and files for both traces are the same, but for
# the number of the program's process and for times.
say() {
	local backend
	for backend in step translate; do
		rm -rf $backend files
		mkdir files
		ln -f $backend.trace trace
		"$BIN/trace-$2" "${@:3}" trace >files/out 2>files/err
		echo "status $?" >>files/err
		[ "$2" != analyze ] || echo >files/out	# its result has run times
		find files -type f -exec sed -i -E "s/(\<p?t?id=|==|bb\.out\.|\"pid\": |^)${pid[$backend]}\>/\1PID/g
			s/time_ns=[0-9]+//" {} +
		find files -name "*.${pid[$backend]}*" | while read -r file; do
			mv "$file" "${file/.${pid[$backend]}/.PID}"
		done
		mv files $backend
	done
	check "$name.$1" diff -r step translate
	check_equal "$name.$1.status" "status 0" "$(tail -1 step/err)"
	check "$name.$1.result" test -s step/out
}

all() {
	local by dialect
	for by in class mnemonic symbol line module thread; do
		say mix.$by mix --by=$by --top=100000
	done
	for by in exp-bbv exact; do
		say bbv.$by bbv --compat=$by --interval-size=1000 --bb-out-file=files/bb \
			--pc-out-file=files/pc
	done
	say bbv.memory bbv --interval-size=1000 --memory=page --bb-out-file=files/bb --pc-out-file=files/pc
	say stackdist stackdist --accesses=reads,writes,fetches --block-size=64,4Ki --histogram --curve
	say slo slo --top=100000 --data --html=files/html --histogram --misses
	for by in footprint ilp itypes ppm reg stride; do say $by $by; done
	say ilp.more ilp --flags --fold-registers --windows=16,unlimited
	for by in instruction symbol line page thread; do
		say ibs.$by ibs --period=160 --top=100000 --by=$by
	done
	say ibs.all ibs --period=160 --histogram --events
	say ibs.packets ibs --period=160 --packets=files/packets
	for dialect in cheramy 0.40 0.40rel boegel; do
		say mica.$dialect mica --dialect=$dialect --directory=files
	done
	say all analyze --all --output=files/all
	say dump dump --format=csv
}

both kernels_o2 --from=main --count=20k
all
both functions --from=main
all
both reps
say mica mica --directory=files
both transfers
say mica mica --directory=files
