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
# the number of the program's process and for times. Other numbers that equal one of the two pids change in both results.
say() {
	local backend pids="(${pid[step]}|${pid[translate]})"
	for backend in step translate; do
		rm -rf $backend files
		mkdir files
		ln -f $backend.trace trace
		"$BIN/trace-$2" "${@:3}" trace >files/out 2>files/err
		echo "status $?" >>files/err
		[ "$2" != analyze ] || echo >files/out	# its result has run times
		find files -type f -exec sed -i -E "s/(\<p?t?id=|==|bb\.out\.|\"pid\": |^)$pids\>/\1PID/g
			s/time_ns=[0-9]+//; s/\"elapsed\": ?[0-9]+//g; s/^ *pid /pid /" {} +
		# A report describes the recording, too: its id, times and options.
		find files -name report.html -exec sed -i 's/"traces":\[.*\],"commands":/"commands":/' {} +
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
	for by in symbol line instruction; do
		say ibs.modes.$by ibs --compare-modes --period=160 --by=$by
	done
	say ibs.packets ibs --period=160 --packets=files/packets
	for dialect in cheramy 0.40 0.40rel boegel; do
		say mica.$dialect mica --dialect=$dialect --directory=files
	done
	say all analyze --all --output=files/all
	say dump dump --format=csv
}

# executed FILE: every execution of a block with its outcome, without the block's number.
executed() {
	"$BIN/trace-dump" --blocks --format=csv "$1" | grep '^block' | cut -d, -f1-4,6-
}

# same_ends PROGRAM OPTION...: both backends record the same executions, the last with the same outcome.
same_ends() {
	local backend
	for backend in step translate; do
		"$BIN/trace-record" -q --force --backend=$backend -o end.trace "${@:2}" -- "$PROGRAMS/$1" >/dev/null
		executed end.trace >$backend.executed
	done
	check "ends.$*" cmp step.executed translate.executed
	check "ends.$*.is_recorded" test -s step.executed
}

# A recording, or a window, may end anywhere in a superblock: inside a block, or right after a branch.
for count in $(quick_or_full "$(seq 134 148)" "$(seq 130 160)") {1258..1262} 1528; do
	same_ends blocks --count=$count
done
for period in 71 94; do
	same_ends blocks --every=$period --for=50 --count=1000
done
same_ends functions --from=main --to=leaves
check ends.after_a_branch grep -q '^block,139,0,0x40103a,3,not-taken,' <("$BIN/trace-record" -q -o - --count=142 -- \
	"$PROGRAMS/blocks" | "$BIN/trace-dump" --blocks --format=csv - | cut -d, -f1-4,6-)

# some: one result of each analyzer
some() {
	say mix.line mix --by=line --top=100000
	say bbv.exact bbv --compat=exact --interval-size=1000 --bb-out-file=files/bb --pc-out-file=files/pc
	say stackdist stackdist --accesses=reads,writes,fetches --block-size=64,4Ki --histogram --curve
	say slo slo --top=100000 --data --histogram --misses
	say ibs.instruction ibs --period=160 --top=100000 --by=instruction
	say all analyze --all --output=files/all
	say dump dump --format=csv
}

both blocks --count=1262
$(quick_or_full some all)
both kernels_o2 --from=main --count=20k
$(quick_or_full some all)
both functions --from=main
all
both reps
say ibs.modes ibs --compare-modes --period=144
say mica mica --directory=files
both transfers
say ibs.modes ibs --compare-modes --period=144
say mica mica --directory=files
