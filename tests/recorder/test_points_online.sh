#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-record --points=online: each phase of a program gets one slice while it runs for the first time, the slices are
# those that trace-cut cuts out of a whole recording, and their weights are the phases' shares.
. "$(dirname "$0")/../e2e/e2e.sh"
program=$PROGRAMS/phases
unit=400000
start_phases_late

# of PLAN EXPRESSION: prints a value of a plan, which Python knows as `plan` and `points`.
of() {
	/usr/bin/python3 -S -E -c 'import json, sys
plan = json.load(open(sys.argv[1]))
points = plan["points"]
print(eval(sys.argv[2]))' "$@"
}
meta() { "$BIN/trace-info" --meta "$1" | sed -n "s/^$2  *//p"; }
runs() { cut -d' ' -f1 "$1" | uniq -c | awk '{ print $2 ":" $1 }' | xargs; }

# regions TRACE: prints "name first instructions" of each region.
regions() {
	"$BIN/trace-info" --regions --format=json "$1" | /usr/bin/python3 -S -E -c '
import json, sys
for row in json.load(sys.stdin)["region_list"]:
    print(row["region"], row["first"], row["instructions"])'
}

# check_slice NAME SLICE WHOLE: the slice is that part of the whole.
check_slice() {
	local warmup=$(meta "$2" slice.warmup) n=$(info "$2" instructions)
	check "$1.verify" "$BIN/trace-verify" -q "$2"
	check "$1.cut" "$BIN/trace-cut" -q --force --from=$(($(meta "$2" slice.first) + warmup)) --count=$((n - warmup)) \
		--warmup=$warmup -o expected.trace "$3"
	for trace in "$2" expected.trace; do
		{
			code --count=300 "$trace"
			code --from=$((n - 300)) "$trace"
			"$BIN/trace-mix" --by=symbol --format=csv "$trace"
			regions "$trace"
		} >"${trace##*/}.contents"
	done
	check "$1.contents" cmp expected.trace.contents "${2##*/}.contents"
}

# ---- phases that last for several intervals ----
record whole.trace -- "$program" A3B2A3C1D4 $unit
check_status phases 0 "$BIN/trace-record" --points=online --interval=100k -o slices/ -- "$program" A3B2A3C1D4 $unit
plan=slices/phases.json
check phases.says grep -q '^trace-record: slices/phases.\*.trace: 5 slices of 53 intervals' err
check phases.all grep -q '^trace-record: each of 5 clusters has a slice' err
check_equal phases.files "phases.0.trace phases.1.trace phases.2.trace phases.3.trace phases.4.trace phases.json phases.labels" \
	"$(ls slices | xargs)"
check_equal phases.labels "0:1 1:12 2:8 1:12 3:4 4:16" "$(runs slices/phases.labels)"
check_equal phases.intervals "1 24 8 4 16" "$(of $plan '" ".join(str(p["intervals"]) for p in points)')"
total=$(info whole.trace instructions)
check_equal phases.total "$total" "$(of $plan 'plan["instructions"]')"
check_equal phases.weights 1.0 "$(of $plan 'round(sum(p["weight"] for p in points), 12)')"
check_equal phases.shares True "$(of $plan "all(abs(p['weight'] * $total - units * $unit) < 110000
	for p, units in zip(points[1:], (6, 2, 1, 4)))")"
check_equal phases.multipliers $total \
	"$(of $plan 'round(sum(p["multiplier"] * (p["filtered_end"] - p["filtered_start"]) for p in points), 3)' | sed 's/\.0$//')"
check_equal phases.first 0 "$(of $plan 'points[0]["start"]')"
check_equal phases.lengths True "$(of $plan 'all(98900 <= p["end"] - p["start"] <= 110000 for p in points)')"
check_equal phases.represented 100.0 "$(of $plan 'plan["represented"]')"
check_equal phases.outside 0.0 "$(of $plan 'plan["outside"]')"
for i in 0 1 2 3 4; do
	slice=slices/phases.$i.trace
	check_slice phases.$i $slice whole.trace
	check_equal phases.$i.first "$(of $plan "points[$i]['start']")" "$(meta $slice slice.first)"
	check_equal phases.$i.weight True "$(of $plan "abs(points[$i]['weight'] - $(meta $slice slice.weight)) < 1e-12")"
	check_equal phases.$i.multiplier True "$(of $plan "points[$i]['multiplier'] == $(meta $slice slice.multiplier)")"
	check_equal phases.$i.parent "$total" "$(meta $slice slice.parent-instructions)"
	check_equal phases.$i.interval "$(of $plan "points[$i]['interval']")" "$(meta $slice slice.interval)"
done
check_status phases.estimate 0 "$BIN/trace-extrapolate" --plan=$plan --run=mix --format=json slices/phases.?.trace
check phases.loads awk -v estimate="$(/usr/bin/python3 -S -E -c 'import json
print(next(e["estimate"] for e in json.load(open("out"))["estimates"] if e["name"] == "loads"))')" \
	-v whole="$("$BIN/trace-mix" --format=json whole.trace | sed -n 's/^ *"loads": \([0-9]*\),$/\1/p' | head -1)" \
	'BEGIN { exit !(whole > 0 && estimate > 0.97 * whole && estimate < 1.03 * whole) }'

# ---- warm-up, fewer clusters, --force ----
check_status exists 125 "$BIN/trace-record" --points=online --interval=100k -o slices/ -- "$program" A3B2A3C1D4 $unit
check exists.says grep -q 'slices/phases.*use --force' err
check_status warmup 0 "$BIN/trace-record" --force --points=online --interval=100k --warmup=20k --max-k=3 -o slices/ -- \
	"$program" A3B2A3C1D4 $unit
check_equal warmup.labels "0 1 2" "$(cut -d' ' -f1 slices/phases.labels | sort -u | xargs)"
check_equal warmup.first 0 "$(meta slices/phases.0.trace slice.warmup)"
check_equal warmup.second True "$(of $plan "20000 <= $(meta slices/phases.1.trace slice.warmup) <= 26000")"
check_slice warmup slices/phases.1.trace whole.trace
check_equal warmup.total "$total" "$(of $plan 'plan["instructions"]')"
check_equal warmup.multipliers $total \
	"$(of $plan 'round(sum(p["multiplier"] * (p["filtered_end"] - p["filtered_start"]) for p in points), 3)' | sed 's/\.0$//')"
check warmup.outside grep -q '% of the program is farther than 20 % from its cluster, as there are 3 clusters already' err
check warmup.stale test ! -e slices/phases.3.trace -a ! -e slices/phases.4.trace

# ---- a phase of one interval has no slice; a second run records it ----
check_status missing 4 "$BIN/trace-record" --points=online --interval=100k -o one -- "$program" B9A1B1C1B9A2 100000
check missing.says grep -q 'clusters have a slice, and represent [0-9.]* % of the program; --points=one.missing.json' err
check_equal missing.both 1.0 "$(of one.json 'round(sum(p["weight"] for p in points + plan["missing"]), 12)')"
check_equal missing.represented True \
	"$(of one.json 'abs(100 * sum(p["weight"] for p in points) - plan["represented"]) < 1e-9 and plan["represented"] < 100')"
check_status missing.first 0 "$BIN/trace-extrapolate" --run=mix one.[0-9]*.trace
check missing.part grep -q 'the slices stand for [0-9.]* % of the program' err
check_status missing.second 0 "$BIN/trace-record" --points=one.missing.json -o one -- "$program" B9A1B1C1B9A2 100000
n=$(of one.json 'plan["clusters"]')
check_equal missing.files "$n" "$(ls one.[0-9]*.trace | wc -l)"
check_status missing.estimate 0 "$BIN/trace-extrapolate" --run=mix one.[0-9]*.trace
check missing.weights sh -c '! grep -q "the slices stand for" err'

# ---- a cluster that comes back after runs of equal length is recorded when it does ----
check_status again 0 "$BIN/trace-record" --points=online --interval=100k -o again -- "$program" A3C1A3C1A3C1A3 100000
check_equal again.missing "[]" "$(of again.json '[p for p in plan["missing"] if p["intervals"] > 2]')"

# ---- threads run one at a time, so that two runs are the same; slices are those of all threads ----
for run in 1 2; do
	check_status threads.$run 0 "$BIN/trace-record" -q --points=online --interval=200k --exclude=default -o threads$run -- \
		"$PROGRAMS/workers" 3 500000
done
check threads.same cmp threads1.labels threads2.labels
check threads.verify "$BIN/trace-verify" -q threads1.0.trace
check_equal threads.all all "$(meta threads1.0.trace slice.thread)"
check_equal threads.sum True "$(of threads1.json \
	'abs(sum(p["weight"] for p in points + plan["missing"]) - 1) < 1e-12')"

# ---- processes: intervals are those of all of them ----
check_status processes.status 6 "$BIN/trace-record" -q --follow --points=online --max-k=1 --interval=100k -o processes -- "$PROGRAMS/processes"
"$BIN/trace-record" -q --force --follow --points=online --interval=100k -o processes -- "$PROGRAMS/processes" >out 2>err
check_equal processes $? "$(of processes.json '4 if plan["missing"] else 6')"
check_equal processes.several True "$(of processes.json 'plan["intervals"] >= 4')"
check_equal processes.sum True "$(of processes.json \
	'abs(sum(p["weight"] for p in points + plan["missing"]) - 1) < 1e-12')"
for slice in processes.[0-9]*.trace; do
	check "$slice" "$BIN/trace-verify" -q "$slice"
done

# ---- stepping ----
if ! is_quick; then
	check_status step 0 "$BIN/trace-record" -q --backend=step --points=online --interval=100k -o step -- "$program" A2 50000
	check_equal step.length 100000 "$(of step.json 'points[0]["end"]')"
	record stepped.trace -- "$program" A2 50000
	check_slice step step.0.trace stepped.trace
fi

# ---- wrong options ----
for option in --vectors --skip=10 --time=1 --strict --after=kill --on-miss=ordinal --interval=99999 --max-k=0 \
	--radius=0 --radius=1 --boundary=loop '-o -'; do
	check_status "usage $option" 2 "$BIN/trace-record" --points=online $option true
done
check_status usage.radius 2 "$BIN/trace-record" --radius=0.1 true
check_status usage.max-k 2 "$BIN/trace-record" --vectors --max-k=5 true
