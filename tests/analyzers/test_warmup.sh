#!/bin/bash
# SPDX-License-Identifier: MIT
# --warmup of analyzers: instructions before the counted ones are simulated, and not counted.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
cd "$work" || exit 1

# number ANALYZER NAME OPTION...: prints a number of a result.
number() {
	local analyzer=$1 name=$2
	shift 2
	"$BIN/trace-$analyzer" -q --format=json "$@" | grep -o "\"$name\": *[0-9]*" | head -n 1 | grep -o '[0-9]*$'
}

seq 1 3000 >input
check record "$BIN/trace-record" -q -o whole.trace -- gzip -c input
n=$(number mix instructions whole.trace)
first=$((n / 2)) warmup=$((n / 4)) count=$((n / 8))
check cut "$BIN/trace-cut" -q --from=$first --count=$count --warmup=$warmup -o slice.trace whole.trace
check before "$BIN/trace-cut" -q --from=$((first - warmup)) --count=$warmup -o before.trace whole.trace
check cold "$BIN/trace-cut" -q --from=$first --count=$count -o cold.trace whole.trace

# ---- counts are those of warm-up and slice, less those of the warm-up ----
buckets='touches misses cold instructions'
predictors='gag_12 pag_12 gas_12 pas_12 gag_4 pas_4 branches mica_instructions'
for row in "stackdist --cache-size=4Ki,32Ki:$buckets" "ppm:$predictors" "ilp --windows=64 --interval=1G --exact-intervals:cycles_64" \
	'stride:reads writes reads_local_up_to_64 writes_global_up_to_8' 'reg:operands uses' 'mix --by=total:loads stores instructions branches_taken' \
	'ibs:instructions'; do
	analyzer=${row%%:*} names=${row#*:} name=${row%%[ :]*}
	for side in slice whole_slice before; do
		case $side in
		slice) options=slice.trace ;;
		whole_slice) options='--warmup=no slice.trace' ;;
		before) options=before.trace ;;
		esac
		"$BIN/trace-"$analyzer -q --format=json $options >$side.json || echo "not ok $name.$side"
	done
	check "$name.difference" "$here/warm_counts.py" slice.json whole_slice.json before.json $names
done
for name in 'stackdist misses --cache-size=32Ki' 'ibs cycles_of_all_threads'; do
	set -- $name
	check "$1.warmer" [ "$(number $1 $2 ${3:-} slice.trace)" -lt "$(number $1 $2 ${3:-} cold.trace)" ]
done
# A branch whose pattern the predictors know from the warm-up; a predictor may learn nothing useful from other branches.
"$BIN/trace-record" -q --from=patterns --to=patterns_end -o patterns.trace -- "$PROGRAMS/model_kernels"
"$BIN/trace-cut" -q --from=9000 --count=2000 --warmup=4000 -o known.trace patterns.trace
"$BIN/trace-cut" -q --from=9000 --count=2000 -o unknown.trace patterns.trace
check_equal ppm.warm 0 "$(number ppm pag_12 known.trace)"
check ppm.warmer [ "$(number ppm pag_12 unknown.trace)" -gt 10 ]

# ---- MICA's files ----
# lines FILE: the numbers of a file of MICA, without the counts of instructions
lines() { sed '/^number/d' "$1"; }
# tool ANALYZER OPTION...: the same numbers, as the analyzer gives them
tool() {
	local analyzer=$1
	shift
	"$BIN/trace-$analyzer" -q --format=csv "$@" slice.trace | if [[ " $* " = *--interval* ]]; then
		awk -F, -v derived='^(ipc_|operands_per_instruction|degree_of_use|.*_percent)' 'NR == 1 {
			while (n < NF && $(n + 1) !~ derived) n++; next }
			{ for (i = 3; i <= n; i++) printf "%s%s", $i, i < n ? " " : "\n" }'
	else
		awk -F, '!NF { exit } $1 ~ /^(ipc_|operands_per_instruction|degree_of_use|.*_percent|name$|mica_instructions|executions)/ { next }
			{ printf "%s%s", s, $2; s = " " } END { print "" }'
	fi
}
for interval in full 20000; do
	printf 'analysis_type: all\ninterval_size: %s\nblock_size: 6\npage_size: 12\n' $interval >$interval.conf
	options=() cells=(ilp:2 ppm:2 reg:2 stride:1)
	[ $interval = full ] || options=(--interval=$interval)
	for side in slice.1 slice.2 cold.2; do
		mkdir mica.$interval.$side
		check mica.$interval.$side "$BIN/trace-mica" -q --jobs=${side#*.} --config=$interval.conf -d mica.$interval.$side ${side%.*}.trace
	done
	check mica.$interval.jobs diff -r -x mica.log mica.$interval.slice.1 mica.$interval.slice.2
	for base in itypes memfootprint linecount; do
		name=$(basename mica.$interval.cold.2/${base}_*_int_pin.out)
		check mica.$interval.$base cmp mica.$interval.cold.2/$name mica.$interval.slice.2/$name
	done
	check mica.$interval.others cmp mica.$interval.{cold,slice}.2/itypes_other_group_categories.txt
	for cell in "${cells[@]}"; do
		check_equal mica.$interval.${cell%:*} "$(tool ${cell%:*} "${options[@]}")" \
			"$(lines mica.$interval.slice.2/${cell%:*}_*_int_pin.out | cut -d' ' -f${cell#*:}-)"
	done
done

# A slice with string instructions, whose repetitions the vectors need.
for side in slice cold; do
	check "bbv.$side" "$BIN/trace-bbv" -q --interval-size=1000 --bb-out-file=$side.bb $side.trace
done
check bbv.same cmp slice.bb cold.bb
check bbv.some test "$(grep -c ^T slice.bb)" -gt 10

# Intervals begin behind the warm-up, also where trace-cut finds them again.
for counter in exact exp-bbv; do
	for side in slice cold; do
		check "simpoint.$counter.$side" "$BIN/trace-simpoint" -q --counter=$counter --interval=1000 -o $side $side.trace
	done
	check "simpoint.$counter.same" cmp slice.labels cold.labels
	check "simpoint.$counter.starts" "$here/warm_starts.py" slice.json cold.json $warmup
	check "simpoint.$counter.cut" "$BIN/trace-cut" -q --force --simpoints=slice.simpts --interval=1000 --counter=$counter -o point slice.trace
	point=$(sed -n '1s/ .*//p' slice.simpts) cluster=$(sed -n '1s/.* //p' slice.simpts)
	check_equal "simpoint.$counter.first" "$(grep -o '"start": [0-9]*' slice.json | sed -n '1s/.* //p')" \
		"$("$BIN/trace-info" --meta point.$cluster.trace | sed -n 's/.*slice\.first *//p')"
done
check report "$BIN/trace-report" -q -o slice.html slice.trace
check_equal info.warmup $warmup "$("$BIN/trace-info" --format=json slice.trace | sed -n 's/^  "warmup": \([0-9]*\),/\1/p')"
check_equal info.cold 0 "$("$BIN/trace-info" --format=json cold.trace | grep -c '"warmup"')"

# A filter removes instructions of the warm-up, too.
function=$("$BIN/trace-mix" -q --by=symbol --top=1 --format=csv -o symbols/ slice.trace && awk -F, 'NR == 2 { print $NF }' symbols/symbols.csv)
for side in slice cold; do
	check "filter.$side" "$BIN/trace-filter" -q --function="$function" -o some.$side.trace $side.trace
done
check_equal filter.instructions "$(number mix instructions some.cold.trace)" "$(number mix instructions some.slice.trace)"
check filter.some [ "$(number mix instructions some.cold.trace)" -gt 1000 ]
check filter.simpoint "$BIN/trace-simpoint" -q --interval=100 -o filtered some.slice.trace

# ---- which instructions ----
check_equal auto.instructions $count "$(number mix instructions slice.trace)"
check_equal auto.warmup $warmup "$(number mix warmup slice.trace)"
check_equal no.instructions $((warmup + count)) "$(number mix instructions --warmup=no slice.trace)"
check_equal region.instructions $count "$(number stackdist instructions --region=simulation slice.trace)"
check_equal region.cold "$(number stackdist misses --cache-size=32Ki cold.trace)" \
	"$(number stackdist misses --cache-size=32Ki --region=simulation slice.trace)"
for analyzer in mix stackdist; do
	part=$(number $analyzer instructions --warmup=1000 --threads=each whole.trace)
	check first.$analyzer [ "$part" -ge $((n - 1000)) -a "$part" -lt $((n - 900)) ]
	check_equal most.$analyzer 0 "$(number $analyzer instructions --warmup=$n whole.trace)"
	check_equal interval.$analyzer "$(number $analyzer instructions --interval=1000 cold.trace)" \
		"$(number $analyzer instructions --interval=1000 slice.trace)"
done
# blocks are not divided
part=$(number stackdist instructions --from=$first --count=$count --warmup=$warmup whole.trace)
check from [ "$part" -ge $count -a "$part" -lt $((count + 200)) ]
same=$(number stackdist misses --cache-size=32Ki --from=$first --count=$count --warmup=$warmup whole.trace)
slice=$(number stackdist misses --cache-size=32Ki slice.trace)
check from.misses [ $((same - slice)) -lt 50 -a $((slice - same)) -lt 50 ]

# ---- threads ----
check threads "$BIN/trace-record" -q -o threads.trace -- "$PROGRAMS/workers" 3 20000
half=$(($(number mix instructions threads.trace) / 2))
check threads.cut "$BIN/trace-cut" -q --from=$half --warmup=$((half / 2)) -o some.trace threads.trace
for analyzer in mix stackdist; do
	check_equal threads.$analyzer "$(number $analyzer instructions some.trace)" "$("$BIN/trace-$analyzer" -q --threads=each \
		--format=csv some.trace | awk -F, 'NR > 1 { sum += $3 } END { print sum }')"
done
check_equal threads.simulation "$(number mix instructions --region=simulation some.trace)" "$(number mix instructions some.trace)"

# A report shows the phases of a thread that has more than a warm-up.
total=$(number mix instructions threads.trace)
check threads.cut.late "$BIN/trace-cut" -q --from=$((total * 9 / 10)) --warmup=$((total * 8 / 10)) --count=$((total / 100)) -o late.trace threads.trace
check threads.report "$BIN/trace-report" -q -o late.html late.trace
check threads.phases grep -q '"explained_percent"' late.html

# ---- estimates are of warm slices ----
echo '1 0' >weights
check extrapolate "$BIN/trace-extrapolate" --run='stackdist --cache-size=32Ki' --weights=weights --total=$((2 * count)) --format=csv \
	slice.trace
check_equal extrapolate.misses $((2 * slice)) "$(sed -n 's/.*,misses,\([0-9]*\)$/\1/p' .out)"
check_equal extrapolate.warmup 0 "$(grep -c 'warmup' .out)"

check_status usage.region 2 "$BIN/trace-mix" --warmup=5 --region=simulation slice.trace
check_status usage.word 2 "$BIN/trace-mix" --warmup=some slice.trace
check usage.says grep -q 'auto, no, or a number of instructions is expected' err
check_status vectors 0 "$BIN/trace-record" -q --vectors --interval=100k -o vectors.trace -- true
check_status vectors.refused 3 "$BIN/trace-mix" --warmup=5 vectors.trace

# A warm-up that is no number, or whose end is not known: commands name a remedy that they have.
echo 'slice.warmup: x5' >meta
check broken.word "$BIN/../tests/edit_trace" whole.trace word.trace add:META:meta
check_status broken.word.mix 1 "$BIN/trace-mix" word.trace
check_match broken.word.mix.says "its slice.warmup, 'x5', is no number; --warmup=no takes the trace as a whole$" err
check_status broken.word.whole 0 "$BIN/trace-mix" --warmup=no word.trace
check_status broken.word.simpoint 1 "$BIN/trace-simpoint" --interval=1000 word.trace
check_match broken.word.simpoint.says "is no number; cut the slice again with trace-cut$" err
echo 'slice.warmup: 5' >meta
check broken.end "$BIN/../tests/edit_trace" whole.trace end.trace add:META:meta
check_status broken.end.simpoint 1 "$BIN/trace-simpoint" --interval=1000 end.trace
check_match broken.end.simpoint.says "no region 'simulation' behind it; cut the slice again with trace-cut$" err
