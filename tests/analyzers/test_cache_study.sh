#!/bin/bash
# SPDX-License-Identifier: MIT
# The kinds of misses, their groups, and the coherence of several cores that trace-cache reports: against a slow
# model, against other analyzers, and of a program whose sharing is known.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
cache=$BIN/trace-cache
cd "$work" || exit 1

# record NAME OPTION... -- COMMAND...: NAME.trace and NAME.dump
record() {
	local name=$1
	shift
	"$BIN/trace-record" -q -o "$name.trace" "$@" >/dev/null 2>&1
	"$BIN/trace-dump" --format=csv "$name.trace" >"$name.dump"
}

# agree NAME CORES KEY LEVELS
agree() {
	"$cache" --cores="$2" --by="$3" --levels="$4" --top=1000000 --format=json "$1.trace" >result
	check "$*" /usr/bin/python3 -B "$here/cache_study_check.py" result "$4" "$2" "$3" <"$1.dump"
}

rounds=$(quick_or_full 5 20)
record shares --threads=serial --from=main -- "$PROGRAMS/shares" "$rounds"
record threads --threads=serial --from=main --count="$(quick_or_full 10k 1M)" -- "$PROGRAMS/threads"
agree shares 1 instruction 512/2,4Ki/4
agree shares 3 instruction 512/2,4Ki/4
agree shares 2 cacheline 1Ki/4,2Ki/4,8Ki/8:inclusive
agree threads 4 thread 1Ki/4,2Ki/4:exclusive,16Ki/8
agree threads 5 page 2Ki/2:write-through,8Ki/8:srrip
agree threads 3 cacheline 1Ki/2/128,8Ki/4/128
is_quick || agree threads 64 instruction 512/2:unified,4Ki/4

# ---- a program whose sharing is known ----

"$cache" --levels=32Ki/8,1Mi/16,32Mi/16 --cores=3 --format=csv --top=1000 shares.trace >got
# row TABLE PATTERN COLUMNS: columns of the only row
row() { sed -n "/^# $1\$/,/^\$/p" got | sed 's/^"[^"]*",//; s/^caches,//; s/"//g' | awk -F, -v p="$2" -v c="$3" 'NR == 2 { for (i = 1; i <= NF; i++) at[$i] = i }
	NR > 2 && $0 ~ p { n = split(c, names, " "); for (i = 1; i <= n; i++) printf "%s%s", $at[names[i]], i < n ? " " : "\n" }'; }
counts="true_sharing false_sharing invalidations writing_cores"
# The first touch of each thread is cold, and the second thread's is the first that removes.
shared=$((2 * rounds - 2)) removed=$((2 * rounds - 1)) read=$((rounds - 1))
check_equal false_sharing "0 $shared $removed 2" "$(row contended_lines ,shares:neighbours, "$counts")"
check_equal true_sharing "$shared 0 $removed 2" "$(row contended_lines ,shares:common, "$counts")"
check_equal published "$read 0 $read 1" "$(row contended_lines ,shares:published, "$counts")"
check_equal published.upgrades "$read $read $read" "$(row contended_lines ,shares:published, "upgrades loads stores")"
check_equal apart "" "$(row contended_lines ,shares:apart, "$counts")"
line=$(sed -n '/aligned_alloc(/=' "$here/../programs/shares.c")
check_equal heap "0 $shared $removed 2" "$(row contended_lines "shares.c:$line" "$counts")"
line=$(sed -n '/halves\[me\] = 1/=' "$here/../programs/shares.c")
check_equal heap.offsets "0 4" "$(sed -n '/^# contended_accesses$/,/^$/s/^"[^"]*",//p' got |
	grep "shares.c:$line,.*movl" | cut -d, -f2 | sort | xargs)"
line=$(sed -n '/neighbours\[me\]++/=' "$here/../programs/shares.c")
sharers() { row false_sharing_by_thread "$1" "thread false_sharing bytes_written bytes_read source data"; }
check_equal sharers "1 $((rounds - 1)) 0-7 0-7 2 $((rounds - 1)) 8-15 8-15" \
	"$(sharers ,shares:neighbours | cut -d' ' -f1-4 | xargs)"
check_equal sharers.source "shares.c:$line shares.c:$line" "$(sharers ,shares:neighbours | cut -d' ' -f5 | sed 's|.*/||' | xargs)"
line=$(sed -n '/aligned_alloc(/=' "$here/../programs/shares.c")
check_equal sharers.object "0-3 4-7" "$(sharers "shares.c:$line" | cut -d' ' -f3 | xargs)"
check_equal sharers.only_false "" "$(sharers ,shares:common)"
check_equal one_core "" "$("$cache" --cores=3 --map=0 --format=csv shares.trace | sed -n '/^# contended_lines$/,/^$/p' | tail -n +4)"
"$cache" --cores=2 --map=1,0 --format=csv shares.trace | sed -n '/^# kinds$/,/^$/p' >swapped
check swapped cmp swapped <("$cache" --cores=2 --format=csv shares.trace | sed -n '/^# kinds$/,/^$/p')
check_match order '"order_of_threads": "exact"' <("$cache" --cores=2 --format=json shares.trace)

# ---- levels with opt, which are simulated behind the last access ----

opt_sums() { "$cache" -q --levels="$1" --by=function,thread --top=1000000 --format=json shares.trace | /usr/bin/python3 -c '
import json, sys
result = json.load(sys.stdin)
for level in result["levels"]:
    kinds = [row for row in result["kinds"] if row["level"] == level["level"]]
    groups = [row for row in result["by_function_thread"] if row["level"] == level["level"]]
    sums = {sum(value for value in kinds[0].values() if isinstance(value, int)), sum(row["misses"] for row in groups)}
    print(level["level"] if {level["misses"]} == sums and len(groups) > 5 else (level, sums))'; }
check_equal opt.below "L1I L1D L2" "$(opt_sums 1Ki/2,4Ki/4:opt | xargs)"
check_equal opt.above "L1I L1D L2" "$(opt_sums 1Ki/2:opt,4Ki/4:opt | xargs)"
check_status opt.data 2 "$cache" --levels=1Ki/2:opt --by=object shares.trace
check_match opt.data.says 'opt excludes --by=path and keys of data' err
check_status opt.path 2 "$cache" --levels=1Ki/2:opt --by=path shares.trace

# ---- groups ----

# group KEY: makes by_KEY, the rows of a key without the name of the hierarchy
group() {
	"$cache" -q --levels=1Ki/2,16Ki/8 --by="$1" --top=1000000 --format=csv --table="by_${1/,/_}" objects.trace |
		sed '1d; s/^"[^"]*",//' >"by_$1"
}
# sums KEY: misses of each level, by the rows of a key
sums() { awk -F, '{ n[$1] += $2 } END { print n["L1I"], n["L1D"], n["L2"] }' "by_$1"; }
"$BIN/trace-record" -q -o objects.trace -- "$PROGRAMS/objects" >shown 2>/dev/null
group module
expected=$(sums module)
check_match sums.some '^[1-9][0-9]* [1-9][0-9]* [1-9][0-9]*$' <(echo "$expected")
for key in function line instruction path thread process region object allocation page cacheline path,object line,region; do
	group $key
	check_equal "sums.$key" "$expected" "$(sums $key)"
done

# by KEY: rows of level 1 for data, without the first columns
by() { sed -n 's/^L1D,//p' "by_$1" | cut -d, -f1,9-; }
kept=$(sed -n 's/^kept \(0x[0-9a-f]*\) .*/\1/p' shown)
check_equal object 1 "$(by object | grep -c "^[1-9][0-9]*,0,$kept,40000,")"
walks=$(sed -n '/sum += memory/=' "$here/../programs/objects.c")
check_match line "^[1-9][0-9]*,objects,.*objects\\.c:$walks\$" <(by line)

# Call paths are those of trace-calls; the misses of a function are those of the paths that end there.
"$BIN/trace-calls" --export=folded objects.trace | sed 's/ [0-9]*$//' | sort >folded
by path | cut -d, -f2 | sort >paths
check paths test -s paths
check_equal paths.unknown "" "$(comm -13 folded paths)"
check_equal paths.functions "$(by function | awk -F, '{ sums[$3] += $1 } END { for (name in sums) print name, sums[name] }' | sort)" \
	"$(by path | awk -F, '{ n = split($2, names, ";"); sums[names[n]] += $1 } END { for (name in sums) print name, sums[name] }' | sort)"

# ---- options ----

check_status by.unknown 2 "$cache" --by=wheel shares.trace
check_match by.unknown.says 'expected is function, line' err
check_status map.unknown 2 "$cache" --cores=2 --map=0,2 shares.trace
check_status cores.lines 2 "$cache" --cores=2 --levels=1Ki/2/32,2Ki/2/64,8Ki/8 shares.trace
check_status by.intervals 2 "$cache" --by=function --interval=10k shares.trace
check_status cores.opt 2 "$cache" --cores=2 --levels=1Ki/2:opt,8Ki/8 shares.trace
check_status by.opt 2 "$cache" --by=page --levels=1Ki/2:opt shares.trace
check_status cores.many 2 "$cache" --cores=65 shares.trace
record bare --no-functions -- "$PROGRAMS/blocks"
check_status by.object.none 3 "$cache" --by=object bare.trace
