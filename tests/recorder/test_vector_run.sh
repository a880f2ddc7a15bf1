#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-record --vectors counts the same blocks in the same intervals as a recording of all executions has.
. "$(dirname "$0")/backends.sh"
agree=$tests/recorder/vectors_agree.py

# bbv NAME [OPTION...]: makes NAME.bb and NAME.pc of NAME.trace.
bbv() {
	local name=$1
	shift
	"$BIN/trace-bbv" --quiet --format=csv --bb-out-file=$name.bb --pc-out-file=$name.pc --key=module+offset --keep-last "$@" \
		$name.trace >$name.report 2>$name.bbv
}

# column NAME NUMBER: prints a column of the report that bbv has made.
column() { awk -F, -v n="$2" '$1 ~ /^[0-9]+$/ { print $n }' "$1.report"; }

# agrees NAME INTERVAL [OPTION...] -- PROGRAM ARGUMENT...
agrees() {
	local name=$1 interval=$2 status
	local -a options command
	shift 2
	split_options "$@"
	set -- "${command[@]}"
	"${fixed[@]}" $unrandomised "$@" <$input >native.out 2>native.err
	status=$?
	record translate whole $status "${options[@]}" -- "$@"
	record ${BACKEND:-translate} counted $status --vectors --interval=$interval --boundary=exact "${options[@]}" \
		-- "$@"
	check "$name.output" cmp native.out counted.out
	check "$name.messages" cmp native.err counted.err
	check "$name.verify" "$BIN/trace-verify" -q counted.trace
	check "$name.whole" bbv whole --blocks=cfg --interval=$interval
	check "$name.counted" bbv counted
	check "$name.same" cmp <(grep -v '^#   Total reps' whole.bb) <(grep -v '^#   Total reps' counted.bb)
	check "$name.places" cmp whole.pc counted.pc
	check "$name.trace_and_ends" "$agree" trace counted.trace counted.bb counted.pc
	check_equal "$name.reps" "$(column whole 6)" "$(column counted 6)"
	check_equal "$name.instructions" "$(info whole.trace instructions)" "$(info counted.trace vector_instructions)"
}

# ---- every form of instruction, transfer and fault ----
agrees kernels 10k -- "$PROGRAMS/kernels_o2"
for program in branches calls transfers strings reps recovers traps special selfmod rewrites moves_text x87_pointers \
	functions locks; do
	agrees $program 10k -- "$PROGRAMS/$program"
done
# These have one process and one thread as well.
for program in $(quick_or_full '' 'addresses blocks blocks-odd chains coroutines fault fills holes kernels_gathers
	kernels_native kernels_o0 kernels_thunks live locality many_call_paths marks misaligned model_kernels mutual
	non_canonical odd operands pending pools recursion regions reuses same_code spins stack states tables tiles unmaps
	vectors'); do
	agrees $program 10k -- "$PROGRAMS/$program"
done
agrees gzip 100k -- gzip -c "$PROGRAMS/calls"
agrees sort 1M -- sort -S 1M "$tests/README.md"
agrees sqlite3 1M -- sqlite3 :memory: 'with recursive n(i) as (select 1 union all select i+1 from n where i<5000)
	select sum(i) from n;'
BACKEND=step agrees step 10k -- "$PROGRAMS/branches"

# ---- hashes depend on what was executed, and not on how the recorder ran it ----
# Neither program has a signal from outside, a second thread or a clock: each run executes the same instructions.
program=$(quick_or_full traps kernels_o2)
for backend in translate step; do
	"$BIN/trace-record" -q --force --backend=$backend --vectors --interval=10k --boundary=exact -o $backend.trace -- \
		"$PROGRAMS/$program" >/dev/null
done
check hashes "$agree" hashes translate.trace step.trace

# ---- boundaries that cost nothing: intervals do not drift ----
"$BIN/trace-record" -q --force --vectors --interval=100k -o early.trace -- gzip -c "$PROGRAMS/threads" >/dev/null
check early "$agree" early early.trace 100000
check_equal early.size 100000 "$(info early.trace vector_interval_size)"
check early.counted bbv early
check early.sums_and_ends "$agree" trace early.trace early.bb early.pc
check early.merged "$BIN/trace-bbv" -q --bb-out-file=merged.bb --interval=1M early.trace
check_equal early.merged.lines $((($(grep -c ^T early.bb) - 1) / 10)) "$(grep -c ^T merged.bb)"
check_status early.no_multiple 3 "$BIN/trace-bbv" -q --bb-out-file=other.bb --interval=150k early.trace

# The 10,000th interval ends as near to its place as the first one.
"$BIN/trace-record" --stats --force --vectors --interval=10k -o early.many.trace -- "$PROGRAMS/phases" A5B5 2>many.stats
check early.many "$agree" early early.many.trace 10000
check early.many.intervals [ "$(info early.many.trace vector_intervals)" -ge 10000 ]

# An interval costs little more than the stop at its end: the counters of instructions are used up together.
resumed=$(sed -n 's/.*, \([0-9,]*\) times resumed.*/\1/p' many.stats | tr -d ,)
check early.many.few_stops [ "${resumed:-1000000}" -lt 20000 ]
check early.many.note grep -q 'stopped at the end of each of about 10,0[0-9]* intervals; with an --interval of at least 10M' \
	many.stats
"$BIN/trace-record" --force --vectors --interval=1M -o few.trace -- "$PROGRAMS/phases" A5B5 2>few.messages
check_equal early.few.no_note 0 "$(grep -c 'stopped at the end' few.messages)"

# ---- intervals of the default size: in short bursts, records find hot paths; these executions are counted, too ----
# Smaller intervals leave no room for bursts, and then no superblock is extended.
compresses=("$PROGRAMS/compresses" 1000 8)
agrees bursts 100M -- "${compresses[@]}"
"$BIN/trace-record" --stats --force --vectors -o default.trace -- "${compresses[@]}" >/dev/null 2>default.stats
check bursts.extended grep -q 'translated: .*, [1-9][0-9]* of them extended' default.stats
check_equal bursts.size 100000000 "$(info default.trace vector_interval_size)"
check bursts.early "$agree" early default.trace 100000000
check bursts.default bbv default
check bursts.default.trace "$agree" trace default.trace default.bb default.pc
by_mnemonic() { "$BIN/trace-mix" --by=mnemonic --top=1000 --format=csv "$1"; }
check bursts.default.same cmp <(by_mnemonic whole.trace) <(by_mnemonic default.trace)

# The counters of exits have 32 bits; the recorder takes them in time if an interval has more executions.
if ! is_quick; then
	cat >loops.c <<-'END'
		#include <stdlib.h>
		int main(int argc, char **argv)
		{
			unsigned long n = argc > 1 ? strtoul(argv[1], 0, 0) : 1;
			__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
			return 0;
		}
	END
	gcc -O1 -o loops loops.c || exit 1
	# Both numbers have ten digits, so that the program reads them by the same instructions.
	for n in 1000000000 6000000000; do
		"${fixed[@]}" "$BIN/trace-record" -q --force --vectors --interval=20G -o loops.$n.trace -- ./loops $n
	done
	check_equal counters.intervals 1 "$(info loops.6000000000.trace vector_intervals)"
	check_equal counters.instructions 10000000000 \
		$(($(info loops.6000000000.trace vector_instructions) - $(info loops.1000000000.trace vector_instructions)))
fi

# ---- a program that runs until nobody traces it: --time ends the recording, and the program goes on ----
# On a busy computer the program may not run in so short a time: then for longer.
for time in 0.1 1 10 60; do
	timeout $patience "$BIN/trace-record" -q --force --vectors --interval=1M --time=$time -o endless.trace -- \
		sh -c 'until [ "$traced" = 0 ]; do
			while read -r key value; do
				[ $key = TracerPid: ] && traced=$value
			done </proc/$$/status
		done
		exit 0'
	status=$?
	[ $status = 125 ] && [ "0$(info endless.trace vector_instructions)" -eq 0 ] || break
done
check_equal endless 0 $status
check_equal endless.reason time "$(info endless.trace stop_reason)"
check endless.counted [ "$(info endless.trace vector_instructions)" -gt 0 ]

# ---- threads ----
record translate whole 0 -- "$PROGRAMS/workers" 3 500
record translate counted 0 --vectors --interval=10k -- "$PROGRAMS/workers" 3 500
check threads.verify "$BIN/trace-verify" -q counted.trace
check threads.counted bbv counted
check threads.ends "$agree" ends counted.trace
check_equal threads 4 "$(info counted.trace threads)"

# The first thread waits for the others, which takes another number of instructions each time; the others wait in
# read() only, and not for a lock. Functions are looked up at the start, not by the thread that calls one first.
fixed+=(LD_BIND_NOW=1)
record translate whole 0 -- "$PROGRAMS/gated" 3 500
record translate counted 0 --vectors --interval=10k -- "$PROGRAMS/gated" 3 500
unset "fixed[-1]"
others() {
	"$BIN/trace-bbv" --format=csv --quiet --bb-out-file=t.bb --instr-count-only "$1" 2>/dev/null |
		awk -F, '$1 ~ /^[0-9]+$/ && $2 > 0 { print $2, $5 }' | xargs
}
check_equal threads.instructions "$(others whole.trace)" "$(others counted.trace)"

# ---- what reads such a trace, and what does not ----
check simpoint "$BIN/trace-simpoint" -o points early.trace
check simpoint.points test -s points.simpts
check_status simpoint.addresses 0 "$BIN/trace-simpoint" --save-pc-regions=x.csv early.trace
for analyzer in footprint ilp slo; do
	check_status refuses.$analyzer 3 "$BIN/trace-$analyzer" early.trace
	check refuses.$analyzer.says grep -q 'only basic block vectors, which trace-bbv, trace-mix and trace-simpoint read' err
done
for option in --compat=exp-bbv --memory=page --count=100; do
	check_status refuses$option 3 "$BIN/trace-bbv" --bb-out-file=x.bb $option early.trace
done
check_status dump 0 "$BIN/trace-dump" early.trace
check dump.says grep -q 'only basic block vectors' err
check_status cut 3 "$BIN/trace-cut" --from=5 --count=10 -o slice.trace early.trace
check cut.says grep -q 'only basic block vectors' err
check_status usage.alone 2 "$BIN/trace-record" --interval=10k true
for option in --skip=10 --count=10 --max-size=1M --self-check --function=f; do
	check_status usage$option 2 "$BIN/trace-record" --vectors $option true
done
check_status usage.sample 2 "$BIN/trace-record" --vectors --sample=cpu-clock true
check usage.sample.says grep -q 'only-samples, without --vectors' err

# ---- a trace whose recorder was killed, or that is damaged, has the vectors so far ----
"$BIN/trace-record" -q --force --vectors --interval=10k -o killed.trace -- sh -c 'until [ "$traced" = 0 ]; do
		while read -r key value; do
			[ $key = TracerPid: ] && traced=$value
		done </proc/$$/status
	done' &
recorder_pid=$!
grown() { bbv killed; [ "$(wc -l <killed.bb)" -ge 64 ]; }
check killed.grows eventually grown
kill -9 $recorder_pid
wait $recorder_pid 2>/dev/null
check_status killed.unfinished 1 "$BIN/trace-verify" -q killed.trace
check killed.repair "$BIN/trace-repair" -o mended.trace killed.trace
check killed.verify "$BIN/trace-verify" -q mended.trace
check killed.vectors bbv mended
check killed.intervals [ "$(wc -l <mended.bb)" -ge 64 ]

"$BIN/trace-repack" -o repacked.trace early.trace >/dev/null 2>&1
check repacked bbv repacked
check repacked.same "$agree" same early.bb early.pc repacked.bb repacked.pc
head -c -200 early.trace >cut.trace
check_status cut.verify 1 "$BIN/trace-verify" -q cut.trace
"$BIN/trace-repair" -o repaired.trace cut.trace >/dev/null 2>&1
check repaired bbv repaired
