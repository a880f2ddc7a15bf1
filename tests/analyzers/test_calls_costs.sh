#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-calls --cost: misses add up to those of trace-cache, cycles to those of trace-ibs, by function, by path and in
# the profiles for other viewers. Traces without code have no call paths.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1

calls() { "$BIN/trace-calls" -q --threshold=0 --top=1000000 "$@"; }
# sums COST: the totals, the sums over functions and paths, and the inclusive sum of the outermost functions.
sums() { /usr/bin/python3 -c 'import json, sys
r, cost = json.load(open("result.json")), sys.argv[1]
print(r[cost], *(sum(x["exclusive_" + cost] for x in r[t]) for t in ("functions", "call_paths")),
      sum(x["inclusive_" + cost] for x in r["call_paths"] if x["depth"] == 1))' "$1"; }
four() { echo "$1 $1 $1 $1"; }
cycles() { "$BIN/trace-ibs" -q --format=json "$1" | sed -n 's/.*"cycles_of_all_threads": \([0-9]*\).*/\1/p'; }
# cache_misses OPTIONS LEVEL TRACE: misses of the caches whose names begin with LEVEL.
cache_misses() { "$BIN/trace-cache" -q $1 --format=json "$3" | /usr/bin/python3 -c 'import json, sys
print(sum(r["misses"] for r in json.load(sys.stdin)["levels"] if r["level"].startswith(sys.argv[1])))' "$2"; }

"$BIN/trace-record" -q -o t -- "$PROGRAMS/call_paths"
"$BIN/trace-record" -q -o threads -- "$PROGRAMS/threads" >out
"$BIN/trace-record" -q --follow -o tree -- sh -c 'true | true'
for trace in t threads tree; do
	calls --cost=cycles --format=json $trace >result.json
	check_equal $trace.cycles "$(four "$(cycles $trace)")" "$(sums cycles)"
	calls --cost=misses --format=json $trace >result.json
	check_equal $trace.misses "$(four "$(cache_misses --levels=32Ki/8,1Mi/16,32Mi/16 L1 $trace)")" "$(sums misses)"
done
calls --cost=misses --levels=1Ki/2,4Ki/4 --level=2 --format=json t >result.json
check_equal level.2 "$(four "$(cache_misses --levels=1Ki/2,4Ki/4 L2 t)")" "$(sums misses)"
calls --cost=cycles --machine=simple --format=json t >result.json
check_equal machine "$(four "$("$BIN/trace-ibs" -q --machine=simple --format=json t |
	sed -n 's/.*"cycles_of_all_threads": \([0-9]*\).*/\1/p')")" "$(sums cycles)"

# The instructions are those without a model; the order is that of the cost, unless --sort chooses another.
check_equal instructions "$("$BIN/trace-calls" -q --table=facts --format=csv t | sed -n 's/^instructions,//p')" \
	"$("$BIN/trace-calls" -q --cost=cycles --table=facts --format=csv t | sed -n 's/^instructions,//p')"
calls --cost=cycles --format=csv --table=functions t >by_cycles
check_equal order "$(tail -n +2 by_cycles | cut -d, -f16 | sort -rn | md5sum)" "$(tail -n +2 by_cycles | cut -d, -f16 | md5sum)"
check_equal sort "$(calls --format=csv --table=functions t | cut -d, -f1-3 | md5sum)" \
	"$(calls --cost=cycles --sort=instructions --format=csv --table=functions t | cut -d, -f1-3 | md5sum)"

# Profiles: the weights add up to the cost.
total=$(cycles t)
"$BIN/trace-calls" -q --cost=cycles --export=folded t >folded
check_equal folded "$total" "$(awk '{ n += $NF } END { print n }' folded)"
"$BIN/trace-calls" -q --cost=cycles --export=speedscope t >speedscope
check_equal speedscope "cycles $total" "$(/usr/bin/python3 -c 'import json
p = json.load(open("speedscope"))["profiles"][0]; print(p["name"], sum(p["weights"]))')"
"$BIN/trace-calls" -q --cost=cycles --export=firefox t >firefox
check_equal firefox "$total" "$(/usr/bin/python3 -c 'import gzip, json
f = open("firefox", "rb").read()
f = gzip.decompress(f) if f[:2] == b"\x1f\x8b" else f
print(sum(sum(t["samples"]["weight"]) for t in json.loads(f)["threads"]))')"
"$BIN/trace-calls" -q --cost=misses --export=callgrind -o callgrind.out t
callgrind_annotate --show=misses --sort=misses callgrind.out >annotated 2>warnings
check_equal annotate.no_warnings "" "$(cat warnings)"
check_equal annotate "$(cache_misses --levels=32Ki/8,1Mi/16,32Mi/16 L1 t)" "$(grep 'PROGRAM TOTALS' annotated | sed 's/ .*//; s/,//g')"
check_equal pprof.default 1 "$("$BIN/trace-calls" -q --cost=misses --export=pprof t | gunzip -c 2>/dev/null | grep -ac misses)"

# Samples of the model have the call paths of trace-calls, and are the samples without call paths.
cat >stacks.py <<'END'
import collections, json, sys
def table(name):
    return next(v for k, v in json.load(open(name)).items() if "by_symbol" in k)
rows = table("stacks.json")
at = {0: ()}
for p in json.load(open("paths.json"))["call_paths"]:
    at[p["path"]] = at[p["caller"]] + (p["function"],)
known = {";".join(path) for path in at.values()}
sums = collections.Counter()
for r in rows:
    sums[r["symbol"], r["module"]] += r["samples"]
    if r["stack"] not in known or r["stack"].split(";")[-1] != r["symbol"].partition(".cold")[0]:
        print(r["symbol"], r["stack"])
for r in table("plain.json"):
    if sums.pop((r["symbol"], r["module"]), 0) != r["samples"]: print(r["symbol"], r["samples"])
print(len(rows) > 5, *sums)
END
for trace in t threads; do
	for mode in ops fetches; do
		"$BIN/trace-ibs" -q --mode=$mode --period=144 --top=100000 --by=symbol,stack --format=json $trace >stacks.json
		"$BIN/trace-ibs" -q --mode=$mode --period=144 --top=100000 --by=symbol --format=json $trace >plain.json
		calls --format=json $trace >paths.json
		check_equal stacks.$trace.$mode True "$(/usr/bin/python3 stacks.py 2>&1)"
	done
done

check_status no_cost 2 "$BIN/trace-calls" --cost=watts t
check_status no_caches 2 "$BIN/trace-calls" --cost=misses --levels=7 t
check_status level_alone 2 "$BIN/trace-calls" --level=2 t
check_match level_alone.says 'level needs --cost=misses' err
check_status levels_alone 2 "$BIN/trace-calls" --cost=cycles --levels=1Ki/2 t
check_status machine_alone 2 "$BIN/trace-calls" --cost=misses --machine=simple t
check_equal first_level "$("$BIN/trace-calls" -q --cost=misses --format=json t)" "$("$BIN/trace-calls" -q --cost=misses --level=1 --format=json t)"
check_status no_level 2 "$BIN/trace-calls" --cost=misses --level=4 t
check_status no_machine 1 "$BIN/trace-calls" --cost=cycles --machine=none t
"$BIN/trace-record" -q --no-addresses -o bare -- "$PROGRAMS/call_paths"
check_status no_addresses 3 "$BIN/trace-calls" --cost=misses bare

printf '2 400000\n0 1000\n2 400004\n1 1008\n' >small.din
check imported "$BIN/trace-import" -q --from=din -o imported small.din
check_status imported.no_code 3 "$BIN/trace-calls" imported
check_match imported.says 'has no code bytes, which trace-calls needs' err
