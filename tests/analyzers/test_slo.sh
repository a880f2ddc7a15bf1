#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-slo: random programs against tests/oracle/slo_oracle.py, known reuses of compiled ones by source
# line at all levels of optimization, and its totals against trace-stackdist.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
cd "$work" || exit 1
slo=$BIN/trace-slo
programs=$here/../programs
source=$programs/locality.c

# record NAME OPTION... -- COMMAND...: NAME.trace
record() {
	local name=$1
	shift
	"${recorder[@]}" -q --force -o "$name.trace" "$@" >/dev/null 2>&1
}

# ---- random programs ----
for ((seed = 1; seed <= $(quick_or_full 5 100); seed++)); do
	/usr/bin/python3 -B "$here/slo_model.py" program $seed random >expected &&
		gcc -g -nostdlib -static -o random random.S || exit 1
	record random -- ./random
	"$slo" --all --block-size=8 --cache-size=8 --miss-cycles=1 --min-distance=0 --top=100000 --histogram \
		--format=json random.trace | /usr/bin/python3 -B "$here/slo_model.py" rows >got
	check random.$seed cmp expected got
done
check random.not_empty test -s expected

# ---- compiled programs ----

# line MARK [FILE]: the line of the mark in the source.
line() {
	grep -n "/\* $1 \*/" "${2:-$source}" | cut -d: -f1
}
# first OPTION... TRACE: kind, place, first and second of the refactoring with the greatest loss.
first() {
	"$slo" --format=json --top=1 "$@" | /usr/bin/python3 -c '
import json, sys
report = json.load(sys.stdin)
row, place = report["refactorings"][0], report["places"][0]
print(row["kind"], place["where"], place["first"], place["second"], sep="; ")
print(row["advice"])'
}
# said NAME KIND WHERE ADVICE [FIRST SECOND]: the row that first has printed to `got`; texts are regular
# expressions.
said() {
	check_match "$1.place" "^$2; $3; ${5:-None}; ${6:-None}\$" got
	check_match "$1.advice" "$4" got
}
loop="the loop at locality\.c:"
for level in $(quick_or_full 1 "0 1 2 3"); do
	gcc -O$level -g -pthread -static -o locality "$source" || exit 1
	for way in matrix interchanged sweeps calls rounds jumps handlers threads; do
		record $way -- ./locality $way
		first --min-distance=64 $way.trace >got
		case $way in
		matrix)
			said $level.matrix loop "$loop$(line matrix_i) in matrix" \
				"^tile $loop$(line matrix_j), and move the loop over tiles outside"
			"$slo" --min-distance=64 $way.trace >got
			check_match $level.matrix.interchange \
				"make $loop$(line matrix_j) in matrix the innermost one" got
			;;
		interchanged)
			said $level.interchanged loop "$loop$(line interchanged_i) in interchanged" '^tile '
			check $level.interchanged.gone eval '! "$slo" interchanged.trace | grep innermost | grep locality'
			;;
		sweeps)
			said $level.sweeps fuse sweeps '^fuse ' "$loop$(line sweep_1)" \
				"$loop($(line sweep_2)|$(($(line sweep_2) + 1)))"
			;;
		calls)
			[ $level -ge 2 ] ||	# then sum is a tail call
				said $level.calls func calls '^merge ' \
					"the call of fill at locality\.c:$(line call_1)" \
					"the call of sum at locality\.c:$(line call_2)"
			;;
		threads)
			said $level.threads loop "$loop$(line rounds) in rounds" '\(batch\)'
			;;
		*)
			said $level.$way loop "$loop$(line $way) in $way" '\(batch\)'
			;;
		esac
	done
done

gcc -O1 -fno-optimize-sibling-calls -g -pthread -static -o recurses "$source" || exit 1
record recursion -- ./recurses recursion
first recursion.trace >got 2>err
said recursion loop "$loop$(line recursion) in recursion" '\(batch\)'
check_match recursion.note 'not distinguished' err

# An interpreter is one loop, whichever operations follow each other.
for level in $(quick_or_full 2 "0 2"); do
	gcc -O$level -g -fno-crossjumping -fno-gcse -o threaded "$programs/threaded.c" || exit 1
	record threaded -- ./threaded
	first threaded.trace >got
	said threaded.$level loop 'the loop at threaded\.c:[0-9]+ in run' .
	check_equal threaded.$level.alone 1 "$("$slo" --top=100 threaded.trace |
		grep -o 'the loop at [^ ]* in run' | sort -u | wc -l)"
done

# Loops on one line differ by their columns.
cat >one_line.c <<'END'
double a[72 * 72], b[72 * 72], c[72 * 72];
int main(void)
{
	for (int i = 0; i < 72; i++) for (int j = 0; j < 72; j++) for (int k = 0; k < 72; k++)
		c[i * 72 + j] += a[i * 72 + k] * b[k * 72 + j];
	return 0;
}
END
gcc -O1 -g -o one_line one_line.c || exit 1
record one_line -- ./one_line
first --min-distance=64 one_line.trace >got
said one_line loop 'the loop at one_line\.c:4:[0-9]+ in main' '^tile the loop at one_line\.c:4:[0-9]+, and'

# A jump through a linkage table is a call, not a jump back into a function that is live.
mutual=$programs/mutual.c
gcc -O1 -fno-optimize-sibling-calls -g -fPIC -shared -DLIBRARY -o libmutual.so "$mutual" &&
	gcc -g -DPROGRAM -o mutual "$mutual" -L. -lmutual -Wl,-rpath,"$PWD" || exit 1
record mutual -- ./mutual
"$slo" --format=json --top=2 mutual.trace | /usr/bin/python3 -c '
import json, sys
for row in json.load(sys.stdin)["places"]:
    print(row["where"], row["first"], row["second"], sep="; ")' >got
for way in even odd; do
	other=$([ $way = even ] && echo odd || echo even)
	check_match mutual.$way "^$way; the loop at mutual\.c:$(line ${way}_loop "$mutual"); $(
		)the call of $other at mutual\.c:$(line ${way}_call "$mutual")\$" got
done

# Code behind a call that never returns is not where the caller continues; a block is touched in several parts.
record reuses -- "$PROGRAMS/reuses"
first reuses.trace >got
said no_return fuse _start '^fuse ' 'the loop at reuses\.S:[0-9]+' 'the loop at reuses\.S:[0-9]+'
"$slo" --format=csv --top=1 reuses.trace >got
check_match parts '^1,fuse,1024,1023,0,' got

# ---- data ----
record links -- ./locality links
"$slo" --data --min-distance=64 --format=csv links.trace >got
"$slo" --data --min-distance=64 --format=csv --jobs=2 links.trace >again
check data.jobs cmp got again
check_match data.of_thread "^1,20000,[0-9.]+,allocated at locality\.c:$(line link_allocated)\$" got
record matrix.dynamic -- "$PROGRAMS/locality" matrix
"$slo" --data --min-distance=64 --top=1 matrix.dynamic.trace >got
check_match data.variable '^ +1 +[0-9,]+ +9[0-9.]+ +locality:b$' got
check_equal data.sum "$("$slo" --format=csv --min-distance=64 --top=1 links.trace)" \
	"$("$slo" --data --format=csv --min-distance=64 --top=1 links.trace | sed '/^# data/,$d' | sed '$d')"
check_equal data.all_threads "$("$slo" --format=csv threads.trace)" "$("$slo" --count=1G --format=csv threads.trace)"

# ---- as a page ----
"$slo" --min-distance=64 matrix.trace >text
check html.status "$slo" --min-distance=64 --data --source="$programs" --html=page.html --output=data matrix.trace
"$slo" -q --min-distance=64 --html=without.html --output=got matrix.trace
check html.text cmp text got
"$slo" -q --min-distance=64 --data --source="$programs" --html=again.html --jobs=2 --output=got matrix.trace
check html.again cmp page.html again.html
check html.page /usr/bin/python3 -B "$here/slo_page.py" page.html locality.c "$(line matrix_access)"
hostile='<b onclick="x">&amp;</script>'
mkdir "${hostile%%/*}" && cp locality "${hostile%%/*}/script>"
record hostile -- "./$hostile" sweeps
"$slo" --source="$programs" --html=page.html hostile.trace >got
check html.hostile /usr/bin/python3 -B "$here/slo_page.py" page.html locality.c \
	"$(line sweep_use)" "$(line sweep_reuse)"
check_status html.nowhere 1 "$slo" --html=nowhere/page.html matrix.trace
cp matrix.trace kept.trace
check_status html.over_trace 1 "$slo" --html=matrix.trace matrix.trace
check html.trace_kept cmp kept.trace matrix.trace
check_status html.damaged 1 "$slo" --html=none.html text
check html.none test ! -e none.html

# ---- without symbols and debug information ----
strip -o stripped locality
record stripped -- ./stripped matrix
first --min-distance=64 stripped.trace >got
said stripped loop 'the loop at stripped\+0x[0-9a-f]+\+0x[0-9a-f]+ in stripped\+0x[0-9a-f]+' '^tile the loop at stripped'
check_equal stripped.counts "$("$slo" --format=csv --min-distance=64 --top=1 matrix.trace | grep ^1,loop, | cut -d, -f2-7)" \
	"$("$slo" --format=csv --min-distance=64 --top=1 stripped.trace | grep ^1,loop, | cut -d, -f2-7)"

# ---- totals ----

# agrees NAME TRACE: reuses over 64 blocks and more are the misses of such a cache that are not cold.
agrees() {
	local counts
	counts=$("$BIN/trace-stackdist" --format=csv --threads=each --cache-size=4096 "$2" | tail -n +2 |
		awk -F, '{ misses += $8 } END { print misses }')
	check_equal $1 "$counts" "$("$slo" --format=json --min-distance=64 "$2" |
		/usr/bin/python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["reuses"] + r["cold_by_thread"])')"
}
record sort -- sort "$source"
record python --count=3M -- /usr/bin/python3 -c 'import json; print(json.dumps(list(range(999))))'
record windows --every=1M --for=20k -- /usr/bin/python3 -c 'import json; print(json.dumps(list(range(999))))'
record forks --follow -- "$PROGRAMS/forks" 2
for name in sort python windows forks threads; do
	agrees $name.total $name.trace
	! is_quick || [ $name != python ] || continue
	"$slo" --format=json --min-distance=16 --histogram --misses --jobs=1 $name.trace >one
	"$slo" --format=json --min-distance=16 --histogram --misses --jobs=3 $name.trace >got
	check $name.jobs cmp one got
done

# ---- contents of the tables ----
"$slo" --all --format=json --min-distance=16 --top=1000000 --histogram --misses sort.trace >got
check_equal sums '[]' "$(/usr/bin/python3 - got <<'END'
import collections, json, sys

r = json.load(open(sys.argv[1]))
wrong = []
def same(what, a, b):
    if a != b:
        wrong.append((what, a, b))
same('found', r['refactorings_found'], len(r['refactorings']))
same('reuses', r['reuses'], sum(row['reuses'] for row in r['refactorings']))
same('lost', r['lost_cycles'], sum(row['lost_cycles'] for row in r['refactorings']))
same('ranks', [row['lost_cycles'] for row in r['refactorings']],
     sorted((row['lost_cycles'] for row in r['refactorings']), reverse=True))
same('all', round(r['refactorings'][-1]['cumulative_percent'], 6), 100)
for table in 'kinds', 'histogram':
    same(table, r['reuses'], sum(row['reuses'] for row in r[table]))
cycles = {32 << 10: 10, 1 << 20: 30, 32 << 20: 150}
same('cycles', r['lost_cycles'],
     sum(row['misses'] * cycles[row['cache_size_bytes']] for row in r['misses']))
from_kinds = collections.Counter()
for row in r['kinds']:
    from_kinds[row['distance_from']] += row['reuses']
for row in r['refactorings_needed']:
    same(row, row['misses'], sum(n for at, n in from_kinds.items() if at >= row['cache_blocks']))
    needed = [row[f'for_{p}_percent'] for p in (50, 80, 90, 95, 99)]
    same('needed', needed, sorted(needed))
print(wrong)
END
)"

# ---- wrong usage ----
# ---- rows that are hidden ----

for all in "" --all; do
	"$slo" $all --format=json --min-distance=16 --top=1000000 sort.trace >hidden$all.json
done
check_equal hidden "[True, True, True, 0, True]" "$(/usr/bin/python3 -c '
import json
some, all = json.load(open("hidden.json")), json.load(open("hidden--all.json"))
rows = lambda r: [[row[k] for k in row if k not in ("rank", "cumulative_percent")] for row in r["refactorings"]]
print([some["refactorings_hidden"] > 0, len(rows(some)) == some["refactorings_found"] - some["refactorings_hidden"],
       len(rows(all)) == all["refactorings_found"], all["refactorings_hidden"],
       {tuple(r) for r in rows(some)} <= {tuple(r) for r in rows(all)}])')"
"$slo" --min-distance=16 sort.trace >text
check_match hidden.says '^refactorings hidden .*below 0.1 % of the lost cycles, or in the C library; --all shows them' text

# Stages in several threads see events, and the ends of threads, in their places.
record exits --threads=serial -- "$PROGRAMS/workers"
record landings -- "$PROGRAMS/coroutines"
for name in exits landings objects; do
	[ -e $name.trace ] || record $name -- "$PROGRAMS/$name"
	"$slo" --format=json --all --data --min-distance=1 --histogram --misses --jobs=1 $name.trace >one
	for jobs in 2 3 7; do
		"$slo" --format=json --all --data --min-distance=1 --histogram --misses --jobs=$jobs $name.trace >got
		check "stages.$name.$jobs" cmp one got
	done
	check stages.$name.some grep -q '"reuses": [1-9]' one
done

check_status usage.block_size 2 "$slo" --block-size=48 sort.trace
check_status usage.cache 2 "$slo" --cache-size=1000 --miss-cycles=1 sort.trace
check_status usage.order 2 "$slo" --cache-size=1Mi,32Ki --miss-cycles=1,2 sort.trace
check_status usage.cycles 2 "$slo" --cache-size=32Ki --miss-cycles=1,2 sort.trace
check_match usage.cycles.says '2 numbers for 1 cache' err
check_status default_cycles 0 "$slo" --cache-size=32Ki,48K,2MB,8m --format=json sort.trace
check_equal default_cycles.same "$("$slo" --cache-size=32768,49152,2097152,8388608 --miss-cycles=10,10,30,150 --format=json sort.trace)" \
	"$(cat "$work/out")"
check_status usage.most_cycles 2 "$slo" --cache-size=32Ki --miss-cycles=2Mi sort.trace
record bare --no-addresses -- "$PROGRAMS/forks" 1
check_status no_addresses 3 "$slo" bare.trace
