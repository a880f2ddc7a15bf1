#!/bin/bash
# SPDX-License-Identifier: MIT
# The files that trace-simpoint reads and writes: SimPoint 3.2's matrices, values that are not numbers, vectors
# that are compressed, sparse, damaged or without end, lines that only resemble vectors, region files.
. "$(dirname "$0")/../lib.sh"
here=$(dirname "$0")/simpoint
simpoint=$BIN/trace-simpoint
points() { "$simpoint" --format=csv "$@" 2>"$work/err" | cut -d, -f1-9; }
refused() {
	local name=$1 regex=$2
	shift 2
	check_status "refused.$name" 1 "$simpoint" "$@"
	check_match "refused.$name.says" "$regex" "$work/err"
}
printf 'T:1:7 \nT:2:9 \n' >"$work/pair.bb"

# ---- region files ----

check regions "$simpoint" -q -k 8 -o "$work/c" "$here/phases.bb"
# exp-bbv's interval i begins after i * size + 1 instructions; PinPoints gives the next one 2 more.
check_match regions.row '^cluster 0 from slice [0-9]+,0,1,[0-9]*00002,[0-9]*00001,0\.[0-9]{6}$' "$work/c.csv"
check_match regions.based '^# Regions based on: trace-simpoint -q -k 8 ' "$work/c.csv"
check_match regions.comment '^# Region = 1 Slice = [0-9]+ Icount = [0-9]+00002 Length = 100000 Weight = 0\.[0-9]{5}$' \
	"$work/c.csv"
check_match regions.total '^# Total slices in workload = 160$' "$work/c.csv"
"$simpoint" -q -k 2 -o "$work/pair" "$work/pair.bb"
check_equal regions.bounds '0,7 8,16' \
	"$(sed -n 's/^cluster.*,0,[12],\([0-9]*,[0-9]*\),.*/\1/p' "$work/pair.csv" | sort -n | xargs)"
check long_command "$simpoint" -q -k 2 --pc-file="$here/phases.pc" $(yes -- -inputVectorsGzipped | head -n 500) \
	-o "$work/pair" "$work/pair.bb"
check_equal long_command.line 0 "$(awk 'length > 1999' "$work/pair.csv" | wc -l)"

# ---- matrices ----

check save "$simpoint" -q -k 5 -initkm samp -saveVectorsTxtFmt "$work/v.txt" -saveProjMatrixTxtFmt "$work/p.txt" \
	-saveFinalCtrs "$work/f.txt" -saveInitCtrs "$work/i.txt" "$here/phases.bb"
check matrix.form /usr/bin/python3 - "$work" <<'PYEND'
import sys

def rows(name):
    lines = open(sys.argv[1] + "/" + name).read().split("\n")
    assert lines[0] == f"{len(lines) - 2}:w" and lines[-1] == ""
    for line in lines[1:-1]:
        head, values = line.split(": ")
        assert values.endswith(" ") and not values.endswith("  "), line
        assert int(head.split(" ")[1]) == len(values.split(" ")) - 1
    return [(float(l.split(" ")[0]), [float(v) for v in l.split(": ")[1].split()]) for l in lines[1:-1]]

points, initial, projection, final = map(rows, ["v.txt", "i.txt", "p.txt", "f.txt"])
assert all(abs(w * len(projection) - 1) < 1e-12 for w, _ in projection)
assert abs(sum(w for w, _ in final) - 1) < 1e-12
sums = [0] * len(initial)
for weight, point in points:	# each weight counts for the nearest center
    sums[min(range(len(initial)), key=lambda c: sum((a - b) ** 2 for a, b in zip(point, initial[c][1])))] += weight
assert all(abs(s - w) < 1e-9 for s, (w, _) in zip(sums, initial)), (sums, initial)
PYEND
# Weights of a loaded matrix are used, but not by SimPoint 3.2 unless -fixedLength is off.
awk 'NR > 1 { $1 = NR % 7 == 0 ? 0.0359 : 0.001 } { print }' "$work/v.txt" >"$work/heavy.txt"
weights() {
	"$simpoint" -q -k 5 -initkm samp "$@" -saveSimpointWeights "$work/n.weights" && sort "$work/n.weights" | md5sum
}
equal=$(weights --compat=simpoint3 -loadVectorsTxtFmt "$work/v.txt")
heavy=$(weights --compat=simpoint3 -fixedLength off -loadVectorsTxtFmt "$work/heavy.txt")
check matrix.weighed test "$equal" != "$heavy"
check_equal matrix.simpoint3 "$equal" "$(weights --compat=simpoint3 -loadVectorsTxtFmt "$work/heavy.txt")"
check_equal matrix.fixed "$(weights -loadVectorsTxtFmt "$work/v.txt")" \
	"$(weights -fixedLength on -loadVectorsTxtFmt "$work/heavy.txt")"
check matrix.default test "$(weights -loadVectorsTxtFmt "$work/v.txt")" != "$(weights -loadVectorsTxtFmt "$work/heavy.txt")"
printf '2:\n1: 1 \n1: 3 \n' >"$work/plain.txt"
check matrix.without_weights "$simpoint" -loadVectorsTxtFmt "$work/plain.txt" -k 2
printf '2:w\n0 1: 1 \n0 1: 3 \n' >"$work/plain.txt"
refused no_weight 'weights of its rows are all 0' -loadVectorsTxtFmt "$work/plain.txt" -k 2
check no_weight.fixed "$simpoint" -fixedLength on -loadVectorsTxtFmt "$work/plain.txt" -k 2
gzip -c "$work/v.txt" >"$work/v.txt.gz"
check_equal matrix.gzip "$equal" "$(weights --compat=simpoint3 -inputVectorsGzipped -loadVectorsTxtFmt "$work/v.txt.gz")"

# Values that are not numbers, in binary and in text, and numbers too great to be squared.
number() { /usr/bin/python3 -c 'import struct, sys
value, weight = map(float, sys.argv[1:])
sys.stdout.buffer.write(struct.pack("<IIdIddId", 2, 1, 0.5, 1, 1, weight, 1, value))' "$1" "$2"; }
for value in nan -nan inf -inf 1e101 -1e308; do
	number $value 0.5 >"$work/odd.bin"
	refused "number $value" 'row 2 has a value that is no number' -loadVectorsBinFmt "$work/odd.bin" -maxK 4
	number 3 $value >"$work/odd.bin"
	refused "weight $value" 'or a weight below 0' -loadVectorsBinFmt "$work/odd.bin" -maxK 4
	printf '2:w\n0.5 1: 1 \n0.5 1: %s \n' $value >"$work/odd.txt"
	refused "text $value" 'row 2' -loadVectorsTxtFmt "$work/odd.txt" -k 1
	refused "projection $value" 'row 2' -loadProjMatrixTxtFmt "$work/odd.txt" -k 1 "$work/pair.bb"
	refused "centres $value" 'row 2' -loadInitCtrs "$work/odd.txt" -dim 1 "$work/pair.bb"
	printf '0.5\n%s\n' $value >"$work/odd.weights"
	[ $value = 1e101 ] || refused "weights $value" 'list of 2 weights' -loadVectorWeights "$work/odd.weights" "$work/pair.bb"
done
number 3 -0.5 >"$work/odd.bin"
refused negative_weight 'a weight below 0' -loadVectorsBinFmt "$work/odd.bin" -maxK 4
for value in '1e-310 1e-310' '5e-324 5e-324' '1e100 1e100' '-1e100 0.5' '0 -0.0' '1e-200 5e-324'; do
	number $value >"$work/odd.bin"
	check "extreme $value" "$simpoint" -loadVectorsBinFmt "$work/odd.bin" -maxK 4 -saveSimpoints "$work/o"
	check_match "extreme $value point" '^[01] [0-9]+$' "$work/o"
	check "extreme $value compat" "$simpoint" --compat=simpoint3 -loadVectorsBinFmt "$work/odd.bin" -maxK 4 \
		-fixedLength off -saveSimpoints "$work/o"
	check_match "extreme $value compat point" '^[01] [0-9]+$' "$work/o"
done
limited() { with_memory 1000 "$@"; }
printf '4000000000:w\n1 1: 1\n' >"$work/odd.txt"
check_status claims 1 limited "$simpoint" -loadVectorsTxtFmt "$work/odd.txt"
/usr/bin/python3 -c 'import struct, sys; sys.stdout.buffer.write(struct.pack("<IIdI", 1, 1, 1, 1 << 30))' >"$work/odd.bin"
check_status claims_values 1 limited "$simpoint" -loadVectorsBinFmt "$work/odd.bin" -k 1
check_match claims_values.says 'is not a matrix' "$work/err"
yes 1 | head -n 100000 | tr -d '\n' >"$work/labels"
check_status long_label 1 limited "$simpoint" -loadInitLabels "$work/labels" "$work/pair.bb"

# ---- few ids among many ----

printf 'T:67108862:1 \nT:1:2 \n' >"$work/sparse.bb"
check sparse limited "$simpoint" -q -o "$work/sparse" "$work/sparse.bb"
check_equal sparse.points '0 1' "$(cut -d' ' -f1 "$work/sparse.simpts" | sort | xargs)"
printf 'F:67108862:401000:far\nF:1:402000:old\nF:1:403000:near\n' >"$work/sparse.pc"
limited "$simpoint" --pc-file="$work/sparse.pc" --format=csv -k 2 "$work/sparse.bb" >"$work/out"
check_equal sparse.functions 'far near' "$(sed '1d; s/.*,//' "$work/out" | sort | xargs)"
awk 'BEGIN { for (i = 0; i < 40; i++) printf "T:%d:%d :%d:900 :7:100 \n", 3 + i % 2, 1000 + i, 1100000 + i % 3 }' >"$work/few.bb"
"$simpoint" -q -k 3 -saveProjMatrixBinFmt "$work/p.bin" -saveLabels "$work/one.labels" "$work/few.bb" 2>"$work/err"
"$simpoint" -q -k 3 -loadProjMatrixBinFmt "$work/p.bin" -saveLabels "$work/two.labels" "$work/few.bb"
"$simpoint" -q -k 3 -saveLabels "$work/three.labels" "$work/few.bb"
check sparse.loaded cmp "$work/one.labels" "$work/two.labels"
check sparse.numbered cmp "$work/one.labels" "$work/three.labels"
# As SimPoint 3.2 they are drawn as if all ids were there: with pairs enough, they are.
awk 'BEGIN { printf "T"; for (i = 1; i <= 1100002; i++) printf ":%d:0 ", i; print ":1:1 " }' >"$work/all.bb"
for file in few all; do
	"$simpoint" --compat=simpoint3 -q -k 3 -seedkm 5 -saveVectorsTxtFmt "$work/$file.txt" \
		$([ $file = few ] && echo "$work/few.bb") $([ $file = all ] && cat "$work/few.bb" "$work/all.bb" >"$work/both.bb" &&
		echo "$work/both.bb")
done
values() { cut -d' ' -f3- "$1" | sed -n 2,41p; }
check sparse.simpoint3 cmp <(values "$work/few.txt") <(values "$work/all.txt")
awk 'BEGIN { for (i = 0; i < 20; i++) print "T:2000000:1 :" i + 1 ":1 " }' >"$work/wide.bb"
check_status sparse.unprojected 0 "$simpoint" -q -k 1 --seeds=1 -dim noProject "$work/wide.bb"
check_match sparse.unprojected.says 'GiB of memory are needed' "$work/err"

# ---- lines that are left out ----

{ printf '\xef\xbb\xbf'; cat "$here/phases.bb"; } >"$work/mark.bb"
check_equal mark "$(points "$here/phases.bb" -k 5)" "$(points "$work/mark.bb" -k 5)"
check_equal mark.silent '' "$(cat "$work/err")"
printf '\xef\xbb\xbfT:1:5' >"$work/one.bb"
check_status mark.only 0 "$simpoint" "$work/one.bb"
check_match mark.only.says 'no line break' "$work/err"
sed 's/$/\r/' "$here/phases.bb" >"$work/crlf.bb"
check_equal crlf "$(points "$here/phases.bb" -k 5)" "$(points "$work/crlf.bb" -k 5)"
check_status mark.simpoint3 0 "$simpoint" --compat=simpoint3 -q -k 3 "$work/mark.bb"
check_match mark.simpoint3.says 'mark.bb, line 1: looks like a vector, but does not begin with T, and is left out$' "$work/err"
i=0
for line in ' T:1:5' '\tT:1:5 :2:1' 't:1:5' ':1:5 :2:6' '"T:1:5"' '\0T\0:\0001' '\xef\xbb\xbfT:1:5' ' t : 1:5'; do
	printf "# x\nT:1:5 :2:6\n$line\nT:1:3 :2:9\n" >"$work/shifts$((++i)).bb"
	check_status "shifts '$line'" 0 "$simpoint" -q -k 1 "$work/shifts$i.bb"
	check_match "shifts '$line' says" "shifts$i.bb, line 3: looks like a vector" "$work/err"
done
printf '# T:1:5\nT:1:5 :2:6\nM:3:4\nS: 401000 5\nthe end:1\n# Thread 1\n' >"$work/comments.bb"
check_status comments 0 "$simpoint" -q -k 1 "$work/comments.bb"
check_equal comments.silent '' "$(grep -v 'one interval' "$work/err")"

# ---- great numbers ----

printf 'T:67108863:1 \n' >"$work/great.bb"
check_status greatest.id 0 "$simpoint" "$work/great.bb"
printf 'T:67108864:1 \n' >"$work/great.bb"
refused id 'great.bb, line 1: at .*ids go up to 67108863' "$work/great.bb"
printf 'T:1:9007199254740992 \n' >"$work/great.bb"
check_status greatest 0 "$simpoint" "$work/great.bb"
for count in 9007199254740994 9007199254740993000 18446744073709551617 1e300; do
	printf 'T:1:%s \n' $count >"$work/great.bb"
	refused "count $count" 'great.bb, line 1: at .*counts go up to 2\^53' "$work/great.bb"
	refused "count3 $count" 'great.bb, line 1: at .*counts go up to 2\^53' --compat=simpoint3 "$work/great.bb"
done
printf 'T:1:9007199254740992 \nT:1:2 \n' >"$work/great.bb"
refused sum 'the sum of its counts is more than 2\^53' "$work/great.bb"
refused interval '2 intervals of .* are more than 2\^53 instructions' --interval=5000000000000000 "$work/pair.bb"
printf '# (Interval Size 18446744073709551615)\nT:1:5 :2:6\n' >"$work/great.bb"
check_status size 0 "$simpoint" "$work/great.bb"
check_match size.unknown '0 +11 ' "$work/out"
printf 'T:1:0x10\n' >"$work/great.bb"
refused hexadecimal 'line 1: at' "$work/great.bb"

# ---- compressed, endless, something else ----

for how in gzip zstd xz bzip2; do
	$how -qc "$here/phases.bb" >"$work/packed"
	check_equal "packed $how" "$(points "$here/phases.bb" -k 5)" "$(points "$work/packed" -k 5)"
	cat "$work/packed" "$work/packed" >"$work/twice"
	"$simpoint" -k 2 --format=json "$work/twice" >"$work/out" 2>"$work/err"
	check_match "packed $how twice" '^ *"intervals": 320,' "$work/out"
	$how -qc "$here/phases.pc" >"$work/pc"
	check "packed $how pc" "$simpoint" --pc-file="$work/pc" "$here/phases.bb"
	head -c 300 "$work/packed" >"$work/short"
	refused "cut $how" 'end too early' "$work/short"
	{ head -c 200 "$work/packed"; head -c 60000 /dev/zero | tr '\0' x; } >"$work/short"
	refused "damaged $how" 'compressed data are damaged' "$work/short"
	check "packed $how stdin" "$simpoint" - <"$work/packed"
done
{ yes 'T:1:5' | head -c 39999996; yes '# some more text' | head -c 240000000; } | zstd -q >"$work/bomb"
refused bomb 'bomb: expands to more than 100 times its size' "$work/bomb"
check_match bomb.memory 'bomb: its vectors need more than [0-9]+ MiB of memory' "$work/err"
rm "$work/bomb"
yes 'T:1:1 ' | tr -d '\n' | head -c 140000000 >"$work/endless"
check_status endless 1 limited "$simpoint" "$work/endless"
check_match endless.says 'line 1: has no end within 128 MiB' "$work/err"
printf X | dd of="$work/endless" conv=notrunc status=none # vectors would be refused by their first bytes
check_status endless_pc 1 limited "$simpoint" --pc-file="$work/endless" "$work/pair.bb"
check_match endless_pc.says 'endless: has a line without end' "$work/err"
check_status endless_plan 1 limited "$BIN/trace-cut" --simpoints="$work/endless" -o "$work/x" "$work/pair.bb"
rm "$work/endless"
printf '\xff\xfeT\0:\0001\0' >"$work/wide.bb"
printf PERFILE2 >"$work/perf.data"
printf 'F:1:401000:main\n' >"$work/blocks.pc"
printf '\x04\x22\x4d\x18more' >"$work/lz4"
refused zeros 'begins with zeros' /dev/zero
refused utf16 'wide.bb: is neither a trace nor vectors, but is text in UTF-16' "$work/wide.bb"
refused elf 'is neither a trace nor vectors, but is a program' /bin/true
refused perf 'is a perf.data file; trace-import makes a trace of it' "$work/perf.data"
refused pc 'is a file of block addresses' "$work/blocks.pc"
refused lz4 'is compressed by lz4' "$work/lz4"
refused folder 'Is a directory' "$work"
