#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-extrapolate --confidence: bounds are those of an independent computation, and contain the truth as often as they
# should; where there can be none, a message says why; --metric measures what trace-simpoint --allocate reads.
. "$(dirname "$0")/../lib.sh"
tests=$(realpath "$(dirname "$0")/..")
oracle=$tests/analyzers/confidence_check.py
extrapolate=$BIN/trace-extrapolate
simpoint=$BIN/trace-simpoint
cd "$work" || exit

# ---- 1,000 samples of what the intervals of a program cost ----
check student "$oracle" student
# Every computer has the same intervals of this program.
"$BIN/trace-record" -q --no-addresses -o whole.trace -- "$PROGRAMS/compresses" 40 8
"$BIN/trace-bbv" -q --interval-size=10k --compat=exact --bb-out-file=whole.bb whole.trace >/dev/null 2>&1
"$simpoint" -q -k 12 -saveLabels whole.labels whole.bb
# coverage NAME POINTS CONFIDENCE LEAST MOST: with so many points in a cluster, the bounds of LEAST to MOST of the samples
# contain the truth.
coverage() {
	mkdir "$1"
	"$oracle" make whole.bb whole.labels "$1" 1000 "$2"
	check "$1" "$extrapolate" -q --plan="$1/plan.json" --confidence="$3" --format=json "$1"/0*.json
	cp "$work/.out" "$1.json"
	check "$1.oracle" "$oracle" check "$1" "$1.json" "${@:3}"
}
coverage five 5 0.997 0.99 1
coverage half 8 0.5 0.44 0.56
coverage one 1 0.95 0.95 1
check_match five.kind '"bounds": "stratified"' five.json
check_match one.kind '"bounds": "collapsed"' one.json
check_status one.note 0 "$extrapolate" --plan=one/plan.json --confidence=95% one/0*.json
check_match one.says 'collapsed: clusters with one point' "$work/err"

# ---- points of a trace, their slices, and the truth ----
# estimated NAME OPTION...: chooses points of the trace, cuts it, and estimates.
estimated() {
	local name=$1
	shift
	"$simpoint" -q --counter=exact --interval=10k -o "$name" "$@" whole.trace 2>/dev/null
	"$BIN/trace-cut" -q --force --simpoints="$name.json" -o "$name.s" whole.trace >/dev/null
	check "$name" "$extrapolate" --run=mix --plan="$name.json" --confidence=99.7% --whole=whole.trace --format=json \
		"$name".s.*.trace
	grep -v '^trace-' "$work/.out" >"$name.report"
}
estimated random -k 6 --select=random --points-per-cluster=6
check random.holds /usr/bin/python3 - <<-'END'
	import json
	r = json.load(open("random.report"))
	assert r["bounds"] == "stratified" and r["confidence"] == 99.7, r
	facts = [e for e in r["estimates"] if not e["table"] and e["low"] is not None]
	# Rarer events than one in a hundred instructions are in few intervals: six points do not show their spread.
	total = next(e["whole"] for e in facts if e["name"] == "instructions")
	facts = [e for e in facts if e["whole"] >= total / 100]
	outside = [e["name"] for e in facts if not e["low"] - 1e-6 <= e["whole"] <= e["high"] + 1e-6]
	assert len(facts) > 5 and len(outside) <= len(facts) // 5, outside
	assert all(e["low"] <= e["estimate"] <= e["high"] for e in facts)
END
estimated systematic --select=systematic:20
check_match systematic.kind '"bounds": "collapsed"' systematic.report
estimated centre -k 6
check_match centre.kind '"bounds": "none"' centre.report
check_equal centre.columns 0 "$(grep -c '"low"' centre.report)"
check_match centre.says 'the points were not drawn at random' "$work/.out"
check_status no_plan 0 "$extrapolate" --run=mix --confidence=0.95 random.s.*.trace
check_match no_plan.says 'the strata are not known; give the plan of the points with --plan' "$work/err"

# ---- slices are missing: counts are those of what the others stand for, and strata without slices are left out ----
# missing NAME OPTION...: all slices of the greatest stratum are missing, and one of each other that has three.
missing() {
	local name=$1
	shift
	check "missing.$name" "$extrapolate" -q --run=mix --plan=random.json --confidence=99.7% --format=json "$@" $(cat kept)
	cp "$work/.out" "missing.$name.json"
}
cat >kept.py <<-'END'
	import json
	plan = json.load(open("random.json"))
	strata = [h for h, s in enumerate(plan["strata"]) for _ in range(s["points"])]
	greatest = max(range(len(plan["strata"])), key=lambda h: plan["strata"][h]["weight"])
	kept = [(p, h) for i, (p, h) in enumerate(zip(plan["points"], strata))
	        if h != greatest and (strata[:i].count(h) != 1 or plan["strata"][h]["points"] < 3)]
END
/usr/bin/python3 - >kept <<-'END'
	exec(open("kept.py").read())
	print(*(f"random.s.{p['cluster']}.trace" for p, _ in kept))
END
missing part
missing whole --renormalise
check missing.oracle /usr/bin/python3 - <<-'END'
	import json, subprocess, os
	exec(open("kept.py").read())
	part, whole = (json.load(open(f"missing.{n}.json")) for n in ("part", "whole"))
	weight = sum(p["weight"] for p, _ in kept)
	assert 0 < weight < 0.8 and abs(part["weights"] - weight) < 1e-9, (part["weights"], weight)
	found = {h: [] for _, h in kept}
	for p, h in kept:
	    found[h].append(json.loads(subprocess.check_output(
	        [os.environ["BIN"] + "/trace-mix", "--format=json", "--region=simulation", f"random.s.{p['cluster']}.trace"])))
	def total(name):
	    return sum(plan["strata"][h]["intervals"] * sum(r[name] for r in rs) / len(rs) for h, rs in found.items())
	values = [{e["name"]: e["estimate"] for e in r["estimates"] if not e["table"]} for r in (part, whole)]
	for name in ("instructions", "loads", "stores"):
	    ratio = total(name) / total("instructions")
	    for n, v in zip((weight, 1), values):
	        guess = ratio * part["instructions"] * n
	        assert abs(v[name] - guess) <= 1e-9 * guess, (name, v[name], guess)
	assert part["counts_of"] == "part of program with slices" and whole["counts_of"] == "program, renormalised"
END
check_status missing.says 0 "$extrapolate" --run=mix --plan=random.json --confidence=0.9 $(cat kept)
check_match missing.says.bounds 'do not include the part of the program without slices' "$work/err"

# ---- points where they pay ----
check metric "$extrapolate" -q --run=mix --plan=random.json --metric=loads --format=json random.s.*.trace
cp "$work/.out" measured.json
check allocate "$simpoint" -q --counter=exact --interval=10k -k 6 --select=random --allocate=measured.json --total=50 \
	-o allocated whole.trace
check allocate.neyman /usr/bin/python3 - <<-'END'
	import json
	measured = {s["stratum"]: s for s in json.load(open("measured.json"))["strata"]}
	strata = json.load(open("allocated.json"))["strata"]
	assert sum(s["points"] for s in strata) == 50, strata
	rest = [(s["points"] - 2, s["intervals"] * measured[s["stratum"]]["spread"]) for s in strata
	        if 2 < s["points"] < s["intervals"]]
	scale = sum(n for n, _ in rest) / sum(x for _, x in rest)
	assert rest and all(abs(n - x * scale) < 1.5 for n, x in rest), (rest, scale)
END

# ---- refusals ----
refused() {
	check_status "refused.$1" "$2" "$extrapolate" "${@:4}"
	check_match "refused.$1.says" "$3" "$work/err"
}
refused confidence 2 'confidence=2: must be above 0 and below 1' --confidence=2 one/0000.json
refused precision 2 'precision=0: must be above 0 and below 1' --precision=0 one/0000.json
refused metric 2 'metric needs --plan, which gives the strata' --metric=x one/0000.json
refused no_metric 1 'metric=x: the results have no such number' --plan=one/plan.json --metric=x one/0*.json
refused results 1 'one/0000.json: does not name its point of one/plan.json' --plan=one/plan.json one/0000.json
refused many 1 'one/plan.json: has [0-9]* points for [0-9]* results' --plan=one/plan.json one/0*.json one/0000.json
refused plan 1 'has no points with strata' --plan=one/truth.json one/0000.json
slices=(random.s.*.trace)
refused twice 1 'is of the same point of random.json as another result' --run=mix --plan=random.json "${slices[0]}" \
	"${slices[@]:0:${#slices[@]}-1}"
check_status refused.allocate 1 "$simpoint" -k 6 --allocate=one/plan.json --total=50 whole.bb
check_match refused.allocate.says 'has no spreads of the strata' "$work/err"
check_status refused.allocate_total 2 "$simpoint" --allocate=measured.json whole.bb
