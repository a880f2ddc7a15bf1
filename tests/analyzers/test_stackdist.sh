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

# compare NAME KINDS SIZES: compares all distances of all streams
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

# ---- limited distances ----

# limited NAME MOST SIZES: all distances below a limit, in one piece, by several jobs, and in parts
limited() {
	local options=(--max-distance="$2" --accesses=reads,reads+writes+fetches --block-size="$3")
	/usr/bin/python3 -B "$model" reads,reads+writes+fetches "$3" most="$2" <"$1.dump" >expected
	"$stackdist" --format=csv --histogram --curve "${options[@]}" "$1.trace" >got
	check "$1.limit.$2" cmp expected got
	check "$1.limit.$2.far" grep -q '^reads,1,[0-9]*,[1-9]' got
	"$stackdist" --jobs=5 --format=csv --histogram --curve "${options[@]}" "$1.trace" >got
	check "$1.limit.$2.jobs" cmp expected got
	for i in 0 1 2 3 4; do
		"$stackdist" "${options[@]}" --part=$i/5 --partial=part.%p "$1.trace"
	done
	"$BIN/trace-merge" --partial=part.middle part.3 part.1 part.2
	"$BIN/trace-merge" --format=csv part.4 part.middle part.0 -- --histogram --curve >got
	check "$1.limit.$2.parts" cmp expected got
}
record limits --chunk=2k --count=20k -- sort "$model"
for most in $(quick_or_full "1 64 65536" "1 5 64 300 65536"); do
	limited limits $most 1,64
done
# The last bucket ends before the limit. The buckets have the touches that are not far.
for most in 1 64 100; do
	"$stackdist" --max-distance=$most -a reads -b 64 --table=buckets --format=csv limits.trace >got
	check_equal last_bucket.$most $((most - 1)) "$(tail -n 1 got | cut -d, -f4)"
	check_equal buckets.$most "$("$stackdist" --max-distance=$most -a reads -b 64 --table=streams --format=csv limits.trace |
		awk -F, 'END { print $3 - $4 }')" "$(awk -F, '{ sum += $5 } END { print sum }' got)"
done
"$stackdist" --max-distance=100 --part=0/1 --partial=small limits.trace
"$stackdist" --part=0/1 --partial=large limits.trace
check small_part test "$(stat -c %s small)" -lt "$(stat -c %s large)"
check_status limit_of_caches 2 "$stackdist" --max-distance=64 --cache-size=8Ki limits.trace
check_match limit_of_caches.says 'are more than 64 blocks of 64 bytes' err
check limit_of_caches.equal "$stackdist" --max-distance=64 --cache-size=4Ki limits.trace
check_status limit_of_rows 2 "$stackdist" --max-distance=64 --interval=1000 limits.trace
check_status limit_no_bin 2 "$stackdist" --max-distance=100000 limits.trace

# Each interval ends where MICA's would, except that it ends with a whole block.
record stepped --count=3k --backend=step -- /bin/true
/usr/bin/python3 -B "$model" reads 64 500 <stepped.dump >expected
"$stackdist" --accesses=reads --interval=500 --format=csv stepped.trace | tail -n +2 | cut -d, -f6- >got
check_equal intervals "$(wc -l <expected)" "$(wc -l <got)"
check_equal intervals_sum_up "$(/usr/bin/python3 -B "$model" reads 64 1000000 <stepped.dump)" \
	"$(awk -F, '{ for (i = 1; i <= NF; i++) s[i] += $i } END { for (i = 1; i <= NF; i++)
		printf "%s%d", (i == 1 ? "" : ","), s[i]; print "" }' got)"

# ---- threads, and parts ----

# counts OPTION... TRACE: touches, cold ones, and MICA's buckets, on one line
counts() {
	"$stackdist" --format=csv "$@" | awk -F, '/^reads/ { print NF == 5 ? $3 "," $4 : $5 }' | paste -sd,
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

# ---- caches ----

# rows TABLE: the rows of one table of `got`
rows() { sed -n "/^# $1\$/,/^\$/p" got | tail -n +3 | grep .; }

# The last row of a curve up to a cache size is the ratio of caches of that size.
"$stackdist" -a reads,fetches -b 64,4Ki --curve --cache-size=4Ki,8Ki,32Ki,1Gi --format=csv true.trace >got
check_equal cache_sizes "$(for stream in reads,64 reads,4096 fetches,64 fetches,4096; do
	for size in 4096 8192 32768 1073741824; do
		rows miss_ratio_curve | grep "^$stream," | awk -F, -v OFS=, -v size=$size '$4 <= size {
			last = $5 "," $6 } END { print $1, $2, size / $2, size, last }'
	done
done)" "$(rows caches)"
mv got serial
"$stackdist" -a reads,fetches -b 64,4Ki --curve --cache-size=4Ki,8Ki,32Ki,1Gi --jobs=3 --format=csv true.trace >got
check cache_sizes.jobs cmp serial got
check several_ratios test "$(rows caches | cut -d, -f6 | sort -u | wc -l)" -gt 4
example=$(sed -n 's/^\.Dl \$ trace-stackdist \(.*cache-size.*\) ls\.trace$/\1/p' "$BIN/../man/trace-stackdist.1")
"$stackdist" $example --format=csv true.trace >got
check_equal cache_size.example fetches,64,512,32768 "$(rows caches | cut -d, -f1-4)"
check_match cache_size.text '^fetches +64 +512 +32,768 +[0-9,]+ +[0-9.]+$' <("$stackdist" $example true.trace)

# The smallest cache is in every curve, even if all touches are cold.
check_equal curve_begins "1,64 1,4096" \
	"$("$stackdist" -b 64,4096 --curve --format=csv true.trace >got; rows miss_ratio_curve |
		awk -F, '$2 != last { print $3 "," $4; last = $2 }' | xargs)"
"$(dirname "$BIN")/examples/write-trace" loop.trace
"$stackdist" -b 8,64 --curve --format=csv loop.trace >got
check_equal all_cold "reads+writes,8,1,8,4,100 reads+writes,64,1,64,1,25" "$(rows miss_ratio_curve | xargs)"

# ---- rows of intervals and threads ----

# whole TABLE OPTION...: a table of a trace is that of its only interval, and of its only thread
whole() {
	"$stackdist" "${@:2}" -a reads,writes --format=csv true.trace >got
	rows "$1" >expected
	for span in --interval=1T --threads=each; do
		"$stackdist" "${@:2}" -a reads,writes --format=csv $span true.trace | tail -n +2 | cut -d, -f4- >got
		check "$1$span" cmp expected got
	done
	check "$1.has_rows" test -s expected
}
whole histogram --histogram
whole miss_ratio_curve --curve
whole caches --cache-size=4Ki,32Ki
check_equal histogram_of_intervals 2 "$("$stackdist" --histogram --interval=10k --format=csv true.trace |
	tail -n +2 | cut -d, -f2 | sort -u | wc -l)"
for span in --interval=1k --threads=each; do
	check_status rows_exclude$span 2 "$stackdist" --histogram --curve $span true.trace
	check_match rows_exclude$span.says 'histogram and --curve exclude each other' err
done

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
for bad in 0 32 100 64, x 8Mi,8388609; do
	check_status "bad.cache.$bad" 2 "$stackdist" "--cache-size=$bad" true.trace
done
check_match bad.cache.says '8388609 bytes are not a multiple of the block size, 64$' err
check_status several_block_sizes 2 "$stackdist" --block-size=64,4Ki --cache-size=2Ki true.trace
check_match last_bucket '^reads\+writes +64 +262,144 +- ' <("$stackdist" true.trace)
