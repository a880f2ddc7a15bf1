#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-simpoint reads recorded vectors directly: its numbers are those of an independent reader, for one thread and
# for several; rules that choose the number of clusters; points by chance; the cores do not matter.
. "$(dirname "$0")/../lib.sh"
tests=$(realpath "$(dirname "$0")/..")
simpoint=$BIN/trace-simpoint
cd "$work" || exit

"$BIN/trace-record" -q --vectors --interval=100k --boundary=exact -o one.trace -- "$PROGRAMS/compresses" 40 8
"$BIN/trace-record" -q --vectors --interval=20k -o many.trace -- "$PROGRAMS/workers" 4 30000 >/dev/null

# ---- one thread ----
check one "$simpoint" -q -o one one.trace
"$BIN/trace-bbv" -q --bb-out-file=one.bb one.trace
"$simpoint" -q -fixedLength off --save-json=text.json one.bb
# number FILE NAME: prints a number of a report, rounded.
number() {
	/usr/bin/python3 -c 'import json, sys; print("%.9g" % json.load(open(sys.argv[1]))[sys.argv[2]])' "$1" "$2"
}
for name in intervals blocks spread; do
	check_equal "one.$name" "$(number text.json $name)" "$(number one.json $name)"
done
check one.jobs "$simpoint" -q --jobs=1 -o jobs one.trace
check one.same_labels cmp one.labels jobs.labels
check one.same_points cmp one.simpts jobs.simpts
check one.each "$simpoint" -q --interval=200k --save-json=each.json one.trace
check_equal one.each.intervals $(($(number one.json intervals) / 2)) "$(number each.json intervals)"
check_status one.no_multiple 3 "$simpoint" --interval=150k one.trace
check_match one.no_multiple.says 'must be a multiple' "$work/err"

# SimPoint's own way is as before: vectors in memory, which trace-bbv makes.
"$BIN/trace-bbv" -q --bb-out-file=compat.bb one.trace
check compat "$simpoint" -q --compat=simpoint3 -o compat one.trace
check compat.text "$simpoint" -q --compat=simpoint3 -o compat_text compat.bb
for file in simpts weights labels; do
	check compat.$file cmp compat.$file compat_text.$file
done

# ---- several threads ----
for mode in concatenated sum sorted; do
	check "threads.$mode" "$simpoint" -q --thread-vectors=$mode -o $mode many.trace
	check "threads.$mode.oracle" "$tests/analyzers/run_points_check.py" many.trace $mode $mode
done
check threads.default "$simpoint" -q -o default many.trace
check threads.default.labels cmp default.labels concatenated.labels
check threads.one "$simpoint" -q --thread=1 --save-json=thread.json many.trace
check_match threads.one.is '"thread": 1' thread.json
check_equal threads.blocks 1 $(($(number sum.json blocks) < $(number concatenated.json blocks)))

# ---- the number of clusters ----
# chosen RULE OPTION...: prints the numbers that the rules choose, as "bic error elbow" or with budget.
choices() {
	"$simpoint" --format=json "$@" one.trace >choices.json
	/usr/bin/python3 -c 'import json; r = json.load(open("choices.json"))
print(*(c["k"] for c in r["choices"])); print(r["clusters"]); print(r["mean_distance"])'
}
choices >bic
choices --choose=elbow >elbow
choices --choose=error:0.08 >error
choices --choose=budget:700k >budget
check_equal choose.bic "$(sed -n 1p bic | cut -d' ' -f1)" "$(sed -n 2p bic)"
check_equal choose.elbow "$(sed -n 1p elbow | cut -d' ' -f3)" "$(sed -n 2p elbow)"
check_equal choose.error "$(sed -n 1p error | cut -d' ' -f2)" "$(sed -n 2p error)"
check_equal choose.error.kept 1 "$(awk 'NR == 3 { print $1 <= 8.0001 }' error)"
check_equal choose.budget "7 7" "$(sed -n '1s/.* //p; 2p' budget | xargs)"
choices -k 3,6,12 --choose=error:99% >given
check_equal choose.given 3 "$(sed -n 2p given)"
check_equal choose.impossible 12 "$(choices -k 3,12 --choose=error:0.0001 | sed -n 2p)"
for rule in error:x error:5 budget:0 knee error; do
	check_status "choose.$rule" 2 "$simpoint" --choose=$rule one.trace
	check_match "choose.$rule.says" "--choose=$rule: must be bic, error:SHARE" "$work/err"
done

# ---- several points of a cluster ----
check random "$simpoint" -q -k 6 --select=random --points-per-cluster=4 -o random one.trace
check random.seed "$simpoint" -q -k 6 --select=random --points-per-cluster=4 --seed=9 -o seed one.trace
check_equal random.differs 1 "$(cmp -s random.simpts seed.simpts; echo $?)"
check more "$simpoint" -q -k 6 --select=random --points-per-cluster=6 -o more one.trace
check_equal random.superset "" "$(comm -23 <(cut -d' ' -f1 random.simpts | sort) <(cut -d' ' -f1 more.simpts | sort))"
check stratified "$simpoint" -q -k 6 --sample=stratified:30 -o stratified one.trace
check stratified.neyman /usr/bin/python3 - <<-'END'
	import json
	r = json.load(open("stratified.json"))
	strata = r["strata"]
	assert sum(s["points"] for s in strata) == len(r["points"]) == 30, strata
	assert all(min(2, s["intervals"]) <= s["points"] <= s["intervals"] for s in strata)
	rest = [(s["points"] - 2, s["intervals"] * s["radius"]) for s in strata if 2 < s["points"] < s["intervals"]]
	scale = sum(n for n, _ in rest) / sum(x for _, x in rest)
	assert all(abs(n - x * scale) < 1.5 for n, x in rest), (rest, scale)
END
check medoid "$simpoint" -q -k 6 --select=medoid -o medoid one.trace
check systematic "$simpoint" -q --select=systematic:10 -o systematic one.trace
check_equal systematic.one_in_each 10 "$(awk -v n="$(number systematic.json intervals)" \
	'{ print int(($1 + .5) / n * 10) }' systematic.simpts | sort -u | wc -l)"
check oracle "$tests/analyzers/run_points_check.py" one.trace sum one random stratified medoid systematic
check_status points.both 2 "$simpoint" --sample=stratified:9 --points-per-cluster=2 one.trace
check_status points.compat 2 "$simpoint" --compat=simpoint3 --select=random one.bb
check_status points.select 2 "$simpoint" --select=best one.trace
check_match points.select.says 'must be centre, random, medoid or systematic:N' "$work/err"

# ---- many intervals ----
"$BIN/../tests/recorded_kinds" "$(quick_or_full 22000 1000000)" 20000 30 kinds.trace >kinds
for jobs in 1 2; do
	check kinds.$jobs "$simpoint" -q --jobs=$jobs --max-k=50 --seeds=2 -o kinds$jobs kinds.trace
done
check kinds.same_labels cmp kinds1.labels kinds2.labels
check kinds.same_points cmp kinds1.simpts kinds2.simpts
check kinds.found /usr/bin/python3 - <<-'END'
	from collections import Counter
	with open("kinds") as kinds, open("kinds1.labels") as labels:
	    pairs = [(kind.strip(), label.split()[0]) for kind, label in zip(kinds, labels)]
	def choose(counts):
	    return sum(n * (n - 1) / 2 for n in counts.values())
	a, b = choose(Counter(k for k, _ in pairs)), choose(Counter(l for _, l in pairs))
	expected = a * b / (len(pairs) * (len(pairs) - 1) / 2)
	rand = (choose(Counter(pairs)) - expected) / ((a + b) / 2 - expected)
	assert rand >= 0.99, rand
END

# ---- more counts than are kept ----
# Counts are 200 to 215 by chance, so that intervals of a kind differ by 255 / 48 / 207.5 / 2.
if ! is_quick; then
	"$BIN/../tests/recorded_kinds" 60000 20000 2000 great.trace >great.kinds
	check great "$simpoint" -q --max-k=50 --seeds=2 -o great great.trace
	check great.found /usr/bin/python3 - <<-'END'
		import json
		with open("great.kinds") as kinds, open("great.labels") as labels:
		    pairs = {(kind.strip(), label.split()[0]) for kind, label in zip(kinds, labels)}
		r = json.load(open("great.json"))
		assert len(pairs) == r["clusters"] == 40, len(pairs)
		assert abs(r["mean_distance"] - 1.280) < 0.01, r["mean_distance"]
		assert 85 < r["spread"] < 90, r["spread"]
	END
	rm great.trace
fi

# ---- two runs ----
"$BIN/trace-record" -q --vectors --interval=100k --boundary=exact -o best.trace -- "$PROGRAMS/compresses" 40 32
check compare.same "$simpoint" --compare --format=json one.trace one.trace
cp "$work/.out" same.json
check compare "$simpoint" --compare --format=json one.trace best.trace
cp "$work/.out" compare.json
check compare.text "$simpoint" --compare one.trace best.trace
check_match compare.text.parts '^first departure' "$work/.out"
for run in one best; do
	"$BIN/trace-bbv" -q --key=module+offset --places=module+offset --bb-out-file=$run.places.bb --pc-out-file=$run.places.pc \
		$run.trace >/dev/null 2>&1
done
check compare.oracle /usr/bin/python3 - <<-'END'
	import json, re
	def rows(run):
	    with open(run + ".places.pc", errors="replace") as file:
	        places = dict(re.findall(r"^F:(\d+):([^:\n]*)", file.read(), re.M))
	    with open(run + ".places.bb") as file:
	        for line in file:
	            if line.startswith("T"):
	                counts = {places[b]: int(n) for b, n in re.findall(r":(\d+):(\d+)", line)}
	                yield {b: n / sum(counts.values()) for b, n in counts.items()}
	expected = [100 * (1 - sum(min(n, b.get(k, 0)) for k, n in a.items())) for a, b in zip(rows("one"), rows("best"))]
	r = json.load(open("compare.json"))
	found = [d["distance"] for d in r["distances"]]
	assert len(found) == len(expected) == min(r["intervals"], r["other_intervals"]), (len(found), len(expected))
	assert all(abs(x - y) < 1e-6 for x, y in zip(found, expected)), (found, expected)
	classes = [sum(low < x <= high for x in expected) for low, high in ((-1, 1e-7), (1e-7, 0.1), (0.1, 5), (5, 100))]
	assert classes == [r[k] for k in ("identical", "alike", "close", "different")] and classes[3], (classes, r)
	first = r["first_departure"]
	assert all(x < 1e-7 for x in expected[:first])
	same = json.load(open("same.json"))
	assert same["identical"] == same["intervals"] and same.get("first_departure") is None, same
	assert same["loop_heads"] == same["equal_heads"] > r["equal_heads"] > 0, (same, r)
	assert all(d["hash"] == "same" for d in same["distances"])
END
check_status compare.one 2 "$simpoint" --compare one.trace
check_match compare.one.says 'needs the vectors of two runs' "$work/err"
check_status compare.sizes 3 "$simpoint" --compare one.trace many.trace
check_match compare.sizes.says 'has vectors of 100000 instructions, many.trace of 20000' "$work/err"
