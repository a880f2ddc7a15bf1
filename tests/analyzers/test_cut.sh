#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-cut: the dump of a slice is that range of its parent's dump, wherever it is cut; slices of
# simulation points have the instructions of their intervals; wrong input is refused.
. "$(dirname "$0")/../lib.sh"
cut=$BIN/trace-cut
agrees() { check "agrees $1" tests/analyzers/cut_agrees.py "$BIN" "$2" "$work" "$3" "$4"; }

for trace in tests/golden/*/*.trace; do
	[ "$(stat -c %s "$trace")" -lt "$(quick_or_full 5000 20000)" ] || continue
	agrees "${trace##*golden/}" "$trace" 1 2
done
for program in branches blocks strings reps lanes calls states blocks-signals; do
	"$BIN/trace-record" -q -o "$work/$program.trace" -- "$PROGRAMS/$program" >"$work/out" 2>&1
	agrees $program "$work/$program.trace" 2 "$(quick_or_full 2 4)"
done
"$BIN/trace-record" -q --skip=60k --count=4000 -o "$work/threads.trace" -- "$PROGRAMS/threads" >"$work/out" 2>&1
agrees threads "$work/threads.trace" 3 2
"$BIN/trace-repack" -q -o "$work/small.trace" "$work/calls.trace"
agrees repacked "$work/small.trace" 4 3
"$BIN/trace-record" -q --no-addresses -o "$work/bare.trace" -- "$PROGRAMS/reps" >"$work/out" 2>&1
agrees no_addresses "$work/bare.trace" 5 4
"$BIN/trace-record" -q --chunk=50 -o "$work/chunks.trace" -- "$PROGRAMS/blocks-signals" >"$work/out" 2>&1
agrees many_chunks "$work/chunks.trace" 6 6

# A slice of a slice; a pipe; a reader made only from FORMAT.md.
trace=$work/calls.trace
check slice "$cut" -q --from=1000 --count=2000 -o "$work/outer.trace" "$trace"
check slice.again "$cut" -q --from=500 --count=700 -o "$work/inner.trace" "$work/outer.trace"
check slice.direct "$cut" -q --from=1500 --count=700 -o "$work/direct.trace" "$trace"
insns() { "$BIN/trace-dump" --format=jsonl "$1" | grep '"insn"'; }
check slice.same cmp <(insns "$work/inner.trace") <(insns "$work/direct.trace")
check pipe sh -c '"$0/trace-cut" -q --from=1500 --count=700 -o - "$1" | "$0/trace-verify" -q -' "$BIN" "$trace"
"$cut" --from=10 --count=100 --format=json -o - "$trace" 2>"$work/err" | cat >"$work/piped.trace"
check_match pipe.no_size '"size": null' "$work/err"
"$cut" --from=10 --count=100 -o - "$trace" 2>"$work/err" | cat >"$work/piped.trace"
check_equal pipe.text 0 "$(grep -c size "$work/err")"
check reader cmp <(/usr/bin/python3 tests/reader.py "$work/direct.trace") \
	<("$BIN/trace-dump" --format=jsonl "$work/direct.trace")
"$BIN/trace-info" --meta "$work/direct.trace" >"$work/meta"
check_match meta.parent "^slice.parent +$("$BIN/trace-info" "$trace" | awk '/^uuid/ { gsub("-", "", $2); print $2 }')\$" "$work/meta"
check_match meta.first '^slice.first +1500$' "$work/meta"

# Simulation points of the trace and of its vectors give the same slices, with the bounds of the intervals.
head -c 3000 /bin/bash >"$work/input"
"$BIN/trace-record" -q --skip=50k --count=105k -o "$work/gzip.trace" -- gzip -c "$work/input" >/dev/null
for counter in exp-bbv exact; do
	check "points $counter" "$BIN/trace-simpoint" --counter=$counter --interval=10k --max-k=4 -q \
		-o "$work/p" "$work/gzip.trace"
	check "cut $counter" "$cut" --simpoints="$work/p.json" --warmup=1000 --format=json --force -o "$work/s" \
		"$work/gzip.trace"
	cp "$work/.out" "$work/slices.json"
	check "bounds $counter" /usr/bin/python3 - "$BIN" "$work" $counter <<-'EOF'
		import json, subprocess, sys
		bin, work, counter = sys.argv[1:]
		def dump(trace):
		    text = subprocess.run([bin + "/trace-dump", "--format=csv", "--no-events", trace],
		                          stdout=subprocess.PIPE).stdout
		    return [line.split(",", 4)[3] for line in text.decode().splitlines()[1:]]
		points = json.load(open(work + "/p.json"))
		slices = json.load(open(work + "/slices.json"))["slices"]
		whole = dump(work + "/gzip.trace")
		assert abs(sum(s["weight"] for s in slices) - 1) < 1e-9
		assert len(slices) == len(points["points"]) == len(points["bounds"]) > 1
		for point, bound, piece in zip(points["points"], points["bounds"], slices):
		    start, end, size = point["start"], point["end"], points["interval_size"]
		    if counter == "exact":
		        assert (start, end) == (point["interval"] * size, (point["interval"] + 1) * size), point
		    insns = dump(piece["file"])
		    assert len(insns) == piece["instructions"] == end - piece["first"], piece
		    assert piece["first"] + piece["warmup"] == start, piece
		    assert insns[piece["warmup"]] == whole[start] == bound["start_pc"], bound
		    pcs = whole[:end + 1]
		    assert pcs[end] == bound["end_pc"], bound
		    assert pcs[:start + 1].count(bound["start_pc"]) == bound["start_count"], bound
		    assert pcs.count(bound["end_pc"]) == bound["end_count"], bound
		    # The execution that the region begins with does not count as one since its beginning.
		    assert pcs[start + 1:].count(bound["end_pc"]) == bound["end_relative_count"], bound
	EOF
	"$BIN/trace-bbv" --compat=$counter --interval-size=10k --bb-out-file="$work/v.bb" "$work/gzip.trace" >/dev/null 2>&1
	check "vectors $counter" "$BIN/trace-simpoint" --counter=$counter --interval=10k --max-k=4 -q -o "$work/v" "$work/v.bb"
	check "same_points $counter" cmp "$work/p.simpts" "$work/v.simpts"
	check "cut_vectors $counter" "$cut" --simpoints="$work/v.simpts" --interval=10k --counter=$counter \
		--warmup=1000 --force -q -o "$work/v" "$work/gzip.trace"
	check "cut_json $counter" "$cut" --simpoints="$work/v.json" --counter=$counter --warmup=1000 --force -q \
		-o "$work/j" "$work/gzip.trace"
	check "cut_csv $counter" "$cut" --simpoints="$work/p.csv" --warmup=1000 --force -q -o "$work/c" \
		"$work/gzip.trace"
	check "cut_pc_csv $counter" "$cut" --simpoints="$work/p.pc.csv" --warmup=1000 --force -q -o "$work/m" \
		"$work/gzip.trace"
	gzip -c "$work/p.json" >"$work/packed.json"
	check "cut_packed $counter" "$cut" --simpoints="$work/packed.json" --warmup=1000 --force -q -o "$work/z" \
		"$work/gzip.trace"
	for slice in "$work"/s.[0-9]*.trace; do
		for other in v j c m z; do
			check "same_slice $counter $other ${slice##*/}" cmp <("$BIN/trace-dump" "$slice") \
				<("$BIN/trace-dump" "$work/$other${slice#"$work/s"}")
		done
	done
done
# Regions by address as readers of PinPoints' files want them: names of images without folder, blanks and
# commas, offsets from the lowest address, comments; those of warm-ups are left out. Older files too.
mkdir -p "$work/a folder"
cp "$PROGRAMS/branches" "$work/a folder/has, blanks"
for linked in "$work/a folder/has, blanks" /bin/true; do
	"$BIN/trace-record" -q --force -o "$work/image.trace" -- "$linked" >/dev/null
	"$BIN/trace-simpoint" --counter=exact --interval=100 -k 3 -q -o "$work/image" "$work/image.trace"
	check "image ${linked##*/}" /usr/bin/python3 - "$BIN" "$work" <<-'EOF'
		import json, re, subprocess, sys
		bin, work = sys.argv[1:]
		dump = [bin + "/trace-dump", "--format=jsonl", work + "/image.trace"]
		lines = subprocess.run(dump, stdout=subprocess.PIPE).stdout.splitlines()
		pcs = [l["pc"] for l in map(json.loads, lines) if l["type"] == "insn"]
		lines = open(work + "/image.pc.csv").read().split("\n")
		assert lines[0].startswith("# Regions based on: trace-simpoint --counter=exact")
		rows = [(i, l.split(",")) for i, l in enumerate(lines) if l.startswith("cluster ")]
		assert len(rows) > 1
		for i, row in rows:
		    assert len(row) == 16 and all(row) and " " not in "".join(row[1:]), row
		    assert lines[i - 3].startswith(f"# RegionId = {row[2]} Slice = "), lines[i - 3]
		    assert lines[i - 2].startswith(f"#Start: pc : {row[3]} image: {row[4]} offset: {row[5]} absolute_count: {row[6]} ")
		    assert lines[i - 1].startswith(f"#End: pc : {row[7]} image: {row[8]} offset: {row[9]} "
		                                   f"absolute_count: {row[10]}  relative_count: {row[11]}.0 "), lines[i - 1]
		    cluster, number = map(int, re.match(r"cluster (\d+) from slice (\d+)$", row[0]).groups())
		    assert int(row[2]) == cluster + 1
		    start, end = number * 100, number * 100 + 100
		    assert pcs[start] == row[3] and pcs[:start + 1].count(row[3]) == int(row[6])
		    if end < len(pcs):
		        assert pcs[end] == row[7] and pcs[:end + 1].count(row[7]) == int(row[10])
		        assert pcs[start + 1:end + 1].count(row[7]) == int(row[11])
		    else:
		        assert row[7:12] == ["0x0", "no_image", "0x0", "0", "0"]
		    for image, pc, offset in row[4:5] + [row[3], row[5]], [row[8], row[7], row[9]]:
		        assert "/" not in image, image
		        if image == "has__blanks":	# linked for 0x400000
		            assert int(offset, 16) == int(pc, 16) - 0x400000, (pc, offset)
		        else:
		            assert int(offset, 16) < 0x1000000
		assert lines[-2].startswith("# Total slices in workload = "), lines[-3:]
	EOF
	check "image_cut ${linked##*/}" "$cut" --simpoints="$work/image.pc.csv" -q --force -o "$work/i" "$work/image.trace"
done
sed 's/simulation$/warmup:1/; s/^cluster.*,0,/Warmup for regionid 1,0,/' "$work/image.pc.csv" | grep '^Warmup' >"$work/more"
cat "$work/image.pc.csv" "$work/more" >"$work/warm.pc.csv"
check warmup_rows "$cut" --simpoints="$work/warm.pc.csv" -q --force -o "$work/i" "$work/image.trace"
sed 's/^# comment,/comment,/; /^#/d; /^$/d' "$work/p.csv" | awk -F, -v OFS=, 'NR > 1 && $4 { $4-- } 1' >"$work/older.csv"
check older_csv "$cut" --simpoints="$work/older.csv" -q --force -o "$work/o" "$work/gzip.trace"
"$cut" --simpoints="$work/p.csv" -q --force -o "$work/c" "$work/gzip.trace"
for slice in "$work"/o.[0-9]*.trace; do
	check "older_csv ${slice##*/}" cmp <("$BIN/trace-dump" "$slice") <("$BIN/trace-dump" "$work/c${slice#"$work/o"}")
done
sed -E 's/(0x[0-9a-f]+,[^,]*,0x[0-9a-f]+),[0-9]+,/\1,99999999,/' "$work/p.pc.csv" >"$work/far.pc.csv"
check_status marker.beyond 1 "$cut" --simpoints="$work/far.pc.csv" -q --force -o "$work/i" "$work/gzip.trace"
check_match marker.beyond.says 'is not executed 99,999,999 times, as .*far.pc.csv says' "$work/err"
# A region that ends before it begins: its two markers have changed places.
awk -F, -v OFS=, '/^#/ || !NF { print; next } $4 && $8 { for (i = 4; i < 8; i++) { t = $i; $i = $(i + 4); $(i + 4) = t }; print; exit }' \
	"$work/p.pc.csv" >"$work/swapped.pc.csv"
check_status marker.swapped 1 "$cut" --simpoints="$work/swapped.pc.csv" -q --force -o "$work/i" "$work/gzip.trace"
check_match marker.swapped.says 'region 1 ends before it begins' "$work/err"
# Points belong to the trace they were chosen from, which may have been repacked; text files do not name it.
check_equal points.uuid "$(info "$work/gzip.trace" uuid)" "$(sed -n 's/^  "uuid": "\(.*\)",$/\1/p' "$work/p.json")"
"$BIN/trace-repack" -q -o "$work/packed.trace" "$work/gzip.trace"
"$BIN/trace-record" -q --skip=100k --count=100k -o "$work/other.trace" -- gzip -c "$work/input" >/dev/null
check of.repacked "$cut" -q --simpoints="$work/p.json" -o "$work/of_packed" "$work/packed.trace"
"$BIN/trace-simpoint" --counter=exact --interval=10k --max-k=4 -q -o "$work/q" "$work/packed.trace"
check of.unpacked "$cut" -q --simpoints="$work/q.json" -o "$work/of_unpacked" "$work/gzip.trace"
check_status of.another 1 "$cut" -q --simpoints="$work/p.json" -o "$work/wrong" "$work/other.trace"
check_match of.another.says "p.json: its points are of another trace, not of .*other.trace" "$work/err"
check of.another.nothing test -z "$(find "$work" -name 'wrong*')"
grep -v '"uuid"' "$work/p.json" >"$work/older.json"
for points in older.json p.simpts p.csv; do
	check "of.unknown $points" "$cut" -q --simpoints="$work/$points" --interval=10k --counter=exact --force \
		-o "$work/unknown" "$work/other.trace"
done
# Intervals are found where vectors end, whatever instructions exp-bbv counts there.
for program in reps blocks-signals strings states; do
	for size in 1 2 7 29; do
		check "intervals $program $size" "$BIN/trace-simpoint" --interval=$size -k 2 --seeds=1 -q \
			"$work/$program.trace"
	done
done
check memory "$BIN/trace-simpoint" --bbv='--blocks=cfg --memory=page' --counter=exact --interval=10k -q -o "$work/m" "$work/gzip.trace"
check_status keep_last 1 "$BIN/trace-simpoint" --bbv=--keep-last --interval=30k -q -o "$work/m" "$work/gzip.trace"
check_match keep_last.says '3 intervals were found, but 4 vectors' "$work/err"
check_match weight_in_meta '^slice.weight +[01]\.?[0-9]*$' <("$BIN/trace-info" --meta "$work/v.0.trace")
check symbol "$cut" -q --from-symbol=_dl_relocate_object --count=10 -o "$work/symbol.trace" "$work/gzip.trace"
check_match symbol.begins '^_dl_relocate_object ' <("$BIN/trace-dump" "$work/symbol.trace" | grep -v -- ' -- ' | head -n 1)

# trace-cut refuses wrong input, and leaves no files behind.
refused() {
	local name=$1 status=$2 regex=$3
	shift 3
	check_status "refused.$name" "$status" "$cut" "$@"
	check_match "refused.$name.says" "$regex" "$work/err"
}
refused beyond 1 'nothing from instruction 99,999,999 on; it has [0-9,]+ instructions$' --from=99999999 -o "$work/no.trace" "$trace"
refused at_end 1 'nothing from instruction [0-9,]+ on; it has' --from="$(info "$trace" instructions)" --warmup=5 -o "$work/no.trace" "$trace"
refused exists 1 'exists, a finished trace; use --force' --from=1 -o "$work/direct.trace" "$trace"
refused itself 1 'is the trace itself' --from=1 --force -o "$trace" "$trace"
refused thread 3 'has no thread 7' --from=1 --thread=7 -o "$work/no.trace" "$trace"
refused symbol 1 "no function 'nosuch'" --from-symbol=nosuch -o "$work/no.trace" "$work/gzip.trace"
refused nth 1 "executed only [0-9,]+ times?, not 999,999" --from-symbol=_dl_relocate_object --nth=999999 \
	-o "$work/no.trace" "$work/gzip.trace"
refused unwritable 1 'cannot create' --from=1 -o /proc/nothing "$trace"
refused full 1 'No space|cannot' --from=1 --force -o /dev/full "$trace"
refused no_way 2 'is needed' -o "$work/no.trace" "$trace"
refused two_ways 2 'is needed' --from=1 --from-symbol=x -o "$work/no.trace" "$trace"
refused no_output 2 'no output' --from=1 "$trace"
refused interval 2 'need --simpoints' --from=1 --interval=3 -o "$work/no.trace" "$trace"
for options in --from=x --count=0 --nth=0 --warmup=-1 --counter=both --jobs=0; do
	refused "$options" 2 "$options: (must be at least 1|not a count such as|exp-bbv or exact is expected$)" $options -o "$work/no.trace" "$trace"
done
printf '9999 0\n' >"$work/far.simpts"
refused far 1 'thread 0 has 10 intervals of 10,000 instructions, but a point is interval 9,999' --simpoints="$work/far.simpts" --interval=10k "$work/gzip.trace"
refused unsized 1 'use --interval' --simpoints="$work/far.simpts" "$work/gzip.trace"
for text in '' 'hello' '{}' '{"points": [{"cluster": 1}]}' 'comment,thread-id' '1 2 x'; do
	printf '%s\n' "$text" >"$work/bad.plan"
	refused "plan '$text'" 1 'bad.plan' --simpoints="$work/bad.plan" "$work/gzip.trace"
done
head -c 20000 "$work/gzip.trace" >"$work/broken.trace"
refused damaged 1 'broken.trace' --from=1 --count=100k -o "$work/no.trace" "$work/broken.trace"
refused large_operand 1 'section 8 .*an operand has more than 65536 bytes' --from=3 --count=50 --warmup=7 -o "$work/no.trace" \
	tests/fuzz/crashes/fuzz_reader/cut-large-operand
check nothing_left test ! -e "$work/no.trace"
