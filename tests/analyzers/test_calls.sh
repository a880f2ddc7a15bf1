#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-calls: known call paths; a model that reads instructions; totals as those of trace-mix; its profiles, read
# back, and read by callgrind_annotate.
. "$(dirname "$0")/../lib.sh"
tests=$(cd "$(dirname "$0")/.." && pwd)
cd "$work" || exit 1

# calls OPTIONS TRACE: all functions and paths.
calls() { "$BIN/trace-calls" -q --threshold=0 --top=1000000 "$@"; }
# rows TABLE FUNCTION COLUMN...: those columns of the rows of a function in result.json.
rows() { /usr/bin/python3 -c 'import json, sys
r = json.load(open("result.json"))
for row in r[sys.argv[1]]:
    if row["function"] == sys.argv[2]: print(*[row[k] for k in sys.argv[3:]])' "$@"; }

"$BIN/trace-record" -q -o t -- "$PROGRAMS/call_paths"
calls --format=json t >result.json
"$BIN/trace-dump" --format=jsonl t >t.jsonl
check_equal model "same" "$(/usr/bin/python3 "$tests/analyzers/calls_model.py" "$PROGRAMS/call_paths" t.jsonl result.json | sed 's/ [0-9]* paths//')"

# The results' names differ from those of the tables, so that JSON has both.
check_equal distinct same "$(/usr/bin/python3 -c 'import json
r = json.load(open("result.json"))
found = r["distinct_functions"], r["distinct_call_paths"]
expected = len(r["functions"]), len(r["call_paths"])
print("same" if found == expected else (found, expected))')"
check_equal leaf.calls 13 "$(rows functions leaf calls)"
check_equal fib.calls 177 "$(rows functions fib calls)"
check_equal dive.calls 6 "$(rows functions dive calls)"
check_equal tail.calls "1 1" "$(rows functions tail_begin calls) $(rows functions tail_end calls)"
check_equal handler.calls 1 "$(rows functions '[signal]' calls)"
# A recursive function's inclusive costs are those of its outermost call, which calls no other function.
check_equal fib.inclusive "$(rows functions fib exclusive_instructions)" "$(rows functions fib inclusive_instructions)"
# longjmp ends the calls that it leaves: leaf is called by jumps, which main calls.
depth=$(rows call_paths jumps depth)
check_equal longjmp.leaf yes "$(rows call_paths leaf depth | grep -qx $((depth + 1)) && echo yes)"

# Totals, functions and inclusive costs of the root are those of trace-mix.
totals() { /usr/bin/python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
print(*[r[k] for k in ("instructions", "loads", "stores", "bytes_loaded", "bytes_stored")],
      r["branches"] if "branches" in r else r["branches_taken"] + r["branches_not_taken"])' "$1"; }
functions() { /usr/bin/python3 -c 'import collections, json, sys
sums = collections.Counter()
r = json.load(open(sys.argv[1]))
for row in r["functions"] if "functions" in r and isinstance(r["functions"], list) else r["symbols"]:
    name = row.get("function", row.get("symbol")).partition(".cold")[0]
    sums[name, row["module"]] += row.get("exclusive_instructions", row.get("instructions"))
for key in sorted(sums):
    if sums[key]: print(*key, sums[key])' "$1"; }
# Superblocks that are walked whole give the result of their basic blocks, which --count has walked.
same_as_mix() {
	calls --format=json --demangle=no "$2" >c.json
	calls --format=json --demangle=no --count=1T "$2" >blocks.json
	check "blocks.$1" cmp c.json blocks.json
	"$BIN/trace-mix" -q --format=json --by=symbol --demangle=no --top=1000000 "$2" >m.json
	check_equal "mix.$1.totals" "$(totals m.json)" "$(totals c.json)"
	functions m.json >m
	functions c.json >c
	check "mix.$1.functions" cmp m c
}
same_as_mix call_paths t
n=0
for trace in "$tests"/golden/v1.[3-9]*/*.trace; do
	"$BIN/trace-info" --format=json "$trace" 2>err | grep -q '"instructions": [1-9]' || continue
	"$BIN/trace-mix" -q --format=json "$trace" 2>err | grep -q 'unmeasured' && continue
	same_as_mix "golden$((n += 1))" "$trace"
done
check golden.enough test $n -ge 4
"$BIN/trace-record" -q -o children --follow -- \
	sh -c "$(quick_or_full "perl -e 1" "/usr/bin/python3 -I -S -c pass"); true" >out
same_as_mix children children

# Without addresses, return addresses identify calls.
"$BIN/trace-record" -q --no-addresses -o bare -- "$PROGRAMS/call_paths"
calls --format=json bare >bare.json 2>err
/usr/bin/python3 - <<'END'
import json
def paths(name):
    rows = json.load(open(name))["call_paths"]
    at = {0: ()}
    for r in rows:
        at[r["path"]] = at[r["caller"]] + (r["function"],)
    return {at[r["path"]]: (r["calls"], r["exclusive_instructions"]) for r in rows}
a, b = paths("result.json"), paths("bare.json")
# longjmp's own paths differ by nothing; addresses of operands do not matter.
print(*sorted(k for k in set(a) | set(b) if a.get(k) != b.get(k)), file=open("differences", "w"))
END
check_equal bare "" "$(cat differences)"

# Trees of threads and processes, and the options of the tree.
"$BIN/trace-record" -q -o threads -- "$PROGRAMS/threads" >out
calls --per=thread --format=json threads >result.json
n=$("$BIN/trace-info" --format=json threads | grep -o '"threads": [0-9]*' | grep -o '[0-9]*$')
check_equal per_thread "$n" "$(/usr/bin/python3 -c 'import json
print(sum(r["function"].startswith("[thread ") and r["depth"] == 1 for r in json.load(open("result.json"))["call_paths"]))')"
"$BIN/trace-mix" -q --by=thread --format=json threads | grep -o '"instructions": [0-9]*' | sort >m
/usr/bin/python3 -c 'import json
for r in json.load(open("result.json"))["call_paths"]:
    if r["depth"] == 1: print("\"instructions\": %d" % r["inclusive_instructions"])' | sort >c
check per_thread.instructions cmp m c
calls --per=process --format=json children >result.json
check_equal per_process 1 "$(rows call_paths '[process 0]' depth)"
calls --fold-recursion --format=json t >result.json
check_equal folded.fib "$(rows call_paths main depth | awk '{ print $1 + 1, 177 }')" "$(rows call_paths fib depth calls)"
calls --depth=2 --format=json t >result.json
check_equal depth 2 "$(/usr/bin/python3 -c 'import json
print(max(r["depth"] for r in json.load(open("result.json"))["call_paths"]))')"
"$BIN/trace-calls" -q --threshold=10 --top=2 t >out
check_equal top 2 "$(sed -n '/^functions:/,/^$/p' out | grep -c call_paths)"
check_equal threshold 0 "$(sed -n '/^call tree:/,/^$/p' out | awk '$1 ~ /^[0-9]/ && $1 < 10' | wc -l)"
check_equal tree.indents 1 "$(grep -c '  leaf$' out)"
calls --sort=stores --top=1 --format=csv t >out
check_status threshold.wrong 2 "$BIN/trace-calls" --threshold=101 t
check_status export.wrong 2 "$BIN/trace-calls" --export=gprof t

# Memory by call path: that of the tree, of its costs, and of what orders the paths. AddressSanitizer keeps freed memory.
"$BIN/trace-record" -q -o many -- "$PROGRAMS/many_call_paths"
/usr/bin/python3 - "$BIN/trace-calls" >memory <<'END'
import re, resource, subprocess, sys
def most():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
def paths(trace):
    text = subprocess.run([sys.argv[1], "-q", trace], stdout=subprocess.PIPE).stdout.decode()
    return int(re.search(r"^distinct call paths *([0-9,]+)$", text, re.M).group(1).replace(",", ""))
few, before = paths("t"), most()
many = paths("many")
print(many - few, (most() - before) // (many - few))
END
check many_paths test "$(cut -d' ' -f1 memory)" -gt 260000
nm "$BIN/trace-calls" | grep -q __asan_init && most=100000 || most=350
check many_paths.memory test "$(cut -d' ' -f2 memory)" -lt $most

# Profiles.
calls --format=json --demangle=no t >result.json
for format in folded speedscope pprof firefox callgrind; do
	"$BIN/trace-calls" -q --demangle=no --export=$format -o "$format.out" t
	"$BIN/trace-calls" -q --demangle=no --export=$format t >again
	check "export.$format.same" cmp "$format.out" again
done
check_equal exports same "$(/usr/bin/python3 "$tests/analyzers/calls_exports.py" result.json folded.out speedscope.out pprof.out firefox.out callgrind.out)"
mkdir elsewhere && cd elsewhere || exit 1
callgrind_annotate --inclusive=yes ../callgrind.out >../annotated 2>../warnings
cd ..
check_equal annotate.no_warnings "" "$(cat warnings)"
check_equal annotate.total "$(totals result.json | cut -d' ' -f1)" \
	"$(grep 'PROGRAM TOTALS' annotated | sed 's/ .*//; s/,//g')"
# callgrind_annotate adds the calls of a recursive function to it again, so main is compared.
check_equal annotate.main "$(rows functions main inclusive_instructions)" \
	"$(sed -n 's/^ *\([0-9,]*\) .*call_paths\.c:main \[.*/\1/p' annotated | head -1 | tr -d ,)"

# System calls, counted from the events of trace-dump; those of a path, by the function that made them.
"$BIN/trace-record" -q --force -o t -- sh -c 'cd /nowhere; true' >out 2>&1
"$BIN/trace-dump" --format=jsonl t >t.jsonl
calls --syscalls --format=json t >result.json
/usr/bin/python3 - >differences <<'END'
import collections, json
calls, errors = collections.Counter(), collections.Counter()
for line in open("t.jsonl"):
    item = json.loads(line)
    if item.get("event") == "syscall":
        calls[item["name"]] += 1
    elif item.get("event") == "syscall-result":
        errors[item["name"]] += -4095 <= item["result"] < 0
rows = json.load(open("result.json"))
found = {r["system_call"]: (r["calls"], r["errors"]) for r in rows["system_calls"]}
wanted = {name: (n, errors[name]) for name, n in calls.items()}
print(*((k, found.get(k), wanted.get(k)) for k in set(found) | set(wanted) if found.get(k) != wanted.get(k)), sep="\n")
by_path = collections.Counter()
for r in rows["system_call_paths"]:
    by_path[r["system_call"]] += r["calls"]
print(*((k, by_path[k], calls[k]) for k in calls if by_path[k] != calls[k]), sep="\n")
keys = [(r["system_call"], r["call_path"]) for r in rows["system_call_paths"]]
print(*(k for k, r in zip(keys, rows["system_call_paths"]) if not r["calls"] or keys.count(k) > 1), sep="\n")
print("chdir fails" if found["chdir"] == (1, 1) else found["chdir"])
END
check_equal syscalls "chdir fails" "$(grep . differences)"
check syscalls.path grep -q '"call_path": ".*main.*;[^;"]*chdir' result.json

# Heap profiles: known objects, and totals as valgrind counts them.
"$BIN/trace-record" -q --force -o t -- "$PROGRAMS/allocation_paths"
for view in heap syscalls; do
	check_status $view.export 2 "$BIN/trace-calls" --$view --export=folded t
	check_match $view.export.says "--export excludes --$view" err
done
calls --heap --format=json t >result.json
calls --format=json t >totals
fact() { grep -o "\"$1\": [0-9]*" result.json | head -1 | grep -o '[0-9]*$'; }
check_equal heap.peak "5096 11" "$(fact bytes_at_peak) $(fact objects_at_peak)"
check_equal heap.end "521 6" "$(fact bytes_at_end) $(fact objects_at_end)"
/usr/bin/python3 - >paths <<'END'
import collections, json
rows = collections.defaultdict(list)
for r in json.load(open("result.json"))["allocation_paths"]:
    function = r["call_path"].split(";")[-2]
    rows[function].append([r[k] for k in ("bytes_at_peak", "objects_at_peak", "bytes_allocated", "allocations",
                                          "bytes_at_end", "objects_at_end", "short_lived", "largest")])
for function in sorted(rows):
    print(function, *map(sum, zip(*rows[function])))
END
check_equal heap.paths "clears 0 0 21 1 21 1 0 21
drops 0 0 5000 5 0 0 5 1000
grows 4096 1 18432 8 0 0 8 4096
keeps 1000 10 1000 10 500 5 5 100" "$(cat paths)"
# The path of an object is that of the call, not that of the tail call which ends calloc.
"$BIN/trace-record" -q --force -o clearing -- "$PROGRAMS/clearing_calloc"
calls --heap --format=json clearing >clearing.json
check_equal heap.tail_call "allocates;calloc 2 48" "$(/usr/bin/python3 -c 'import json
for r in json.load(open("clearing.json"))["allocation_paths"]:
    path = r["call_path"].split(";")
    if "allocates" in path: print(";".join(path[-2:]), r["allocations"], r["bytes_allocated"])')"
# The objects of some functions only, and of an allocator of the program's own.
calls --functions=calloc --format=json t >chosen.json
check_equal heap.functions "1 21" "$(/usr/bin/python3 -c 'import json
d = json.load(open("chosen.json"))
print(d["allocations"], d["bytes_allocated"])')"
calls --functions=malloc,calloc,realloc,memalign,aligned_alloc,free --format=json t >chosen.json
check heap.functions.all cmp chosen.json result.json
"$BIN/trace-record" -q --force --function=pool_get/1 --function=pool_put/1 -o pools -- "$PROGRAMS/pools"
calls --functions=pool_get=malloc,pool_put=free --format=json pools >chosen.json
check_equal heap.functions.own "3 300 2 200 takes;pool_get" "$(/usr/bin/python3 -c 'import json
d = json.load(open("chosen.json"))
r, = d["allocation_paths"]
print(r["allocations"], r["bytes_allocated"], r["objects_at_end"], r["bytes_at_end"], ";".join(r["call_path"].split(";")[-2:]))')"
check_status heap.functions.none 3 "$BIN/trace-calls" --functions=pool_get=malloc t
check_match heap.functions.none.says "no calls of pool_get=malloc that allocate" err
"$BIN/trace-record" -q --force --function=pool_get --function=pool_put/1 -o pools -- "$PROGRAMS/pools"
check_status heap.functions.no_size 3 "$BIN/trace-calls" --functions=pool_get=malloc,pool_put=free pools
check_match heap.functions.no_size.says "lacks arguments" err
for list in pool_get pool_get=main '' malloc, ,malloc =malloc; do
	check_status "heap.functions.bad.$list" 2 "$BIN/trace-calls" --functions="$list" t
done
# The live objects over time: as counted from the calls of malloc, ... in trace-dump, and by path.
"$BIN/trace-dump" --format=jsonl t >t.jsonl
/usr/bin/python3 - >differences <<'END'
import collections, json
result = json.load(open("result.json"))
live, calls, amounts = {}, [], []
for line in open("t.jsonl"):
    item = json.loads(line)
    if item.get("event") == "call":
        calls.append(item)
    elif item.get("event") == "return":
        args = [int(a, 16) for a in calls.pop()["args"]]
        if item["name"] in ("free", "realloc"):
            live.pop(args[0], None)
        size = {"malloc": lambda: args[0], "calloc": lambda: args[0] * args[1], "realloc": lambda: args[1]}
        if item["name"] in size and int(item["result"], 16):
            live[int(item["result"], 16)] = size[item["name"]]()
    else:
        continue
    amounts.append((item["ordinal"], sum(live.values()), len(live)))
rows = result["over_time"]
seen = 0
for row in rows:
    known = [a for a in amounts if a[0] <= row["instructions"]]
    expected = known[-1][1:] if known else (0, 0)
    found = (row["bytes"], row["objects"])
    if found == (result["bytes_at_peak"], result["objects_at_peak"]):
        seen += row["instructions"] == result["peak_after"]
    elif found != expected:
        print(row, expected)
if not seen: print("the peak is not there")
if not 200 < len(rows) < 403: print(len(rows), "rows")
if [r["instructions"] for r in rows] != sorted(r["instructions"] for r in rows): print("not in order")
if rows[-1]["bytes"] != result["bytes_at_end"] or rows[-1]["instructions"] != json.load(open("totals"))["instructions"]:
    print("the end is not there")
sums, ranks = collections.Counter(), collections.defaultdict(list)
for r in result["over_time_by_path"]:
    sums[r["instructions"]] += r["bytes"]
    ranks[r["rank"]].append(r)
if len(ranks) != len(result["allocation_paths"]): print("not all paths have times")
print(*((r, sums[r["instructions"]]) for r in rows if sums[r["instructions"]] != r["bytes"] and
        r["instructions"] != result["peak_after"]), sep="\n")
for rank, path in enumerate(result["allocation_paths"][:10], 1):
    if max(r["bytes"] for r in ranks[rank]) < path["bytes_at_peak"] or ranks[rank][-1]["bytes"] != path["bytes_at_end"]:
        print(path, ranks[rank][-1])
END
check_equal heap.over_time "" "$(grep . differences)"
cp "$tests/../LICENSE" input
for program in allocation_paths sort; do
	words=("$PROGRAMS/allocation_paths")
	[ $program = allocation_paths ] || words=(sort input)
	"$BIN/trace-record" -q --force -o t -- "${words[@]}" >out
	calls --heap --format=json t >result.json
	valgrind "${words[@]}" 2>&1 >out | sed -n 's/.*total heap usage: \([0-9,]*\) allocs, .* \([0-9,]*\) bytes allocated/\1 \2/p' | tr -d , >valgrind
	check_equal "heap.valgrind.$program" "$(cat valgrind)" "$(fact allocations) $(fact bytes_allocated)"
done
# The uses of objects: known ones, and by function the bytes that valgrind's DHAT counts.
printf %16s >input
"$BIN/trace-record" -q --force -o t -- "$PROGRAMS/object_accesses" <input >out
calls --heap --format=json t >result.json
cat >uses.py <<'END'
import collections, json
sums = collections.defaultdict(collections.Counter)
END
cat uses.py - >ours.py <<'END'
for row in json.load(open("result.json"))["object_accesses"]:
    sums[row["call_path"].split(";")[-2]].update({k: v for k, v in row.items() if k != "call_path"})
for f in sorted(sums):
    print(f, *(sums[f][k] for k in ("bytes_never_read", "bytes_never_written", "objects_never_read")))
print(*((f, s["bytes_read"], s["bytes_written"]) for f, s in sorted(sums.items())), sep="\n", file=open("bytes", "w"))
END
check_equal heap.never "clears 0 5000 0
fills 44 48 0
grows 1992 3992 0
halves 50 0 0
large 200000 240000 0
unread 300 0 3" "$(/usr/bin/python3 ours.py)"
cat uses.py - >dhat.py <<'END'
profile = json.load(open("dhat"))
for point in profile["pps"]:
    function = profile["ftbl"][point["fs"][1]].split(": ")[1].split(" ")[0]
    sums[function].update(r=point["rb"], w=point["wb"])
print(*((f, s["r"], s["w"]) for f, s in sorted(sums.items())), sep="\n")
END
valgrind --tool=dhat --dhat-out-file=dhat "$PROGRAMS/object_accesses" <input >out 2>err
check_equal heap.dhat "$(/usr/bin/python3 dhat.py)" "$(cat bytes)"
# By offset: of the objects of equal sizes, the bytes in order, with their accesses.
check_equal heap.by_offset "50 3 1 50 0 1" "$(/usr/bin/python3 -c 'import json
r = json.load(open("result.json"))
rank = [";halves;" in row["call_path"] for row in r["object_accesses"]].index(True) + 1
print(*(n for row in r["accesses_by_offset"] if row["rank"] == rank for n in (row["bytes"], row["reads"], row["writes"])))')"
"$BIN/trace-record" -q --force --no-addresses -o t -- "$PROGRAMS/object_accesses" <input >out
calls --heap --format=json t >result.json
check_equal heap.no_addresses "0 7" "$(grep -c never_read result.json) $(grep -c call_path result.json)"
"$BIN/trace-record" -q --force --no-functions -o t -- "$PROGRAMS/allocation_paths"
check_status heap.unsuitable 3 "$BIN/trace-calls" --heap t
