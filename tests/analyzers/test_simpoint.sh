#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-simpoint: SimPoint 3.2's points, weights and labels, k by k and seed by seed; files of every
# producer; the better choice of the default; wrong input is refused.
. "$(dirname "$0")/../lib.sh"
here=$(dirname "$0")/simpoint
simpoint=$BIN/trace-simpoint
model=(/usr/bin/python3 tests/oracle/simpoint_model.py)

# SimPoint 3.2's own results (-maxK 10), and those of the model.
check phases "$simpoint" -loadFVFile "$here/phases.bb" -maxK 10 --compat=simpoint3 -q -saveSimpoints \
	"$work/a.simpts" -saveSimpointWeights "$work/a.weights" -saveLabels "$work/a.labels"
for file in simpts weights labels; do
	check phases.$file cmp "$here/phases.$file" "$work/a.$file"
done

# random_vectors SEED ROWS DIMS: rows of a few phases, some of them equal.
random_vectors() {
	awk -v seed="$1" -v n="$2" -v d="$3" 'BEGIN {
		srand(seed)
		for (i = 0; i < n; i++) {
			if (rand() < .2) phase = int(rand() * 4)
			line = "T"
			for (k = 1; k <= d; k++)
				if ((k + phase) % 4 < 2 || rand() < .1)
					line = line ":" k ":" int(1 + (k * 37 + phase * 11) % 50 * 10 + rand() * 20 * (phase % 2)) "   "
			print line
		}
	}'
}

# like_model NAME OPTION=VALUE...: all runs of trace-simpoint are those of the model.
like_model() {
	local name=$1 arguments=() word
	shift
	for word; do arguments+=("-${word%%=*}" "${word#*=}"); done
	rm -f "$work"/m.* "$work"/t.*
	"${model[@]}" "$work/$name.bb" "$work/m" "$@"
	check "model $name $*" "$simpoint" --compat=simpoint3 -q "${arguments[@]}" -o "$work/t" "$work/$name.bb"
	check "model $name $* all" "$simpoint" --compat=simpoint3 -q "${arguments[@]}" -saveAll -o "$work/t" \
		"$work/$name.bb"
	for file in "$work"/m.*; do
		check "model $name $* ${file##*/m.}" cmp "$file" "$work/t${file#"$work/m"}"
	done
}
random_vectors 1 40 12 >"$work/one.bb"
random_vectors 2 25 30 >"$work/two.bb"
random_vectors 3 3 5 >"$work/short.bb"
like_model one
like_model one maxK=12 seedkm=1 seedproj=7
like_model one k=1,3,5,9 initkm=ff numInitSeeds=3 dim=4
like_model two maxK=10 iters=2 fixedLength=off
like_model two maxK=2 iters=3 bicThreshold=0.3
like_model two k=8,6,4 dim=1 seedkm=0
like_model short maxK=6
like_model short k=1

# The same vectors from other producers, compressed, and in unusual plain text, give the same points.
points() { "$simpoint" --format=csv "$@" 2>"$work/err" | cut -d, -f1-9; }
points "$here/phases.bb" >"$work/expected"
check_match points_there '^0,' "$work/expected"
same_points() {
	local name=$1
	shift
	points "$@" >"$work/actual"
	check "same_points.$name" cmp "$work/expected" "$work/actual"
}
gzip -c "$here/phases.bb" >"$work/phases.gz"
zstd -q -c "$here/phases.bb" >"$work/phases.zst"
{ head -n 50 "$here/phases.bb" | gzip -c; tail -n +51 "$here/phases.bb" | gzip -c; } >"$work/two.gz"
same_points gzip -inputVectorsGzipped "$work/phases.gz"
same_points members "$work/two.gz"
same_points zstd "$work/phases.zst"
same_points pipe - <"$here/phases.bb"
same_points one_core --jobs=1 "$here/phases.bb"
sed 's/   / /g; s/ $//' "$here/phases.bb" >"$work/dynamorio.bb"
same_points dynamorio "$work/dynamorio.bb"
sed 's/$/\r/; s/   /\t/g' "$here/phases.bb" >"$work/crlf.bb"
same_points crlf "$work/crlf.bb"
awk '/^T/ { line = "T"; n = split(substr($0, 2), pair, " "); for (i = n; i; i--) { split(pair[i], f, ":");
	line = line ":" f[2] - 1 ":" f[3] " " } print line; next } { print }' "$here/phases.bb" >"$work/qemu.bb"
points "$work/qemu.bb" >"$work/actual"
check_equal same_points.qemu "$(cut -d, -f1-6 "$work/expected")" "$(cut -d, -f1-6 "$work/actual")"
check_match qemu.says 'ids count from 0' "$work/err"
sed 's/   :/   /2' "$here/phases.bb" >"$work/bare.bb"
same_points bare "$work/bare.bb"
check_match bare.says 'no colon' "$work/err"
grep '^T' "$here/phases.bb" | head -c -1 >"$work/cut.bb"
points --interval=100k "$work/cut.bb" >"$work/actual"
check same_points.last_line cmp "$work/expected" "$work/actual"
check_match last_line.says 'no line break' "$work/err"

# The default is better: no empty clusters, weights that sum to 1, a higher score than SimPoint's for as many points.
score_of() { "$simpoint" --format=json "$@" | /usr/bin/python3 -c '
import json, sys
r = json.load(sys.stdin)
assert abs(sum(p["weight"] for p in r["points"]) - 1) < 1e-9
assert all(p["intervals"] > 0 for p in r["points"])
assert sum(p["intervals"] for p in r["points"]) == r["intervals"]
print(r["runs"][0]["bic"])'; }
for k in 5 8 12; do
	ours=$(score_of -k $k --resolution=0 "$here/phases.bb")
	theirs=$(score_of -k $k --compat=simpoint3 "$here/phases.bb")
	check "score $k: $ours $theirs" awk "BEGIN { exit !($ours >= $theirs) }"
done
check_equal clusters_full 12 "$("$simpoint" -k 12 --format=csv "$here/phases.bb" | tail -n +2 | wc -l)"
check_equal coverage 3 "$("$simpoint" -q -k 8 -coveragePct 0.7 -o "$work/c" "$here/phases.bb" &&
	wc -l <"$work/c.simpts.lpt0.7")"
check_equal coverage.sum 1 "$(awk '{ sum += $1 } END { print sum }' "$work/c.weights.lpt0.7")"
# Of the code that the points execute, the share of all instructions.
"$simpoint" -q -k 2 -o "$work/covered" "$here/phases.bb"
check_equal code_coverage "$(awk 'NR == FNR { chosen[$1] = 1; next }
	/^T/ { for (i = 1; i <= NF; i++) { split($i, pair, ":")
		id = pair[2]; all[id] += pair[3]; if (interval in chosen) some[id] = 1 }; interval++ }
	END { for (id in all) { sum += all[id]; if (id in some) covered += all[id] }; printf "%.6f", 100 * covered / sum }' \
	interval=0 "$work/covered.simpts" "$here/phases.bb")" \
	"$("$simpoint" -k 2 --format=json "$here/phases.bb" | sed -n 's/^ *"code_coverage": \([0-9.]*\),/\1/p' | xargs printf %.6f)"
check functions "$simpoint" --pc-file="$here/phases.pc" "$here/phases.bb"
check_match functions.named 'phase_fpu' "$work/.out"
sed 's/:[^:]*$/:/' "$here/phases.pc" >"$work/nameless.pc"
sed 's/:\([^:]*\):$/:phases+\1:/' "$work/nameless.pc" >"$work/in_module.pc"
for pc in nameless in_module; do
	"$simpoint" -k 1 --pc-file="$work/$pc.pc" --format=csv "$here/phases.bb" | sed 's/.*,//; 1d'
done >"$work/places"
check_equal functions.nameless "0x401" "$(sed -n 's/^\(0x401\)[0-9a-f]*$/\1/p' "$work/places")"
check_equal functions.in_module "phases+$(head -n 1 "$work/places")" "$(tail -n 1 "$work/places")"
strip -o "$work/stripped" "$PROGRAMS/blocks"
"$BIN/trace-record" -q -o "$work/stripped.trace" -- "$work/stripped" >/dev/null
check_equal functions.stripped "stripped+0x" "$("$simpoint" --interval=1000 --format=csv "$work/stripped.trace" |
	sed -n 's/.*,\(stripped+0x\)[0-9a-f]*$/\1/p' | sort -u)"

# Saved and loaded again: the same clusters.
check save "$simpoint" -q -k 5 -saveVectorsTxtFmt "$work/v.txt" -saveVectorsBinFmt "$work/v.bin" \
	-saveProjMatrixTxtFmt "$work/p.txt" -saveProjMatrixBinFmt "$work/p.bin" -saveFinalCtrs "$work/f.txt" \
	-saveInitCtrs "$work/i.txt" -saveVectorWeights "$work/w.txt" -o "$work/s" "$here/phases.bb"
cut -d' ' -f1 "$work/s.labels" >"$work/l.txt"
# load OPTION...
load() {
	check "load $*" "$simpoint" -q "$@" -saveSimpoints "$work/n.simpts" -saveSimpointWeights "$work/n.weights"
	check_equal "load $* points" "$(cut -d' ' -f1 "$work/s.simpts" | sort -n)" \
		"$(cut -d' ' -f1 "$work/n.simpts" | sort -n)"
}
load -k 5 -loadVectorsTxtFmt "$work/v.txt"
load -k 5 -loadVectorsBinFmt "$work/v.bin"
load -k 5 -loadProjMatrixTxtFmt "$work/p.txt" "$here/phases.bb"
load -k 5 -loadProjMatrixBinFmt "$work/p.bin" "$here/phases.bb"
load -loadInitCtrs "$work/i.txt" "$here/phases.bb"
load -loadInitCtrs "$work/f.txt" "$here/phases.bb"
load -k 5 -loadVectorWeights "$work/w.txt" "$here/phases.bb"
load -loadInitLabels "$work/l.txt" "$here/phases.bb"

# Short and uniform programs.
printf 'T:1:5   :2:7   \n' >"$work/single.bb"
check_status single 0 "$simpoint" "$work/single.bb"
check_match single.says 'one interval' "$work/err"
check_match single.point '^ *0 +0 +1.000 ' "$work/out"
for i in 1 2 3 4 5 6 7 8 9; do echo "T:1:100$i   :2:500$i   "; done >"$work/uniform.bb"
check_status uniform 0 "$simpoint" "$work/uniform.bb"
check_match uniform.says 'is uniform' "$work/err"
check_match uniform.one '^clusters +1$' "$work/out"
yes 'T:1:5   :2:7   ' | head -n 20 >"$work/equal.bb"
check_status equal 0 "$simpoint" --compat=simpoint3 "$work/equal.bb"
check_match equal.one '^clusters +1$' "$work/out"
check_status few 0 "$simpoint" --max-k=50 "$work/uniform.bb"
check_match few.says 'only 9 intervals' "$work/err"

# trace-simpoint refuses wrong input.
refused() {
	local name=$1 status=$2 regex=$3
	shift 3
	check_status "refused.$name" "$status" "$simpoint" "$@"
	check_match "refused.$name.says" "$regex" "$work/err"
}
printf '# nothing\n' >"$work/none.bb"
: >"$work/empty.bb"
refused none 1 'has no vectors' "$work/none.bb"
refused empty 1 'has no vectors' "$work/empty.bb"
refused many_k 1 '9 intervals are too few for 40 clusters' -k 3,40 "$work/uniform.bb"
refused missing 1 'missing.bb: No such file' "$work/missing.bb"
i=0
for line in 'T:1:x' 'T:1' 'T1:2:3:' 'T:99999999:1' 'T:1:-5' 'T:1:nan' 'T:1:5;:2:6' 'Total: 3'; do
	printf 'T:1:5 :2:6\n%s\nT:1:3\n' "$line" >"$work/garbage$((++i)).bb"
	refused "garbage '$line'" 1 "garbage$i.bb, line 2: at " "$work/garbage$i.bb"
done
printf 'T\nT:1:0\n' >"$work/zeros.bb"
refused all_empty 1 'all vectors are empty' <(printf 'T\nT\n')
head -c 300 "$work/phases.gz" >"$work/short.gz"
refused cut_gzip 1 'end too early' "$work/short.gz"
head -c 300 "$work/phases.zst" >"$work/short.zst"
refused cut_zstd 1 'end too early' "$work/short.zst"
refused id_zero 1 'the id 0' --compat=simpoint3 "$work/qemu.bb"
refused unwritable 1 'cannot create' -q -saveLabels /proc/nothing "$here/phases.bb"
refused full 1 'cannot write /dev/full' -q -saveLabels /dev/full "$here/phases.bb"
refused source 1 "test_simpoint.sh: is neither a trace nor vectors" "$0"
printf '\n# Thread 1\n#   Total intervals: 0 (Interval Size 100000)\n' >"$work/shorter.bb"
refused shorter 1 'shorter than an interval of 100,000 instructions' "$work/shorter.bb"
refused short_trace 1 'thread 0 executed [0-9,]+ instructions, fewer than an interval of 100,000,000 has; use a smaller --interval' \
	"$work/stripped.trace"
check_equal refused.short_trace.alone 1 "$(wc -l <"$work/err")"
refused no_input 2 'no input'
refused two_inputs 2 'more than one' "$here/phases.bb" "$here/phases.bb"
for options in '-k 0' '-k 5:1:' '-k a' '-maxK 0' '-bicThreshold 2' '-initkm x' '-iters 0' '-dim 0' \
	'-numInitSeeds 0' '-fixedLength maybe' '--compat=simpoint2' '-k 3 -maxK 5' '--interval=0' '-numFVs 3'; do
	# shellcheck disable=SC2086
	refused "$options" 2 'error: ' $options "$here/phases.bb"
done
# as_typed REGEX OPTION...: the message names the option as it was typed, and its valid values.
as_typed() {
	local regex=$1
	shift
	refused "typed $*" 2 "error: $regex" "$@" "$here/phases.bb"
}
as_typed '--interval=0: must be at least 1$' --interval=0
as_typed '--interval x: not a count such as' --interval x
as_typed '--seeds=0: must be from 1 to 10,000$' --seeds=0
as_typed '-maxK 0: must be from 1 to 100,000$' -maxK 0
as_typed '--max-k=x: not a count such as' --max-k=x
as_typed '--coverage=2: must be from 0 to 1$' --coverage=2
as_typed '-k 0: must be search, or numbers from 1 ' -k 0
as_typed '-k5:2: must be search, or numbers from 1 ' -k5:2
as_typed '--k=5:2:1: must be search, or numbers from 1 ' --k=5:2:1

# Rounding errors of zero are printed as zero.
yes 'T:1:3   :2:7   :3:11   ' | head -n 30 >"$work/alike.bb"
"$simpoint" "$work/alike.bb" >"$work/out" 2>&1
check_match alike '^spread +0\.000 %' "$work/out"
check_equal alike.no_noise 0 "$(sed '/^runs/,$d' "$work/out" | grep -c '[0-9]e-')"
check no_half_files test -z "$(find "$work" -name '*.tmp')"
