#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-cache: fully associative levels as trace-stackdist; machines, files and sizes as the same levels in short; TLBs;
# intervals and parts; cores; refused options.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1

"${recorder[@]}" -q -o t --from=main --count=80k -- "$PROGRAMS/kernels_o2" >/dev/null 2>&1
# cache OPTION...: the table of levels, without the names of the hierarchies
cache() {
	"$BIN/trace-cache" -q --format=csv --table=levels "$@" t | /usr/bin/python3 -c 'import csv, sys
for row in csv.reader(sys.stdin): print(*row[1:], sep=",")'
}
# column NAME: that column of standard input
column() { /usr/bin/python3 -c 'import csv, sys
for row in csv.DictReader(sys.stdin): print(row[sys.argv[1]])' "$1"; }

# ---- full associativity ----
for size in 4Ki 16Ki 96Ki; do
	for accesses in data=reads+writes fetches=fetches all=reads+writes+fetches; do
		check_equal "stackdist.$size.$accesses" \
			"$("$BIN/trace-stackdist" -q --accesses="${accesses#*=}" --cache-size=$size --format=csv --table=caches t | column misses)" \
			"$(cache --accesses="${accesses%=*}" --levels=$size/full:unified | column misses)"
	done
done
# The misses of level 1 do not depend on what is below, nor those of a second LRU level on its write-backs.
check_equal below "$(cache --levels=4Ki/4 | column misses)" "$(cache --levels=4Ki/4,32Ki/8:drrip,1Mi/16:random | column misses | head -n 2)"

# ---- machines and files ----
"$BIN/trace-ibs" -q --machine=goldencove --save-machine=saved t >/dev/null
check_equal machine.file "$(cache --machine=goldencove)" "$(cache --machine=saved)"
printf '# as zen5\nmachine = zen5\n\nl2 = 512Ki/8:srrip # smaller\nitlb = 16/full\n' >file
cache --config=file >got
check_equal file.l2 "524288 8 srrip" "$(grep ^L2, got | cut -d, -f2,3,5 | tr , ' ')"
check_equal file.itlb "65536 16" "$(grep ^ITLB, got | cut -d, -f2,3 | tr , ' ')"
check_equal file.rest "$(cache --machine=zen5 | grep ^L1D,)" "$(grep ^L1D, got)"
check_equal file.levels "$(cache --levels=8Ki/2+16Ki/4:fifo,64Ki/8 --tlb=8/2,64/full/2Mi)" "$(
	printf 'levels = 8Ki/2+1Ki/1,64Ki/8\nl1d = 16Ki/4:fifo\ntlb = 8/2,64/full/2Mi\n' >file
	cache --config=file
)"
check_equal default "$(cache)" "$(cache --machine=zen4)"
check_equal sizes "$(cache --levels=4Ki/4,16Ki/8 --levels=4Ki/4,48Ki/8)" "$(cache --levels=4Ki/4,32Ki/8 --sizes=16Ki,48Ki)"

# Pages are lines of their size, and stores do not make these dirty.
check_equal tlb "$(cache --levels=16Ki/full/4096 | column misses | tr '\n' ' ')" "$(cache --tlb=4/full | column misses | tr '\n' ' ')"
check_equal tlb.clean "0 0 0" "$(cache --tlb=4/full,8/full | column write_backs | tr '\n' ' ' | sed 's/ $//')"

# ---- parts ----
"$BIN/trace-cache" -q --levels=4Ki/2,32Ki/8 --interval=20k --format=csv t >rows
for level in L1I L1D L2; do
	check_equal "intervals.$level" "$(cache --levels=4Ki/2,32Ki/8 | grep "^$level," | cut -d, -f7,8 | tr , ' ')" \
		"$(/usr/bin/python3 -c 'import csv, sys
rows = [row for row in csv.DictReader(line for line in sys.stdin if not line.startswith("#")) if row["level"] == sys.argv[1]]
print(*[sum(int(row[name]) for row in rows) for name in ("lookups", "misses")])' $level <rows)"
done
# Warmed by the instructions before, a part misses less, as these are not counted.
check warmup test "$(cache --levels=32Ki/8 --from=40k --warmup=30k | column misses | tail -n 1)" -lt \
	"$(cache --levels=32Ki/8 --from=40k --warmup=no | column misses | tail -n 1)"
check_equal warmup.opt "$(cache --levels=64Ki/full --from=40k --warmup=30k | column misses)" \
	"$(cache --levels=64Ki/full:opt --from=40k --warmup=30k | column misses)"

# ---- cores ----
several=(--levels=4Ki/2,32Ki/8,256Ki/16 --levels=1Ki/2:plru,8Ki/4:random:exclusive,96Ki/12:srrip --levels=4Ki/2:unified,32Ki/8:drrip
	--levels=2Ki/2:opt,8Ki/4 --levels=4Ki/4:stride,32Ki/8/128:next-line --levels=1Ki/2:write-through,4Ki/4:inclusive/1 --machine=zen4)
several=("${several[@]/:inclusive\/1/:inclusive}")
cache "${several[@]}" >one
for jobs in 2 8; do
	cache --jobs=$jobs "${several[@]}" >many
	check "jobs.$jobs" cmp one many
	check_equal "jobs.$jobs.sets" "$(cache "${several[0]}")" "$(cache --jobs=$jobs "${several[0]}")"
	check_equal "jobs.$jobs.lines" "$(cache --levels=512/2,4Ki/4/128)" "$(cache --jobs=$jobs --levels=512/2,4Ki/4/128)"
	check_equal "jobs.$jobs.crossings" "$(cache "${several[1]}")" "$(cache --jobs=$jobs "${several[1]}")"
done
check_equal jobs.intervals "$(cat rows)" "$("$BIN/trace-cache" -q --levels=4Ki/2,32Ki/8 --interval=20k --format=csv --jobs=2 t)"

# In a longer trace, threads that decode ahead also drop accesses.
"$BIN/trace-record" -q -o long --from=main --count=6M -- "$PROGRAMS/kernels_o2" >/dev/null 2>&1
long() { "$BIN/trace-cache" -q --format=csv "$@" long; }
for levels in --levels=1Ki/2,8Ki/4:exclusive,64Ki/8 --levels=2Ki/4:srrip:no-allocate,8Ki/4:stride --levels=4Ki/4,16Ki/8:inclusive \
	--levels=3Ki/6:unified:write-through,8Ki/4 --levels=2Ki/4:stride,16Ki/8 --tlb=8/2,64/4 --levels=2Ki/2:opt,8Ki/4; do
	for range in "" "--from=1M --count=3M" --interval=1M; do
		[[ $levels$range = *opt*interval* ]] && continue
		# shellcheck disable=SC2086
		long $levels $range >one
		for jobs in 2 3 5; do
			# shellcheck disable=SC2086
			long $levels $range --jobs=$jobs >many
			check "ahead.$levels.$range.$jobs" cmp one many
		done
	done
done
check_equal ahead.sizes "$(long --levels=2Ki/2,8Ki/4 --sizes=8Ki,16Ki)" "$(long --levels=2Ki/2,8Ki/4 --sizes=8Ki,16Ki --jobs=4)"

# ---- refused ----
refuses() {
	local name=$1 message=$2
	shift 2
	check_status "$name" 2 "$BIN/trace-cache" -q "$@" t
	check_match "$name.says" "$message" err
}
refuses levels "--levels=32Ki/8:foo: 'foo' is not a property of a cache" --levels=32Ki/8:foo
refuses distance "'distance=0' is not a property" --levels=32Ki/8:next-line:distance=0
refuses levels.size 'level 2: the size is not a multiple' --levels=32Ki/8,1000/3
refuses machine 'one of simple, zen4.* is expected, or a file' --machine=zen
refuses sizes.list 'a list of sizes is expected, such as 16Ki,32Ki' --sizes=16Ki..64Ki
refuses sizes '1000 bytes.*not a multiple' --levels=32Ki/8 --sizes=1000
printf 'levels = 32Ki/8\nl3 = 1Mi/16\n' >file
check_status no_levels 2 "$BIN/trace-cache" --config=/dev/null t
check_match no_levels.says '/dev/null: a line "levels = ..." or "machine = ..." is missing' err
refuses file 'file: line 2: the levels have no such cache' --config=file
printf 'l3 = 1Mi/16\n' >file
refuses file.first 'file: line 1: a line "levels = ..." or "machine = ..." must come first' --config=file
printf 'levels 32Ki/8\n' >file
refuses file.line 'error: --config=file: line 1: not "name = value"' --config=file
check_status opt.memory 1 "$BIN/trace-cache" -q --levels=1Ki/2:opt --memory=10K t
check_match opt.memory.says 'opt needs more memory than --memory allows' err
check_status opt.interval 2 "$BIN/trace-cache" -q --levels=1Ki/2:opt --interval=20k t
"$BIN/trace-record" -q --no-addresses -o flow -- "$PROGRAMS/kernels_o2" >/dev/null 2>&1
check_status addresses 3 "$BIN/trace-cache" -q flow
check_status fetches 0 "$BIN/trace-cache" -q --accesses=fetches flow
