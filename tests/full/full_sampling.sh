#!/bin/bash
# SPDX-License-Identifier: MIT
# Vectors of real programs: those of a run are those of a recording of all executions, byte for byte; and however many
# threads wait, and however they do so, filtered instructions and loops are the same. Estimates come near to the truth.
tests=$(realpath "$(dirname "$0")/..")
. "$(dirname "$0")/lib.sh"
fixed=(env -i PATH="$PATH" LC_ALL=C)

cat /usr/bin/[a-m]* 2>/dev/null | head -c 1000000 >gzip.in
head -c 600000 gzip.in >bzip2.in
echo 'create table t(a,b); with recursive n(i) as (select 1 union all select i+1 from n where i<60000)
insert into t select i, (i*7919)%30007 from n; create index x on t(b);
select sum(a) from t where b % 3 = 0; select count(*) from t a join t b on a.b = b.a;' >script.sql
for program in compute chase sort interpreter; do
	gcc -O2 -g -pthread -o $program "$tests/bench/programs/$program.c"
done
# python3 is not among them: it reads the clock, which takes another number of instructions each time.
declare -A command=(
	[compute]='./compute 300' [chase]='./chase 4096 3000' [sort]='./sort 1000000' [interpreter]='./interpreter 200000'
	[gzip]='gzip -c gzip.in' [bzip2]='bzip2 -c bzip2.in' [sqlite3]='sqlite3 -init script.sql :memory: .quit'
)

# ---- vectors of a run and those of all executions are the same files ----
for program in "${!command[@]}"; do
	"${fixed[@]}" "$BIN/trace-record" -q --force --no-addresses -o whole.trace -- ${command[$program]} >/dev/null 2>&1
	for interval in 1M 10M; do
		"${fixed[@]}" "$BIN/trace-record" -q --force --vectors --interval=$interval --boundary=exact -o vectors.trace -- \
			${command[$program]} >/dev/null 2>&1
		"$BIN/trace-bbv" -q --interval=$interval --compat=exact --blocks=cfg --key=module+offset --keep-last \
			--bb-out-file=whole.bb --pc-out-file=whole.pc whole.trace >/dev/null 2>&1
		"$BIN/trace-bbv" -q --key=module+offset --keep-last --bb-out-file=vectors.bb --pc-out-file=vectors.pc \
			vectors.trace >/dev/null 2>&1
		check "vectors.$program.$interval.some" [ "$(grep -c ^T vectors.bb)" -gt 5 ]
		check "vectors.$program.$interval" cmp <(grep -v '^#   Total reps' whole.bb) <(grep -v '^#   Total reps' vectors.bb)
		check "vectors.$program.$interval.places" cmp whole.pc vectors.pc
	done
done

# ---- OpenMP ----
# heads NAME NAME: the loops of the program's own parallel functions are executed equally often.
heads() {
	"$BIN/trace-simpoint" --compare --format=json "$1" "$2" | /usr/bin/python3 -c '
import json, sys
heads = [h for h in json.load(sys.stdin)["heads"] if h["head"].startswith("main._omp_fn")]
assert len(heads) >= 2 and all(h["executions"] == h["other_executions"] > 0 for h in heads), heads'
}
for threads in 1 2 4 8; do
	: >intervals
	for run in 1 2 3 4 5; do
		for policy in active passive; do
			OMP_WAIT_POLICY=$policy OMP_NUM_THREADS=$threads LD_BIND_NOW=1 "$BIN/trace-record" -q --force --vectors \
				--interval=10M --boundary=loop -o $policy.$run.trace -- "$PROGRAMS/omp" 100 >/dev/null
			info $policy.$run.trace vector_intervals >>intervals
			check "omp.$threads.$policy.$run.heads" heads active.1.trace $policy.$run.trace
		done
	done
	check "omp.$threads.filtered" "$tests/full/filtered_totals.py" "$BIN" $((threads * 100)) {active,passive}.[1-5].trace
	check_equal "omp.$threads.intervals" 1 "$(sort -u intervals | wc -l)"
done

# ---- estimates by slices: of counts that are more than 1 % of the instructions ----
# estimate NAME OPTION...: chooses points of whole.trace, cuts it, and estimates; leaves NAME.ANALYZER.json.
estimate() {
	local name=$1 analyzer
	shift
	rm -f slice.*.trace
	"$BIN/trace-simpoint" -q --counter=exact --interval=2M -o points "$@" whole.trace 2>/dev/null
	"$BIN/trace-cut" -q --force --simpoints=points.json -o slice whole.trace >/dev/null
	for analyzer in 'mix --by=class' 'stackdist --cache-size=32Ki'; do
		"$BIN/trace-extrapolate" -q --run="$analyzer" --plan=points.json --confidence=99.7% --whole=whole.trace --format=json \
			slice.*.trace >"$name.${analyzer%% *}.json"
	done
}
head -c 700000 gzip.in >smaller.in
for program in 'gzip -c smaller.in' "${command[sqlite3]}"; do
	"${fixed[@]}" "$BIN/trace-record" -q --force -o whole.trace -- $program >/dev/null 2>&1
	estimate centre
	estimate random --select=random --points-per-cluster=3
	check "estimates.${program%% *}" /usr/bin/python3 - <<-'END'
		import json
		for analyzer in ("mix", "stackdist"):
		    centre, chance = (json.load(open(f"{name}.{analyzer}.json")) for name in ("centre", "random"))
		    errors = [abs(e["error"]) for e in centre["estimates"]
		              if e["error"] is not None and e["whole"] > 0.01 * centre["instructions"]]
		    print(analyzer, sum(errors) / len(errors), max(errors))
		    assert len(errors) > 5 and sum(errors) / len(errors) <= 3 and max(errors) <= 10
		    bounds = [e for e in chance["estimates"] if e["low"] is not None and e["whole"] is not None
		              and e["whole"] > 0.01 * chance["instructions"]]
		    outside = [e for e in bounds if not e["low"] * (1 - 1e-9) <= e["whole"] <= e["high"] * (1 + 1e-9)]
		    assert len(bounds) > 5 and not outside, outside
	END
done
