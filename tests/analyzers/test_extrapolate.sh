#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-extrapolate: all intervals of a program give the results of the whole program; results of any
# analyzer, computed by hand; wrong input is refused.
. "$(dirname "$0")/../lib.sh"
extrapolate=$BIN/trace-extrapolate

# Every interval is a point of the same weight: the estimate is the truth.
head -c 2000 /bin/bash >"$work/input"
"$BIN/trace-record" -q --skip=100k --count=80k -o "$work/gzip.trace" -- gzip -c "$work/input" >/dev/null
for i in 0 1 2 3 4 5 6 7; do echo "$i $i"; done >"$work/all.simpts"
for i in 0 1 2 3 4 5 6 7; do echo "0.125 $i"; done >"$work/all.weights"
check cut "$BIN/trace-cut" -q --simpoints="$work/all.simpts" --interval=10k --counter=exact --warmup=500 \
	-o "$work/s" "$work/gzip.trace"
slices=("$work"/s.[0-7].trace)
check exact "$extrapolate" --run='mix --by=symbol --top=1000' --whole="$work/gzip.trace" --format=json "${slices[@]}"
cp "$work/.out" "$work/exact.json"
check exact.errors /usr/bin/python3 - "$work/exact.json" <<-'EOF'
	import json, sys
	r = json.load(open(sys.argv[1]))
	assert r["slices"] == 8 and r["instructions"] == 80000 and abs(r["simulated"] - 100) < 1e-9, r
	assert r["mean_error"] < 1e-9 and r["greatest_error"] < 1e-9, r
	assert len(r["estimates"]) > 100
	for e in r["estimates"]:
	    assert abs(e["estimate"] - e["whole"]) <= 1e-9 * abs(e["whole"]), e
EOF
check csv "$extrapolate" --run=mix --format=csv "${slices[@]}"
check_match csv.head '^table,row,name,estimate$' "$work/.out"

# Results that were made before, with weights, give the same; an estimate has the true error.
for slice in "${slices[@]:0:3}"; do
	"$BIN/trace-mix" --format=json --region=simulation "$slice" >"${slice%.trace}.json"
done
"$BIN/trace-mix" --format=json "$work/gzip.trace" >"$work/whole.json"
# The slices are 3 of 8: counts are those of this part, unless it is to stand for the whole.
part() {
	local name=$1
	shift
	check "files.$name" "$extrapolate" --whole="$work/whole.json" --format=json "$@" "$work"/s.[0-2].json
	grep -v '^trace-' "$work/.out" >"$work/files.$name.json"
}
part renormalised --renormalise
check_match files.renormalised.says 'weights sum up to 0.375; counts are scaled to the whole program' "$work/.out"
part unscaled
check_match files.unscaled.says 'stand for 37.5 % of the program, and counts are those of this part' "$work/.out"
check files.same /usr/bin/python3 - "$work" <<-'EOF'
	import json, sys
	work = sys.argv[1]
	parts = [json.load(open("%s/s.%d.json" % (work, i))) for i in range(3)]
	whole = json.load(open(work + "/whole.json"))
	assert all(p["slice_weight"] == 0.125 and p["parent_instructions"] == 80000 for p in parts)
	for how, n, counts in (("renormalised", 80000, "program, renormalised"),
	                       ("unscaled", 30000, "part of program with slices")):
	    r = json.load(open("%s/files.%s.json" % (work, how)))
	    assert r["counts_of"] == counts and r["weights"] == 0.375 and r["instructions"] == 80000, r
	    for e in r["estimates"]:
	        if e["table"]:
	            continue
	        guess = sum(p[e["name"]] for p in parts) / 3 / 10000 * n
	        assert abs(e["estimate"] - guess) < 1e-6 and e["whole"] == whole[e["name"]], e
	        if e["whole"]:
	            assert abs(e["error"] - 100 * (guess - e["whole"]) / e["whole"]) < 1e-6, e
EOF

# The walk-through in examples/ runs.
check walk_through examples/simpoint.sh "$BIN" gzip -c "$work/input"
sed -n 's/^mean error *\([0-9.]*\) %$/\1/p' "$work/.out" >"$work/errors"
check_equal walk_through.errors 2 "$(wc -l <"$work/errors")"

# Results of other programs: counts, shares, tables.
echo '{"cycles": 2000, "insns": 1000, "ipc": 0.5, "size": 64, "by": [{"f": "a", "n": 10, "share": 1.5}]}' >"$work/1.json"
echo '{"cycles": 1000, "insns": 500, "ipc": 0.25, "size": 64, "by": [{"f": "b", "n": 4, "share": 2.5}]}' >"$work/2.json"
printf '0.25 0\n0.75 3\n' >"$work/two.weights"
check others "$extrapolate" --weights="$work/two.weights" --per=insns --total=1M --mean=size --format=csv \
	"$work/1.json" "$work/2.json"
check_equal others.values ',,cycles,2000000
,,insns,1000000
,,ipc,0.3125
,,size,64
by,a,n,2500
by,a,share,0.375
by,b,n,6000
by,b,share,1.875' "$(tail -n +2 "$work/.out")"
check others.sum "$extrapolate" --weights="$work/two.weights" --per=insns --total=1M --sum=ipc,share --format=csv \
	"$work/1.json" "$work/2.json"
check_match others.sum.value '^,,ipc,500$' "$work/.out"

# A number of which one slice of little weight has most is named.
i=0
for numbers in '1000 100 7' '20 100 7' '10 120 6'; do
	set -- $numbers
	echo "{\"insns\": 1000, \"misses\": $1, \"loads\": $2, \"stalls\": $3, \"ratio\": 0.$1}" >"$work/m$((++i)).json"
done
printf '0.05 0\n0.35 1\n0.6 2\n' >"$work/three.weights"
check single "$extrapolate" --weights="$work/three.weights" --per=insns --total=1M "$work"/m[1-3].json
check_equal single.says 'misses (79 % from 5 % of the program)' "$(sed -n 's/.*comes from one slice.*unknown: \(.*\); draw.*/\1/p' "$work/.out")"
check single.quiet "$extrapolate" -q --weights="$work/three.weights" --per=insns --total=1M "$work"/m[1-3].json
check_equal single.quiet.says 0 "$(grep -c 'one slice' "$work/.out")"
printf '0.3 0\n0.3 1\n0.4 2\n' >"$work/three.weights" # the slice has most, and represents a good part
check single.great "$extrapolate" --weights="$work/three.weights" --per=insns --total=1M "$work"/m[1-3].json
check_equal single.great.says 0 "$(grep -c 'one slice' "$work/.out")"

# Rows are joined by keys. A number that is a fraction in any slice becomes a mean of the slices that have it.
echo '{"insns": 100, "d": [{"k": "r", "from": 8, "way": 1, "n": 3, "mean": 2, "share": 1, "t_p50": 7},
	{"k": "r", "from": 16, "way": 1, "n": 1}]}' >"$work/k1.json"
echo '{"insns": 100, "d": [{"k": "r", "from": 16, "way": 1, "n": 5, "mean": 1, "share": 2.5, "t_p50": 9},
	{"k": "r", "from": 16, "way": 2, "n": 4, "mean": 0.5}]}' >"$work/k2.json"
check keys "$extrapolate" --weights="$work/two.weights" --per=insns --total=1000 --key=way --format=csv \
	"$work/k1.json" "$work/k2.json"
check_equal keys.values ',,insns,1000
d,r from=8 way=1,n,7.5
d,r from=8 way=1,mean,2
d,r from=8 way=1,share,0.25
d,r from=8 way=1,t_p50,7
d,r from=16 way=1,n,40
d,r from=16 way=1,mean,1
d,r from=16 way=1,share,1.875
d,r from=16 way=1,t_p50,9
d,r from=16 way=2,n,30
d,r from=16 way=2,mean,0.5' "$(tail -n +2 "$work/.out")"

# Results of stack distances and of samples include their number of instructions, too.
for analyzer in 'stackdist -b 64,4096 --histogram' 'ibs --period=256'; do
	check "of.${analyzer%% *}" "$extrapolate" --run="$analyzer" --whole="$work/gzip.trace" --format=csv "${slices[@]}"
	check_match "of.${analyzer%% *}.all" '^,,instructions,80000,80000,0$' "$work/.out"
	cp "$work/.out" "$work/${analyzer%% *}.csv"
done
check_match of.stackdist.row '^histogram,reads\+writes block_size=4096 distance_from=0 distance_to=0,touches,' \
	"$work/stackdist.csv"
check_equal of.ibs.without_samplers 'by_symbol latencies' \
	"$(cut -d, -f1 "$work/ibs.csv" | grep -E '^(by_symbol|latencies|samplers)$' | sort -u | xargs)"

# Facts that do not add up are not estimated, unless --mean names them. In the mean error each column of a
# table counts as one fact.
check footprint "$extrapolate" --run=footprint --whole="$work/gzip.trace" --format=csv "${slices[@]}"
grep '^,' "$work/.out" >"$work/footprint.csv"
check_equal footprint.pages '1 1 1 1' "$(for name in data_blocks data_pages instruction_blocks instruction_pages; do
	grep -cE "^,,$name,,[0-9]+,\$" "$work/footprint.csv"
done | xargs)"
check_match footprint.executions '^,,executions,[0-9]+,[0-9]+,0$' "$work/footprint.csv"
check_match footprint.says 'not estimated, because they cannot be added over slices: data_blocks, data_pages' "$work/.out"
check footprint.mean "$extrapolate" --run=footprint --mean=data_pages --format=csv "${slices[@]}"
check_match footprint.mean.value '^,,data_pages,[0-9.]+$' "$work/.out"
check calls "$extrapolate" --run=calls --whole="$work/gzip.trace" --format=csv "${slices[@]}"
check_match calls.says 'over slices: call_paths, distinct_functions, distinct_call_paths$' "$work/.out"
check_equal calls.left_out '2 0' "$(grep -cE '^,,distinct_(functions|call_paths),,[0-9]+,$' "$work/.out") $(grep -c '^call_paths' "$work/.out")"
check slo "$extrapolate" --run=slo --whole="$work/gzip.trace" --format=csv "${slices[@]}"
check_match slo.parameter '^,,min_distance,,[0-9]+,$' "$work/.out"
check_equal slo.ranks 0 "$(grep -cE '^refactorings,.*,rank,[0-9]' "$work/.out")"
# The geometry of a cache is part of the name of its row.
check cache "$extrapolate" --run=cache --whole="$work/gzip.trace" --format=csv "${slices[@]}"
check_match cache.row '^levels,zen4 L1D size_bytes=32768 ways=8 line_bytes=64 lru nine,lookups,[0-9]+,[0-9]+,0$' "$work/.out"
check_equal cache.geometry 0 "$(grep -cE ',(size_bytes|ways|line_bytes),' "$work/.out")"
check curve "$extrapolate" --run='stackdist --curve' --whole="$work/gzip.trace" --format=csv "${slices[@]}"
check_equal curve.left_out 0 "$(grep -c '^miss_ratio_curve' "$work/.out")"
check_match curve.says 'over slices: miss_ratio_curve, cold, working_set_bytes$' "$work/.out"
check_match curve.cold '^streams,reads\+writes block_size=64,cold,,[0-9]+,$' "$work/.out"
check_match parameters '^,,seed,,1,$' "$work/ibs.csv"
check_match parameters.period '^,,period,,256,$' "$work/ibs.csv"
cat >"$work/t1.json" <<-'EOF'
	{"insns": 1000, "n": 10, "by": [{"f": "a", "n": 10, "ipc": 1.5}], "max": 9}
EOF
cat >"$work/t.json" <<-'EOF'
	{"insns": 2000, "n": 20, "by": [{"f": "a", "n": 10, "ipc": 1.5}, {"f": "b", "n": 5, "ipc": 2.5}], "max": 9}
EOF
echo '1 0' >"$work/t.weights"
check tables "$extrapolate" -q --weights="$work/t.weights" --per=insns --total=2000 --whole="$work/t.json" --format=json \
	"$work/t1.json"
cp "$work/.out" "$work/tables.json"
check tables.errors /usr/bin/python3 - "$work/tables.json" <<-'EOF'
	import json, sys
	r = json.load(open(sys.argv[1]))
	assert r["numbers_compared"] == 6 and r["greatest_error"] == 100, r
	assert abs(r["mean_error"] - (0 + 0 + 100 + 100 * 5 / 15) / 4) < 1e-9, r
	facts, by = r["errors"]
	assert facts == {"table": None, "numbers": 2, "mean_error": 0, "greatest_error": 0}, facts
	# The mean error weighs the counts n by their true values, and ipc by the n of its row.
	assert abs(by.pop("mean_error") - (100 + 100 * 5 / 15) / 2) < 1e-9, by
	assert by == {"table": "by", "numbers": 4, "greatest_error": 100}, by
	assert [e["estimate"] for e in r["estimates"] if e["name"] == "max"] == [None], r
EOF
check text "$extrapolate" -q --weights="$work/t.weights" --per=insns --total=2000 --whole="$work/t.json" "$work/t1.json"
check_match text.count '^by +a +n +20 +10 +100\.000$' "$work/.out"
check_match text.mean '^by +a +ipc +1\.500 +1\.500 +0\.000$' "$work/.out"

# All slices are of one trace, and --whole is the whole of it, which may have been repacked.
"$BIN/trace-record" -q --skip=100k --count=80k -o "$work/other.trace" -- gzip -c "$work/input" >/dev/null
"$BIN/trace-repack" -q -o "$work/packed.trace" "$work/gzip.trace"
"$BIN/trace-cut" -q --simpoints="$work/all.simpts" --interval=10k --counter=exact -o "$work/o" "$work/other.trace"
"$BIN/trace-cut" -q --simpoints="$work/all.simpts" --interval=10k --counter=exact -o "$work/k" "$work/packed.trace"
check of.repacked "$extrapolate" -q --run=mix --whole="$work/packed.trace" "${slices[@]}"
check of.slices_of_repacked "$extrapolate" -q --run=mix --whole="$work/gzip.trace" "$work"/k.[0-3].trace "$work"/s.[4-7].trace

refused() {
	local name=$1 status=$2 regex=$3
	shift 3
	check_status "refused.$name" "$status" "$extrapolate" "$@"
	check_match "refused.$name.says" "$regex" "$work/err"
}
echo '[]' >"$work/array.json"
echo '{' >"$work/broken.json"
echo '0.5 0' >"$work/one.weights"
printf '0.75 0\n0.75 3\n' >"$work/more.weights"
refused nothing 2 'no results'
refused missing 1 'missing.json' "$work/missing.json"
refused array 1 'not a result in JSON' "$work/array.json"
refused broken 1 'broken.json' "$work/broken.json"
refused weightless 1 'has no weight' --per=insns --total=1 "$work/1.json"
refused weights 1 '1 weights for 2 results' --weights="$work/one.weights" "$work/1.json" "$work/2.json"
refused more_weights 1 'weights sum up to 1.5, but must not exceed 1' --weights="$work/more.weights" --per=insns --total=5 \
	"$work/1.json" "$work/2.json"
check scaled_down "$extrapolate" --renormalise --weights="$work/more.weights" --per=insns --total=3000 --format=csv \
	"$work/1.json" "$work/2.json"
check_match scaled_down.value '^,,cycles,6000$' "$work/.out"
refused per 1 "no number 'instructions'" --weights="$work/two.weights" --total=5 "$work/1.json" "$work/2.json"
refused total 1 'use --total' --weights="$work/two.weights" --per=insns "$work/1.json" "$work/2.json"
refused analyzer 1 'trace-nosuch' --run=nosuch "${slices[0]}"
refused analyzer_path 2 'not the name' --run=/bin/true "${slices[0]}"
refused words 1 'more than 64 words' --run="mix$(printf ' -%.0s' $(seq 80))" "${slices[0]}"
refused analyzer_fails 1 'trace-mix failed' --run='mix --no-such-option' "${slices[0]}"
refused another_whole 1 'o.0.trace: is not a slice of .*gzip.trace, but of another trace' --run=mix --whole="$work/gzip.trace" \
	"$work/o.0.trace"
refused no_json 1 'run=ibs --summary: its result of .*s.0.trace is not a JSON object' --run='ibs --summary' "${slices[0]}"
refused missing_whole 1 'missing.trace: No such file' --run=mix --whole="$work/missing.trace" "${slices[0]}"
refused another_parent 1 'o.1.trace: is a slice of another trace than .*s.0.trace' --run=mix "$work/s.0.trace" "$work/o.1.trace"
for output in '-o x' '-ox' '--output=x' '--outp x'; do
	refused "run $output" 2 "'${output%% *}' cannot be used" --run="mix $output" "${slices[0]}"
done
refused total_zero 2 'total=0: must be at least 1' --total=0 "$work/1.json"
refused no_slice 1 'simulation' --run=mix "$work/gzip.trace"
