#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-sample: vectors, points and slices of a program by one command.
. "$(dirname "$0")/../lib.sh"
tests=$(cd "$(dirname "$0")/.." && pwd)
cd "$work" || exit 1
program=$PROGRAMS/phases

# value FILE EXPRESSION: a part of the JSON in `s`, by Python.
value() { /usr/bin/python3 -S -E -c 'import json, sys; s = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$@"; }

check_status sample 0 "$BIN/trace-sample" --interval=1M --warmup=20k --format=json -- "$program" A3B2A3C1D4 1000000
cp out summary.json
cp err messages
check sample.commands [ "$(grep -c '^trace-sample: trace-' messages)" = 3 ]
check_equal sample.intervals 13 "$(value summary.json 's["intervals"]')"
check_equal sample.instructions "$(value phases.sample/points.json 's["instructions"]')" "$(value summary.json 's["instructions"]')"
check_equal sample.slices "$(ls phases.sample/slice.*.trace)" "$(value summary.json '"\n".join(sorted(p["slice"] for p in s["points"]))')"
check_equal sample.weights True "$(value summary.json 'abs(sum(p["weight"] for p in s["points"]) - 1) < 1e-9')"
check_equal sample.match True "$(value summary.json 'all(p["match"] == 100 and p["drift"] == 0 for p in s["points"])')"
check sample.error [ "$(value summary.json 's["vector_error"] < 50')" = True ]
for slice in phases.sample/slice.*.trace; do
	check "sample.verify.${slice#*slice.}" "$BIN/trace-verify" -q "$slice"
done
check sample.extrapolate "$BIN/trace-extrapolate" --run=mix phases.sample/slice.*.trace

# The commands that it shows do the same by hand.
sed -n 's/^trace-sample: trace-record \(--points.*\) >.*/trace-record --force \1/p' messages >command
check_status by_hand 0 env PATH="$BIN:$PATH" sh ./command
check_status exists 1 "$BIN/trace-sample" --interval=1M -- "$program" A1
check exists.says grep -q -e '--force replaces it' err

# The program reads the same input twice; its output is in the folder.
head -c 100000 "$BIN/trace-record" >input
gzip -c <input >native
check_status input 0 "$BIN/trace-sample" -q --interval=500k --max-k=2 --format=csv -o 'a folder' -- gzip -c <input
check input.first cmp native 'a folder/vectors.out'
check input.second cmp native 'a folder/slices.out'
check input.quiet test ! -s err
check input.format grep -q '^cluster,interval,weight,' out

# Estimates beside what the vectors count exactly.
check_status validate 0 "$BIN/trace-sample" --validate --interval=200k --max-k=6 --format=json -o valid -- gzip -c <input
cp out valid.json
check validate.command grep -q '^trace-sample: trace-extrapolate .* valid/slice.0.trace' err
for trace in valid/vectors.trace valid/slice.*.trace; do
	"$BIN/trace-mix" -q --by=class --format=json "$trace" >"$trace.mix" 2>/dev/null
done
check validate.errors /usr/bin/python3 - <<-'END'
	import glob, json
	s, whole = (json.load(open(path)) for path in ("valid.json", "valid/vectors.trace.mix"))
	weights = {p["slice"]: p["weight"] for p in s["points"]}
	slices = {path: json.load(open(path)) for path in glob.glob("valid/slice.*.mix")}
	assert len(slices) == len(weights) > 1
	shares = lambda mix: {row["class"]: row["share_percent"] for row in mix["classes"]}
	mix = {}
	for path, result in slices.items():
	    for name, share in shares(result).items():
	        mix[name] = mix.get(name, 0) + weights[path.removesuffix(".mix")] * share
	true = shares(whole)
	error = sum(abs(mix.get(name, 0) - true.get(name, 0)) for name in {*mix, *true}) / 2
	assert abs(s["mix_error"] - error) < 0.01 and 0 < error < 5, (s["mix_error"], error)
	rows = {row["name"]: row for row in s["validation"]}
	assert {"instructions", "branches_taken", "branches_not_taken"} <= rows.keys()
	for name, row in rows.items():
	    assert row["whole"] == whole[name] >= whole["instructions"] / 100, row
	    assert abs(row["error"] - 100 * (row["estimate"] / row["whole"] - 1)) < 1e-6, row
	guess = sum(weights[path.removesuffix(".mix")] * r["branches_taken"] / r["instructions"] for path, r in slices.items())
	estimate = rows["branches_taken"]["estimate"] / rows["instructions"]["estimate"]
	assert abs(guess / estimate - 1) < 0.01, (guess, estimate)
	# gzip has string instructions, whose accesses vectors do not have
	assert whole["unmeasured_operands"] > 0 and not {"loads", "bytes_stored"} & rows.keys()
END
# One point for all phases is worse.
check_status validate.one 0 "$BIN/trace-sample" -q --validate --interval=1M --max-k=1 --format=json -o one -- "$program" A3B2A3C1D4 1000000
cp out one.json
check_status validate.phases 0 "$BIN/trace-sample" -q --validate --interval=1M --format=json -o several -- "$program" A3B2A3C1D4 1000000
cp out several.json
check validate.worse [ "$(value one.json 's["mix_error"] > 5')$(value several.json 's["mix_error"] < 1')" = TrueTrue ]
check_status validate.threads 0 env OMP_NUM_THREADS=2 OMP_WAIT_POLICY=active "$BIN/trace-sample" -q --validate --interval=300k -o threads -- "$PROGRAMS/omp" 3
check validate.threads.says grep -q 'not validated: [0-9.]* % of the instructions synchronize threads' err
check_equal validate.threads.none 0 "$(grep -c 'mix error' out)"
check_status validate.once 2 "$BIN/trace-sample" --validate --once true
check validate.without [ "$(value summary.json '"mix_error" in s or "validation" in s')" = False ]

# One run: the plan is made by it.
start_phases_late
"$BIN/trace-sample" --once --interval=100k --max-k=8 --warmup=5k --format=json -o once -- "$program" A3B2A3C1D4 400000 >once.json 2>err
check_equal once $? "$(value once.json '4 if any(p["slice"] is None for p in s["points"]) else 0')"
check once.command [ "$(grep -c '^trace-sample: trace-record --points=online --interval=100000 --max-k=8 ' err)" = 1 ]
check once.commands [ "$(grep -c '^trace-sample: trace-' err)" = 1 ]
check_equal once.slices "$(ls once/slice.*.trace)" "$(value once.json '"\n".join(sorted(p["slice"] for p in s["points"] if p["slice"]))')"
check_equal once.clusters 5 "$(value once.json 'sum(p["slice"] is not None for p in s["points"])')"
check_equal once.represented True "$(value once.json '90 < s["represented"] <= 100')"
check_equal once.weights True "$(value once.json 'abs(100 * sum(p["weight"] for p in s["points"] if p["slice"]) - s["represented"]) < 1e-6')"
check once.error [ "$(value once.json '0 <= s["sketch_error"] < 20')" = True ]
check once.extrapolate "$BIN/trace-extrapolate" --run=mix --plan=once/slice.json once/slice.*.trace

# Clusters of one interval have no slice; the command that the warning names records them. The program's status is not 4
# for this reason, and does not matter.
check_status once.missing 4 "$BIN/trace-sample" --once --interval=100k --format=json -o 'the rest' -- "$program" B9A1B1C1B9A2 100000
cp out rest.json
check once.missing.rows [ "$(value rest.json '[str(p["cluster"]) for p in s["points"] if p["slice"] is None] != []')" = True ]
check_equal once.missing.named "$(value rest.json '", ".join(str(p["cluster"]) for p in s["points"] if p["slice"] is None)')" \
	"$(sed -n 's/^trace-sample: warning: clusters\{0,1\} \([0-9, ]*\), [0-9.]* % of the program, ha.* no slice; .*/\1/p' err)"
command=$(sed -n 's/.* no slice; \(.* --\) PROGRAM records .*/\1/p' err)
check_status once.second 0 env PATH="$BIN:$PATH" sh -c "$command \"\$@\"" sh "$program" B9A1B1C1B9A2 100000
check_equal once.second.slices "$(value rest.json 'len(s["points"])')" "$(ls 'the rest'/slice.[0-9]*.trace | wc -l)"
check_status status.4 0 "$BIN/trace-sample" -q --interval=200k -o four -- sh -c 'i=0; while [ $i -lt 4000 ]; do i=$((i+1)); done; exit 4'

# A slice of an earlier recording does not stand for one that is missing.
check_status stale 0 "$BIN/trace-sample" -q --interval=100k --max-k=4 --warmup=0 -o stale -- "$program" A3B2A3C1D4 400000
cp stale/points.json stale.json
check_status stale.missing 4 "$BIN/trace-record" -q --force --points=stale.json -o stale/slice -- "$program" A1 400000
check_equal stale.missing.slices "$(grep -c ' is not recorded: ' err)" "$(($(value stale.json 'len(s["points"])') - $(ls stale/slice.[0-9]*.trace | wc -l)))"

check_status no_program 1 "$BIN/trace-sample" -o none -- ./no-such-program
check_status usage.none 2 "$BIN/trace-sample"
check_status usage.interval 2 "$BIN/trace-sample" --interval=0 true
check_status short 1 "$BIN/trace-sample" -q -o short -- "$program" A1 1000
check short.says grep -q 'smaller --interval' err
