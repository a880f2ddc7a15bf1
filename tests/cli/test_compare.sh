#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-compare: two versions of a program, against a model of the match; stripped and static programs, other modules;
# limits and exit statuses; saved documents, also hostile ones; the same both ways round.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
cd "$work" || exit 1
mkdir old new

compile() { gcc -O1 -fcf-protection=none "$@" || exit 1; }
# record NAME COMMAND...: makes NAME.trace. The caller's environment does not decide how much the C library executes,
# and with that which call paths are too cheap to be compared.
record() { env -i "$BIN/trace-record" -q -o "$1.trace" -- "${@:2}" >/dev/null; }
compare() { "$BIN/trace-compare" -q "$@"; }
# value TABLE KEY=VALUE COLUMN: the column of the row of a table of compared.json whose key has that value.
value() { /usr/bin/python3 -c 'import json, sys
key, _, text = sys.argv[2].partition("=")
for row in json.load(open("compared.json"))[sys.argv[1]]:
    if str(row[key]) == text: print(*(row[c] for c in sys.argv[3:]))' "$@"; }
# as_model NAME A B: the functions of compared.json are those that the model matches.
as_model() {
	local t
	compare --no-phases --no-advice --no-paths --format=json "$2.trace" "$3.trace" >compared.json
	for t in "$2" "$3"; do
		"$BIN/trace-calls" -q --code --top=1000000 --threshold=0.02 --format=json "$t.trace" >"$t.json"
		"$BIN/trace-info" --modules --format=json "$t.trace" >"$t.info"
	done
	/usr/bin/python3 -B "$here/compare_model.py" "$2.json" "$3.json" "$2.info" "$3.info" compared.json >model
	check_equal "$1.model" 1 "$(wc -l <model)"
	check_match "$1.model.ways" "${4:-name}" model
}

compile -static -DPART -c -o part.o "$here/compared.c"
compile -static -o old/program "$here/compared.c" part.o
compile -static -DNEW -DWHOLE -o new/program "$here/compared.c"
record a old/program
record b new/program

# ---- two versions ----
as_model versions a b 'clone: 1 .*name: .*only in a: 1 only in b: 1 similar: 1'
how() { value functions "function_b=$1" function_a matched_by; }
check_equal versions.slower "slower name" "$(how slower)"
check_equal versions.renamed "old_name similar" "$(how new_name)"
check_equal versions.clone "cloned.constprop.0 clone" "$(how cloned.isra.7)"
check_equal versions.split "None only in b" "$(how rest)"
check_equal versions.inlined "small None only in a" "$(value functions function_a=small function_a function_b matched_by)"
check_equal versions.same 0 "$(value functions function_b=moved instructions_change)"
# Totals are those of the traces, and the sums of the functions.
check_equal versions.totals "$(info a.trace instructions) $(info b.trace instructions)" "$(value totals metric=instructions a b)"
check_equal versions.sum "$(value totals metric=loads change)" "$(/usr/bin/python3 -c 'import json
print(sum(row["loads_change"] for row in json.load(open("compared.json"))["functions"]))')"

compare --format=json a.trace b.trace >compared.json
# fib(11) has 287 calls and fib(10) 177; the outermost call is one path, with its recursion below.
check_equal versions.paths "287 177" "$(/usr/bin/python3 -c 'import json
rows = json.load(open("compared.json"))["call_paths"]
print(*(sum(r[c] or 0 for r in rows if r["function"] == "fib") for c in ("calls_b", "calls_a")))')"
check_equal versions.depth "$(value call_paths function=main depth)" "$(($(value call_paths function=caller depth) - 1))"
# Inclusive values are exclusive ones and those of the paths below.
check versions.inclusive /usr/bin/python3 -c 'import json
rows = json.load(open("compared.json"))["call_paths"]
below = {}
for r in rows:
    for side in "ab":
        below[r["caller"], side] = below.get((r["caller"], side), 0) + (r["inclusive_instructions_" + side] or 0)
assert len(rows) > 10
for r in rows:
    for side in "ab":
        value = r["exclusive_instructions_" + side], r["inclusive_instructions_" + side]
        if value[0] is not None:
            left_out = value[1] - value[0] - below.get((r["path"], side), 0)
            assert 0 <= left_out < 3000, r'
check versions.phases /usr/bin/python3 -c 'import json
c = json.load(open("compared.json"))
assert 1 < c["phase_distance_percent"] < 60, c["phase_distance_percent"]
for side in "ab":
    firsts = [s[side + "_first"] for s in c["phases"]]
    assert firsts == sorted(firsts) and firsts[0] == 0 and len(firsts) > 20'
plain=(--no-phases --no-advice)
compare "${plain[@]}" a.trace b.trace >text
check_match versions.text '^ *\+[0-9,]+  slower ' text
check_match versions.text.renamed 'old_name -> new_name ' text
check_match versions.text.tree '^ *\+[0-9,]+ +main ' text

compare --width=90 a.trace b.trace >text
check text.width test "$(wc -L <text)" -le 90
compare "${plain[@]}" --format=csv --table=functions a.trace b.trace >functions.csv
check_equal table "$(value functions function_b=rest instructions_b)" "$(/usr/bin/python3 -c 'import csv
print(*(r["instructions_b"] for r in csv.DictReader(open("functions.csv")) if r["function_b"] == "rest"))')"
# A folder receives each table, the same as --table prints.
compare "${plain[@]}" --format=csv -o tables/ a.trace b.trace
check_equal folder.tables "call_paths facts functions recorded_differently totals" "$(cd tables && echo *.csv | sed 's/\.csv//g')"
check folder.functions cmp functions.csv tables/functions.csv
mkdir one
compare "${plain[@]}" --format=csv --table=totals -o one a.trace b.trace
check folder.chosen cmp tables/totals.csv one/totals.csv
check_equal folder.only totals.csv "$(ls one)"
check_status folder.text 2 compare "${plain[@]}" -o tables/ a.trace b.trace
check_match folder.text.says 'only with --format=csv' err
check_status unknown 0 "$BIN/trace-compare" -q "${plain[@]}" --metric=instructions,misses:L9 a.trace b.trace
check_match unknown.says 'warning: misses:L9 is not compared' err
check_status table.none 2 "$BIN/trace-compare" -q "${plain[@]}" --table=nothing a.trace b.trace
check_match table.none.says "no table 'nothing'; it has facts, totals, functions, call_paths" err

# ---- the same both ways round, and no differences ----
compare --format=json b.trace a.trace >turned.json
check turned /usr/bin/python3 -c 'import json
a, b = (json.load(open(f)) for f in ("compared.json", "turned.json"))
def rows(c, first, second, sign):
    return sorted((str(r["function_" + first]), str(r["function_" + second]), r["matched_by"].replace("in " + first, "in 1").replace("in " + second, "in 2"),
                   str(r["similarity_percent"]), sign * r["instructions_change"], sign * r["loads_change"]) for r in c["functions"])
assert rows(a, "a", "b", 1) == rows(b, "b", "a", -1)
assert abs(a["phase_distance_percent"] - b["phase_distance_percent"]) < 1e-9
assert [t["change"] for t in a["totals"]] == [-t["change"] for t in b["totals"]]'
compare --format=json --threshold=0 a.trace a.trace >compared.json
check_equal identical 0 $?
check identical.zeros /usr/bin/python3 -c 'import json
c = json.load(open("compared.json"))
assert c["phase_distance_percent"] == 0 and not c["recorded_differently"] and not c["exceeded"]
assert all(v == 0 for t in ("totals", "functions", "advice") for r in c[t] for k, v in r.items() if k.endswith("change"))
assert all(r["matched_by"] == "name" and r["similarity_percent"] in (100, None) for r in c["functions"])
assert all(r["inclusive_loads_a"] == r["inclusive_loads_b"] for r in c["call_paths"])'
compare a.trace a.trace >text
check identical.text test "$(grep -cE 'functions:|call paths:|phases:|advice:|recorded' text)" = 0

# ---- stripped, dynamic, in a library ----
strip -o old/stripped old/program
strip -o new/stripped new/program
cp old/stripped new/copy
record old_stripped old/stripped
record new_stripped new/stripped
record copy new/copy
as_model stripped old_stripped new_stripped 'code: '
check stripped.code test "$(grep -o 'code: [0-9]*' model | cut -d' ' -f2)" -gt 20
# The same file with another name is the same program.
as_model copy old_stripped copy '^name: [0-9]+$'
# Another optimization changes functions beyond recognition, but not what they call.
gcc -O1 -static -o words.1 "$here/../../examples/sort-words.c" && strip words.1
gcc -O2 -static -o words.2 "$here/../../examples/sort-words.c" && strip words.2
record words.1 ./words.1 5 <"$here/compared.c"
record words.2 ./words.2 5 <"$here/compared.c"
as_model optimized words.1 words.2 'calls: '
compile -shared -fPIC -DPART -o libmoved.so.1.2 "$here/compared.c"
compile -o old/dynamic "$here/compared.c" ./libmoved.so.1.2
cp libmoved.so.1.2 libmoved.so.1.3
compile -o new/dynamic "$here/compared.c" ./libmoved.so.1.3
record library old/dynamic
record library2 new/dynamic
as_model library library library2
check_equal library.version "libmoved.so.1.2 libmoved.so.1.3 name 0" \
	"$(value functions function_b=moved module_a module_b matched_by instructions_change)"
as_model static library b module:
check_equal static.moved "libmoved.so.1.2 program module" "$(value functions function_b=moved module_a module_b matched_by)"

# ---- limits ----
n=$(info a.trace instructions)
more=$(($(info b.trace instructions) - n))
fast=(--no-phases --no-advice --no-paths)
check_status limit.within 0 "$BIN/trace-compare" -q "${fast[@]}" --threshold=$more a.trace b.trace
check_status limit.over 1 "$BIN/trace-compare" -q "${fast[@]}" --threshold=$((more - 1)) a.trace b.trace
check_match limit.says "^trace-compare: instructions in all: .*: more than $((more - 1)); [a-z]+ grew most, by" err
# Saved documents have the same limits.
for trace in a b; do
	compare "${fast[@]}" --metric=instructions,branches,misses:L1 --save=$trace.limits $trace.trace
done
check_status limit.better 0 "$BIN/trace-compare" -q "${fast[@]}" --threshold=0% b.limits a.limits
check_status limit.share 1 "$BIN/trace-compare" -q "${fast[@]}" --threshold=misses:L1:400%,branches:0.1% a.trace b.limits
check_match limit.share.says '^trace-compare: branches in all: [0-9,]+, was [0-9,]+ \(\+[0-9.]+ %\): more than 0.1%; ' err
check_equal limit.share.one 1 "$(grep -c 'more than' err)"
check_status limit.own 0 "$BIN/trace-compare" -q "${fast[@]}" --threshold=0%,instructions:1000% a.limits b.limits
compare "${fast[@]}" --format=json a.trace b.trace >compared.json
rest=$(value functions function_b=rest instructions_b)
check_status limit.function 1 "$BIN/trace-compare" -q "${fast[@]}" --function-threshold=instructions:$((rest - 1)) a.limits b.limits
check_match limit.function.says "^trace-compare: instructions rest: $(printf "%'d" "$rest" | sed ':a;s/\B[0-9]\{3\}\>/,&/;ta'), was 0: more than" err
check_status limit.function.within 0 "$BIN/trace-compare" -q "${fast[@]}" --module=no-such-module --function-threshold=0% a.limits b.limits
for wrong in 1x instructions: misses:1% x:1% '' '1%,,2' -1% nan% 1e5% cycles; do
	check_status "limit.refused.$wrong" 2 "$BIN/trace-compare" -q --threshold="$wrong" a.trace b.trace
done
check_status limit.by_function 2 "$BIN/trace-compare" -q "${fast[@]}" --function-threshold=misses:1Mi:1% a.trace b.trace
check_match limit.by_function.says 'misses:1Mi is not known by function' err
for wrong in x misses:L misses:L0 misses:L1X misses:0 misses: misses:1X instructions,; do
	check_status "metric.refused.$wrong" 2 "$BIN/trace-compare" -q --metric="$wrong" a.trace b.trace
done
compare "${fast[@]}" --metric=misses:2Ki,cycles,accesses --format=json a.trace b.trace >compared.json
check_equal metric.misses "$("$BIN/trace-stackdist" -q --cache-size=2Ki --format=json b.trace | sed -n 's/.*"misses": \([0-9]*\).*/\1/p')" \
	"$(value totals metric=misses:2Ki b)"
compare "${fast[@]}" --levels=1Ki/2,4Ki/4 --metric=misses:L1D,misses:L1,misses:L2 --format=json a.trace b.trace >levels.json
check_equal metric.levels "$("$BIN/trace-cache" -q --levels=1Ki/2,4Ki/4 --format=json b.trace | /usr/bin/python3 -c 'import json, sys
m = {r["level"]: r["misses"] for r in json.load(sys.stdin)["levels"]}
print(m["L1D"], m["L1I"] + m["L1D"], m["L2"])')" "$(/usr/bin/python3 -c 'import json
print(*(r["b"] for r in json.load(open("levels.json"))["totals"]))')"
check_equal metric.levels.functions "$("$BIN/trace-cache" -q --levels=1Ki/2,4Ki/4 --by=function --top=100000 --format=json b.trace | /usr/bin/python3 -c 'import json, sys
rows = json.load(sys.stdin)["by_function"]
print(*(sum(r["misses"] for r in rows if r["symbol"] == "main" and r["level"] in levels) for levels in (["L1D"], ["L1D", "L1I"])))')" "$(/usr/bin/python3 -c 'import json
print(*(r[m + "_b"] for r in json.load(open("levels.json"))["functions"] if r["function_b"] == "main" for m in ("misses_L1D", "misses_L1")))')"
check_equal metric.levels.sum "$(/usr/bin/python3 -c 'import json
c = json.load(open("levels.json"))
print([r["b"] for r in c["totals"]] == [sum(r[m + "_b"] for r in c["functions"]) for m in ("misses_L1D", "misses_L1", "misses_L2")])')" True
check_equal metric.cycles "$("$BIN/trace-ibs" -q --format=json b.trace | sed -n 's/.*"cycles_of_all_threads": \([0-9]*\).*/\1/p')" \
	"$(value totals metric=cycles b)"
check_equal metric.cycles.functions "$("$BIN/trace-calls" -q --cost=cycles --top=100000 --format=json b.trace | /usr/bin/python3 -c 'import json, sys
print(*(r["exclusive_cycles"] for r in json.load(sys.stdin)["functions"] if r["function"] in ("main", "slower")))')" \
	"$(for f in main slower; do value functions function_b=$f cycles_b; done | tr '\n' ' ' | sed 's/ $//')"
check_equal metric.accesses "$(($(info b.trace loads) + $(info b.trace stores)))" "$(value totals metric=accesses b)"
compare "${fast[@]}" --module=libmoved.so.1.2,libmoved.so.1.3 --format=json library.trace library2.trace >compared.json
check_equal module "1 500" "$(/usr/bin/python3 -c 'import json
c = json.load(open("compared.json"))
f = [r for r in c["functions"] if r["function_b"] == "moved"]
print(len(f), [t["b"] for t in c["totals"] if t["metric"] == "branches"][0] // 500 * 500)')"

# The environment changes what the dynamic linker and the C library execute, but not the program, and not main().
environment=(env -i TRACELAB_A="$(printf %0300d 0)" TRACELAB_B=1 TRACELAB_C=1)
"${environment[@]}" "$BIN/trace-record" -q -o environment.trace -- old/dynamic
change() { compare "${fast[@]}" --metric=instructions,loads,calls --format=json "$@" >compared.json 2>err &&
	/usr/bin/python3 -c 'import json
print(*(r["change"] for r in json.load(open("compared.json"))["totals"]))'; }
check environment.matters test "$(change library.trace environment.trace)" != "0 0 0"
check_equal environment.module "0 0 0" "$(change --module=dynamic,libmoved.so.1.2 library.trace environment.trace)"
env -i "$BIN/trace-record" -q --from=main --to=exit -o main.trace -- old/dynamic
"${environment[@]}" "$BIN/trace-record" -q --from=main --to=exit -o main.environment.trace -- old/dynamic
check_equal environment.main "0 0 0" "$(change main.trace main.environment.trace)"
check_equal environment.same 0 "$(wc -l <err)"

# ---- saved documents ----
check saved "$BIN/trace-compare" -q --save=a.saved a.trace
check_status saved.same 0 "$BIN/trace-compare" -q --threshold=0 --function-threshold=0 a.saved a.trace
compare --no-phases --format=csv a.trace b.trace | sed 1,3d >direct.csv
compare --format=csv a.saved b.trace | sed 1,3d >saved.csv
check saved.csv command cmp direct.csv saved.csv
check_status saved.limit 1 "$BIN/trace-compare" -q --threshold=0.1% a.saved b.trace
check_status saved.metric 2 "$BIN/trace-compare" -q --threshold=misses:4Ki:1% a.saved b.trace
check_match saved.metric.says 'a.saved: has no misses:4Ki' err
check_match saved.metric.help 'save it again with --metric=misses:4Ki' err
check_status saved.region 2 "$BIN/trace-compare" -q --levels=1Ki/2 a.saved b.trace
check_match saved.region.says 'were measured with other options' err
check_status saved.itself 2 "$BIN/trace-compare" -q --save=a.trace a.trace
check_match saved.itself.says 'a.trace: is the trace itself' err

# Text shows a call path from a 50th of the greatest change on.
for change in 99 100; do
	/usr/bin/python3 - $change <<'PYEND'
import json, sys
whole = json.load(open("a.saved"))
paths = whole["calls"]["call_paths"]
names = [path["function"] for path in paths]
leaf = next(p for p in reversed(paths) if names.count(p["function"]) == 1 and
            not any(q["caller"] == p["path"] for q in paths))
paths[0]["inclusive_instructions"] += 5000
leaf["inclusive_instructions"] += int(sys.argv[1])
leaf["exclusive_instructions"] += int(sys.argv[1])
json.dump(whole, open("changed.saved", "w"))
open("leaf", "w").write(leaf["function"])
PYEND
	compare --no-phases --no-advice a.saved changed.saved | sed -n '/^call paths:/,$p' >paths
	check path_change.$change.greatest grep -qw '5,000' paths
	check_equal path_change.$change.shown $((change == 100)) "$(grep -c "$(cat leaf)" paths)"
done

# ---- errors ----
check_status missing 2 "$BIN/trace-compare" -q a.trace no.trace
check_match missing.says 'no.trace: No such file' err
check_equal missing.once 1 "$(grep -c 'error: ' err)"
echo '{"trace_compare": 1' >cut.saved
echo '{"some": "JSON"}' >other.saved
echo '{"trace_compare": 99}' >late.saved
head -c 1000 a.trace >unfinished.trace
for file in cut.saved other.saved "$here/compared.c" /dev/null .; do
	check_status "wrong.${file##*/}" 2 "$BIN/trace-compare" -q "$file" a.saved
	check "wrong.${file##*/}.says" grep -q '^trace-[a-z]*: error: ' err
done
check_status wrong.late 2 "$BIN/trace-compare" -q late.saved a.trace
check_match wrong.late.says 'another version of trace-compare; save it again' err
for words in 'a.trace' 'a.trace b.trace a.trace' '--save=x a.trace b.trace' '- a.trace' '--save=x --threshold=1% a.trace'; do
	# shellcheck disable=SC2086
	check_status "usage.$words" 2 "$BIN/trace-compare" $words
done

# Hostile documents: other types, numbers and orders end with a message or a result, never otherwise.
/usr/bin/python3 - "$BIN/trace-compare" "$patience" "$(quick_or_full 20 1000)" <<'PYEND' >hostile
import copy, json, random, subprocess, sys
command, patience, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random.seed(1)
whole = json.load(open("a.saved"))
for table in ("functions", "code", "call_paths"):
    whole["calls"][table] = whole["calls"][table][:40]
json.dump(whole, open("small.saved", "w"))
values = [None, -1, 0, 2**61, 2**61 + 1, 2**63 - 1, 2**64, 1e300, "", "x" * 300, "\u001b[31m", [], {}, True, [[]], "0x" + "f" * 16]
def places(x):
    for k in (x.keys() if isinstance(x, dict) else range(len(x)) if isinstance(x, list) else ()):
        yield x, k
        yield from places(x[k])
accepted = 0
for i in range(rounds):
    d = copy.deepcopy(whole)
    for _ in range(random.choice((1, 1, 5))):
        x, k = random.choice(list(places(d)))
        kind = random.randrange(3)
        if kind == 1 and isinstance(x, list): random.shuffle(x)
        elif kind == 2 and isinstance(x, list): x.append(x[k])
        else: x[k] = random.choice(values)
    json.dump(d, open("hostile.saved", "w"))
    done = subprocess.run([command, "-q", "--format=json", "--threshold=1%", "hostile.saved", "small.saved"],
                          capture_output=True, text=True, timeout=patience)
    if done.returncode in (0, 1):
        json.loads(done.stdout)
        accepted += 1
    elif done.returncode != 2 or ": error: " not in done.stderr:
        print("round", i, "status", done.returncode, done.stderr)
print("some are accepted:", 0 < accepted < rounds)
PYEND
check_equal hostile "some are accepted: True" "$(cat hostile)"

# ---- recorded differently ----
env -i "$BIN/trace-record" -q --backend=step --skip=10 --count=2000 -o step.trace -- old/program >/dev/null
compare --format=json "${fast[@]}" a.trace step.trace >compared.json 2>err
check_match differently.warns 'warning: the traces were recorded differently' err
check_equal differently.backend "translate step" "$(value recorded_differently fact=recorder_backend a b)"
check_match differently.options 'skip=10' <(value recorded_differently fact=recorder_options b)
record 'of many words' old/program
compare "${fast[@]}" 'of many words.trace' step.trace >compared 2>err
check_match differently.name 'recorder_options +--backend=step' compared
check_status unfinished 2 "$BIN/trace-compare" -q a.saved unfinished.trace
check_match unfinished.says 'unfinished.trace' err

check walk_through sh "$here/../../examples/faster.sh" "$BIN"
