#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-stackdist against a slow model that reads a dump of the trace.
. "$(dirname "$0")/../lib.sh"
model=$(cd "$(dirname "$0")" && pwd)/stackdist_model.py
cd "$work" || exit 1
stackdist=$BIN/trace-stackdist

# record NAME OPTION... -- COMMAND...: NAME.trace and NAME.dump
record() {
	local name=$1
	shift
	"${recorder[@]}" -q -o "$name.trace" "$@" >/dev/null 2>&1
	"$BIN/trace-dump" --format=csv "$name.trace" >"$name.dump"
}

# compare NAME KINDS SIZES: all distances of all streams
compare() {
	/usr/bin/python3 -B "$model" "$2" "$3" <"$1.dump" >expected
	"$stackdist" --format=csv --histogram --curve --accesses="$2" --block-size="$3" "$1.trace" >got
	check "$1.$2.$3" cmp expected got
	check "$1.$2.not_empty" test "$(wc -l <got)" -gt 12
	"$stackdist" --jobs=3 --format=csv --histogram --curve --accesses="$2" --block-size="$3" \
		"$1.trace" >got
	check "$1.$2.jobs" cmp expected got
}

every=reads,writes,fetches,reads+writes,reads+writes+fetches
for name in strings lanes operands; do
	record $name -- "$PROGRAMS/$name"
	compare $name $every 1,64,4096
done
record true --count=20k -- /bin/true
compare true $every 64
record forks --follow -- "$PROGRAMS/forks" 2
compare forks reads 64

# Each interval ends where MICA's would, but for the block that it ends in.
record stepped --count=3k --backend=step -- /bin/true
/usr/bin/python3 -B "$model" reads 64 500 <stepped.dump >expected
"$stackdist" --accesses=reads --interval=500 --format=csv stepped.trace | tail -n +2 | cut -d, -f6- >got
check_equal intervals "$(wc -l <expected)" "$(wc -l <got)"
check_equal intervals_sum_up "$(/usr/bin/python3 -B "$model" reads 64 1000000 <stepped.dump)" \
	"$(awk -F, '{ for (i = 1; i <= NF; i++) s[i] += $i } END { for (i = 1; i <= NF; i++)
		printf "%s%d", (i == 1 ? "" : ","), s[i]; print "" }' got)"

# ---- threads, and parts ----

# counts OPTION... TRACE: touches, those that are cold, and MICA's buckets, in a line
counts() {
	"$stackdist" --format=csv "$@" | awk -F, '/^reads/ { print NF == 4 ? $3 "," $4 : $5 }' | paste -sd,
}
record threads -- "$PROGRAMS/threads"
"$stackdist" --threads=each --format=csv threads.trace | tail -n +2 | cut -d, -f6- >got
check several_threads test "$(wc -l <got)" -gt 1
check_equal threads "$(for ((t = 0; t < $(wc -l <got); t++)); do
	counts --thread=$t threads.trace
done)" "$(cat got)"
"$BIN/trace-cut" -q --from=2000 --count=2000 --warmup=1000 -o warm.trace true.trace
"$BIN/trace-cut" -q --from=2000 --count=2000 -o part.trace true.trace
check_equal region "$(counts part.trace)" "$(counts --region=simulation warm.trace)"
check region_is_a_part test "$(counts part.trace)" != "$(counts warm.trace)"

# ---- options ----

"${recorder[@]}" -q --no-addresses -o bare.trace -- /bin/true >/dev/null 2>&1
check_status no_addresses 3 "$stackdist" bare.trace
check_match no_addresses.says 'has no data addresses' err
check_status no_addresses.fetches 0 "$stackdist" --accesses=fetches bare.trace
check_match no_addresses.counts '^fetches +64 +[0-9]' out
for bad in --block-size=48 --block-size=0 --block-size=64, --accesses= --accesses=reads+ \
	--accesses=read --accesses=reads,,writes; do
	check_status "bad.$bad" 2 "$stackdist" "$bad" true.trace
done
