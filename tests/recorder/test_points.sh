#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-record --points: slices that a second run records are those that trace-cut cuts out of a whole recording.
. "$(dirname "$0")/../e2e/e2e.sh"
plan_of() { /usr/bin/python3 -S -E "$tests/recorder/points_plan.py" "$@"; }

# meta TRACE KEY: prints a META line's value.
meta() { "$BIN/trace-info" --meta "$1" | sed -n "s/^$2  *//p"; }

# field PLAN POINT KEY: prints a number of a plan's point.
field() {
	/usr/bin/python3 -S -E -c 'import json, sys
print(json.load(open(sys.argv[1]))["points"][int(sys.argv[2])][sys.argv[3]])' "$@"
}

# regions TRACE: prints "name first instructions" of each region.
regions() {
	"$BIN/trace-info" --regions --format=json "$1" | /usr/bin/python3 -S -E -c '
import json, sys
for row in json.load(sys.stdin)["region_list"]:
    print(row["region"], row["first"], row["instructions"])'
}

# expect WHOLE FIRST COUNT WARMUP: makes $expected.code and $expected.regions of that part of the whole, once for
# all slices that are to have it.
expect() {
	expected=expected-$(stat -c %i-%Y "$1")-$2-$3-$4
	[ ! -e "$expected.code" ] || return 0
	"$BIN/trace-cut" -q --force --from=$2 --count=$3 --warmup=$4 -o expected.trace "$1" &&
		regions expected.trace >"$expected.regions" && code expected.trace >"$expected.code"
}

# check_slice NAME SLICE WHOLE FIRST COUNT WARMUP: the slice is that part of the whole.
check_slice() {
	check "$1.verify" "$BIN/trace-verify" -q "$2"
	check "$1.cut" expect "$3" "${@:4}"
	check "$1.code" cmp "$expected.code" <(code "$2")
	check_equal "$1.regions" "$(<"$expected.regions")" "$(regions "$2")"
	check_equal "$1.warmup" "$6" "$(meta "$2" slice.warmup)"
}

# ---- by instructions, where a plan has no markers ----
for i in {1..60}; do
	cat "$tests/README.md"
done >text
record vectors.trace --vectors --interval=200k -- gzip -c text >native
check simpoint "$BIN/trace-simpoint" --max-k=4 -o vectors vectors.trace
/usr/bin/python3 -S -E -c 'import json
plan = json.load(open("vectors.json"))
for point in plan["points"]:
    point.pop("first", None), point.pop("behind", None), point.pop("warmup", None)
json.dump(plan, open("ordinals.json", "w"))'
record whole.trace -- gzip -c text >whole.out
check_status ordinals 0 "$BIN/trace-record" --points=ordinals.json --warmup=30k -o slices/ -- gzip -c text
mv out slices.out
mv err slices.err
check ordinals.output cmp native slices.out
check ordinals.windows test ! -e slices/gzip.windows.trace
n=$(ls slices | wc -l)
check ordinals.several [ $n -gt 1 ]
for ((i = 0; i < n; i++)); do
	start=$(field ordinals.json $i start)
	warmup=$((start < 30000 ? start : 30000))
	slice=slices/gzip.$(field ordinals.json $i cluster).trace
	check_slice ordinals.$i "$slice" whole.trace $start $(($(field ordinals.json $i end) - start)) $warmup
	check_equal ordinals.$i.first $((start - warmup)) "$(meta "$slice" slice.first)"
done
check_equal meta.profile "$(info vectors.trace uuid)" "$(meta slices/gzip.0.trace slice.profile)"
check_equal meta.drift 0 "$(meta slices/gzip.0.trace slice.drift)"
check meta.weight awk -v plan="$(field ordinals.json 0 weight)" -v slice="$(meta slices/gzip.0.trace slice.weight)" \
	'BEGIN { exit !(plan + 0 == slice + 0 && slice > 0) }'
check same.says grep -q '^trace-record: [0-9]* intervals outside of the slices are the same as in run 1' slices.err
check_equal meta.match 1 "$(meta slices/gzip.0.trace slice.match)"
check extrapolate "$BIN/trace-extrapolate" --run=mix slices/gzip.*.trace
check_status exists 125 "$BIN/trace-record" -q --points=ordinals.json -o slices/ -- gzip -c text
check exists.says grep -q 'slices/gzip.*use --force' err

# ---- a plan of vectors with markers and warm-up: the slices are those parts of a whole recording ----
# planned NAME PROGRAM ARGUMENT...
planned() {
	local name=$1 option i slice start warmup
	shift
	record $name.vectors.trace --vectors --interval=100k --boundary=loop -- "$@" >native
	check $name.simpoint "$BIN/trace-simpoint" -q -k 4 -o $name $name.vectors.trace
	record $name.trace -- "$@" >whole.out
	for option in '' --warmup=0; do
		check_status $name$option 0 "$BIN/trace-record" --force --points=$name.json $option -o $name -- "$@"
		check $name$option.output cmp native out
		for i in 0 1 2 3; do
			slice=$name.$(field $name.json $i cluster).trace
			start=$(field $name.json $i start)
			warmup=$(/usr/bin/python3 -S -E -c 'import json, sys
point = json.load(open(sys.argv[1]))["points"][int(sys.argv[2])]
print(point["start"] - point["warmup"]["start"] if point["warmup"] and not sys.argv[3] else 0)' $name.json $i "$option")
			check_slice $name$option.$i $slice $name.trace $start $(($(field $name.json $i end) - start)) $warmup
			check_equal $name$option.$i.match "1 0" "$(meta $slice slice.match) $(meta $slice slice.drift)"
		done
	done
	check $name.markers grep -q '"count": [1-9]' $name.json
}
# The loops of phases have few instructions, so that markers are executed often, and superblocks continue beyond them.
planned phases "$PROGRAMS/phases" A3B2A3C1D4 200000
planned gzip gzip -c text
planned sqlite3 sqlite3 :memory: 'create table t(a,b); with recursive n(i) as (select 1 union all select i+1 from n where i<2000)
	insert into t select i, (i*7919)%30007 from n; create index x on t(b); select sum(a) from t where b % 3 = 0;'

# ---- what differs from the first run ----
check_status other.arguments 4 "$BIN/trace-record" --force --points=ordinals.json -o other -- gzip -1 -c text
check other.arguments.says grep -q 'warning: slice .*: [0-9.]* % of its instructions as in run 1' err
check other.arguments.cause grep -q 'run 2 departs from run 1 in interval [0-9]* ([0-9.]* % of run 1): .*; the arguments differ$' err
least=$(for slice in other.[0-9]*.trace; do meta "$slice" slice.match; done | sort -g | head -n 1)
check other.arguments.match awk -v same="$least" 'BEGIN { exit !(same != "" && same < 0.95) }'
check_status other.variable 0 env another=variable "$BIN/trace-record" --force --points=ordinals.json -o other -- \
	gzip -c text
check other.variable.cause grep -q 'run 2 departs .* other code, most in .*; .*environment variable another differs' err
check other.variable.match awk -v same="$(meta other.1.trace slice.match)" 'BEGIN { exit !(same > 0.95) }'
mkdir -p elsewhere
check_status other.folder 0 sh -c 'cd elsewhere && "$@"' sh "$BIN/trace-record" --force --points="$PWD/ordinals.json" \
	-o other -- gzip -c "../text"
check_status strict 4 env another=variable "$BIN/trace-record" --force --strict --points=ordinals.json -o other -- \
	gzip -c text
check strict.says grep -q 'run 2 departs from run 1 in interval 0 ' err
check strict.ends grep -q ' 0 of [0-9]* slices' err
cp ordinals.json moved.json
sed -i 's/"trace": "[^"]*"/"trace": "gone.trace"/' moved.json
check_status no_profile 0 "$BIN/trace-record" --force --points=moved.json -o other -- gzip -c text
check no_profile.says grep -q 'moved.json: the trace that it was made from is not there: slices cannot be compared' err
check_equal no_profile.match '' "$(meta other.1.trace slice.match)"
sed -i 's/"trace": "[^"]*"/"trace": "whole.trace"/' moved.json
check_status other_profile 0 "$BIN/trace-record" --force --points=moved.json -o other -- gzip -c text
check other_profile.says grep -q 'whole.trace: is not the trace that moved.json was made from' err

# ---- one cause at a time: the message names it, and the slices of a static program are as in run 1 ----
program=$PROGRAMS/phases
record alone.trace --vectors --interval=100k -- "$program" A3B2A3C1D4 200000
check alone.simpoint "$BIN/trace-simpoint" -q -k 4 -o alone alone.trace
# alone NAME REGEX OPTION... -- COMMAND...: records the slices with something else than in run 1.
alone() {
	local name=$1 regex=$2
	local -a options command
	shift 2
	split_options "$@"
	check_status "alone.$name" 0 "${command[@]:0:${#command[@]}-3}" "$BIN/trace-record" --force "${options[@]}" \
		--points=alone.json --warmup=0 -o alone "$program" "${command[@]: -2}"
	check "alone.$name.cause" grep -qE "^trace-record: (run 2 departs from run 1 in|no difference from run 1 was found) .*$regex" err
	for slice in alone.[0-9].trace; do
		check "alone.$name.match.$slice" awk -v same="$(meta $slice slice.match)" 'BEGIN { exit !(same >= 0.999) }'
	done
}
alone variable 'environment variable another differs' -- env another="$(printf %064d 1)" -- A3B2A3C1D4 200000
alone locale 'environment variable LC_ALL differs' -- env LC_ALL=de_DE.UTF-8 -- A3B2A3C1D4 200000
alone aslr '--aslr differs' --aslr -- env -- A3B2A3C1D4 200000
alone cpu '--cpu differs' --cpu=x86-64-v2 -- env -- A3B2A3C1D4 200000
alone arguments 'the arguments differ' -- env -- A3B2A3C1D5 200000
check_status alone.other_arguments 4 "$BIN/trace-record" --force --points=alone.json --warmup=0 -o alone -- "$program" \
	C3D2B9 200000

# ---- by markers: the loops begin elsewhere in each run, and the slices are the same ----
# P executes 100 instructions more for each unit of the last three digits of the process's number.
pid_of() { "$BIN/trace-info" --threads --format=csv "$1" | awk -F, '$1 == "thread" { getline; print $3 % 1000; exit }'; }
schedule=P1A3B2A3C1D4
record whole.trace -- "$program" $schedule 50000
plan_of "$program" whole.trace "$BIN/trace-cut" run 4 8 11 >markers.json
for run in 1 2 3; do
	while
		"$BIN/trace-record" --force --points=markers.json --warmup=0 -o drifty -- "$program" $schedule 50000 >out 2>err
		status=$?
		# on a busy computer that may be a thousand processes later
		[ $status = 0 ] && [ "$(pid_of drifty.1.trace)" = "$(pid_of whole.trace)" ]
	do :; done
	check_equal markers.$run 0 $status
	check markers.$run.drift grep -q "slice 1 (interval 8): begins [0-9,]* instructions [a-z]* than in run 1" err
	for i in 0 1 2; do
		start=$(field markers.json $i start)
		check_slice markers.$run.$i drifty.$i.trace whole.trace $start $(($(field markers.json $i end) - start)) 0
	done
	check_equal markers.$run.same "$(meta drifty.0.trace slice.drift)" "$(meta drifty.2.trace slice.drift)"
done
check_equal markers.exact $((($(pid_of drifty.1.trace) - $(pid_of whole.trace)) * 100)) "$(meta drifty.1.trace slice.drift)"
check_equal markers.begin 'phases+0x.* count 8' \
	"$(meta drifty.1.trace slice.marker-begin | sed 's/0x[0-9a-f]*/0x.*/')"
check_equal markers.multiplier 2.5 "$(meta drifty.1.trace slice.multiplier)"
check_equal markers.tier 1 "$(meta drifty.1.trace slice.tier)"
check_equal markers.total 123456789 "$(meta drifty.1.trace slice.parent-instructions)"
check_status warmup 0 "$BIN/trace-record" -q --force --points=markers.json --warmup=7000 -o warm -- \
	"$program" $schedule 50000
check warmup.code cmp <(code drifty.1.trace) <(code --from=7000 warm.1.trace)
check_status planned_warmup 0 "$BIN/trace-record" -q --force --points=markers.json -o warm -- "$program" $schedule 50000
check_equal planned_warmup $(($(field markers.json 1 start) - $(/usr/bin/python3 -S -E -c '
import json; print(json.load(open("markers.json"))["points"][1]["warmup"]["start"])'))) "$(meta warm.1.trace slice.warmup)"
record short.trace -- "$program" A9 2000
plan_of "$program" short.trace "$BIN/trace-cut" run 4 8 >short.json
check_status step 0 "$BIN/trace-record" -q --force --backend=step --points=short.json --warmup=0 -o step -- \
	"$program" A9 2000
check_slice step step.1.trace short.trace $(field short.json 1 start) \
	$(($(field short.json 1 end) - $(field short.json 1 start))) 0

# ---- markers come much earlier, or much later, than the plan says: they decide, not the instructions ----
for factor in 5 0.2; do
	/usr/bin/python3 -S -E -c 'import json, sys
plan = json.load(open("markers.json"))
for point in plan["points"]:
    for key in "start", "end", "filtered_start", "filtered_end":
        if key in point:
            point[key] = int(point[key] * float(sys.argv[1]))
json.dump(plan, open("moved_markers.json", "w"))' $factor
	check_status moved.$factor 0 "$BIN/trace-record" -q --force --points=moved_markers.json --warmup=0 -o moved -- \
		"$program" $schedule 50000
	for i in 0 1 2; do
		start=$(field markers.json $i start)
		check_slice moved.$factor.$i moved.$i.trace whole.trace $start $(($(field markers.json $i end) - start)) 0
	done
done

# ---- a marker that is not reached ----
sed '0,/"count": 9/s//"count": 900/' markers.json >missing.json
check_status missing 4 "$BIN/trace-record" --force --points=missing.json -o missing -- "$program" ${schedule}A9 50000
check missing.says grep -q 'slice 1 (interval 8) is not recorded: its end, phases+0x[0-9a-f]* count 900, was not reached within' err
check missing.others test -s missing.0.trace -a -s missing.2.trace -a ! -e missing.1.trace
sed 's/"count": 8/"count": 90000/' markers.json >missing.json
check_status missing_begin 4 "$BIN/trace-record" --force --points=missing.json -o missing -- "$program" $schedule 50000
check missing_begin.says grep -q 'slice 1 (interval 8) is not recorded: its beginning, phases+0x[0-9a-f]* count 90,000, was not reached' err

check_status missing_ordinal 0 "$BIN/trace-record" --force --points=missing.json --warmup=0 --on-miss=ordinal \
	-o missing -- "$program" $schedule 50000
check missing_ordinal.says grep -q 'slice 1 (interval 8): its markers were not reached; it begins at the same number' err
check_equal missing_ordinal.marker none "$(meta missing.1.trace slice.marker-begin)"
check_equal missing_ordinal.first "$(field missing.json 1 start)" "$(meta missing.1.trace slice.first)"
check_equal missing_ordinal.length $(($(field missing.json 1 end) - $(field missing.json 1 start))) \
	"$(info missing.1.trace instructions)"

# ---- the begin is next, and does not come for long: another phase comes before it ----
record planned.trace --vectors --interval=100k --boundary=loop -- "$program" A9B5A3 50000
check next.simpoint "$BIN/trace-simpoint" -q --max-k=4 -o planned planned.trace
record short_phase.trace --vectors --interval=100k --boundary=loop -- "$program" A4B1 50000
"$BIN/trace-simpoint" --compare --format=json short_phase.trace short_phase.trace >heads.json
/usr/bin/python3 -S -E -c 'import json
plan, heads = (json.load(open(name)) for name in ("planned.json", "heads.json"))
point = min((p for p in plan["points"] if p["first"]), key=lambda p: p["interval"])
so_far = max(head["executions"] for head in heads["heads"])
# The loop of phase A is met most often; which loop is met at an end depends on the environment.
loop = max((p[end] for p in plan["points"] for end in ("first", "behind") if p[end]), key=lambda m: m["count"])
point.update(start=505000, filtered_start=505000, end=610000, filtered_end=610000)
point["first"] = {**loop, "count": so_far + 1}
point["behind"] = {**loop, "count": so_far + 10001}
point.pop("warmup")
plan["points"] = [point]
json.dump(plan, open("next.json", "w"))'
rm planned.trace # its other markers would show that the program is elsewhere
check_status next 0 timeout $patience "$BIN/trace-record" --force --points=next.json --warmup=0 -o next -- "$program" A4B60A9 50000
check next.says grep -q 'begins 2,[0-9]*,[0-9]* instructions later than in run 1' err

# ---- what happens to the program afterwards ----
check_status kill 0 timeout $patience "$BIN/trace-record" -q --force --points=markers.json --warmup=0 --after=kill \
	-o killed -- "$program" ${schedule}A999999999 50000
check kill.slice "$BIN/trace-verify" -q killed.2.trace

# ---- threads: markers count the executions of all of them ----
threads=("$PROGRAMS/workers" 3 5000000)
record threads.trace --vectors --interval=200k -- "${threads[@]}"
check threads.simpoint "$BIN/trace-simpoint" --max-k=4 -o threads threads.trace
check_status threads 0 "$BIN/trace-record" --force --points=threads.json --warmup=20k -o threads -- "${threads[@]}"
check threads.slice test -s threads.0.trace

# ---- threads execute in another order: the end comes much too early or too late ----
for side in early late; do
	/usr/bin/python3 -S -E -c 'import json, sys
plan = json.load(open("threads.json"))
plan["points"] = [p for p in plan["points"] if p["first"] and p["behind"]][:1]
point = plan["points"][0]
first, behind = point["first"], point["behind"]
if sys.argv[1] == "early":
    behind.update({**first, "count": first["count"] + 1})
else:
    behind["count"] += behind["count"] - first["count"] + 10 ** 6
json.dump(plan, open("moved.json", "w"))' $side
	"$BIN/trace-record" --force --points=moved.json --warmup=0 -o moved_$side -- "${threads[@]}" >out 2>err
	slice=$(echo moved_$side.*.trace)
	check length.$side.says grep -q 'its end came too early or too late, as threads execute in another order' err
	check_equal length.$side.marker none "$(meta "$slice" slice.marker-end)"
	length=$(info "$slice" instructions) expected=$(($(field moved.json 0 end) - $(field moved.json 0 start)))
	check length.$side [ $((length - expected)) -ge -1000 -a $((length - expected)) -le 1000 ]
done
for slice in threads.[0-9]*.trace; do
	check threads.verify.$slice "$BIN/trace-verify" -q $slice
	check_equal threads.all.$slice all "$(meta $slice slice.thread)"
	check threads.match.$slice awk -v same="$(meta $slice slice.match)" 'BEGIN { exit !(same > 0.95) }'
done

# ---- wrong options ----
check_status usage.warmup 2 "$BIN/trace-record" --warmup=5 true
check_status usage.on-miss 2 "$BIN/trace-record" --on-miss=ordinal true
check_status usage.strict 2 "$BIN/trace-record" --strict true
check_status usage.after 2 "$BIN/trace-record" --after=kill true
for option in --vectors --follow --skip=10 --count=10 --max-size=1M '-o -'; do
	check_status "usage $option" 2 "$BIN/trace-record" --points=markers.json $option true
done

# ---- plans that are none ----
echo '{ "trace": "t", "points": [ ] }' >bad.json
check_status bad.empty 125 "$BIN/trace-record" --points=bad.json true
sed 's/"pc"/"qc"/' markers.json >bad.json
check_status bad.marker 125 "$BIN/trace-record" --points=bad.json true
check bad.marker.says grep -q 'bad.json: point 1 is not one that trace-simpoint writes' err
head -c 300 markers.json >bad.json
check_status bad.json 125 "$BIN/trace-record" --points=bad.json true
check_status bad.trace 125 "$BIN/trace-record" --points=vectors.trace true
grep -v '"trace"' markers.json >bad.json
check_status bad.vectors 125 "$BIN/trace-record" --points=bad.json true
check bad.vectors.says grep -q 'choose points of a trace' err
check_status bad.none 125 "$BIN/trace-record" --points=none.json true
# A value of another type is no missing one.
echo '{"trace": "t", "points": [{"cluster": 0, "interval": 0, "start": 5, "end": 9}]}' >plain.json
check_status plain 0 "$BIN/trace-record" -q --force -o plain --points=plain.json true
for change in '"weight": "1"' '"multiplier": true' '"filtered_start": 1.5' '"filtered_start": 1e18' '"weight": -1'; do
	sed "s/{\"cluster\":/{$change, \"cluster\":/" plain.json >bad.json
	check_status "bad.$change" 125 "$BIN/trace-record" --points=bad.json true
	check "bad.$change.says" grep -q 'bad.json: point 1 is not one that trace-simpoint writes' err
done
for name in thread interval_size instructions filtered; do
	sed "s/{\"trace\":/{\"$name\": \"1\", \"trace\":/" plain.json >bad.json
	check_status "bad.$name" 125 "$BIN/trace-record" --points=bad.json true
	check "bad.$name.says" grep -q "bad.json: its \"$name\" is no number from 0 on" err
done
sed 's/"cluster": 0/"cluster": 0, "cluster": 1/' plain.json >bad.json
check_status bad.twice 125 "$BIN/trace-record" --points=bad.json true
check bad.twice.says grep -q 'bad.json, line 1: duplicate object key' err
