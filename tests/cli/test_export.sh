#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-export: each format has the instructions, accesses and branches of the trace, by readers and rules of the
# test's own; ChampSim classifies each branch as its kind; the same trace gives the same bytes, however compressed.
. "$(dirname "$0")/../lib.sh"
tests=$(realpath "$(dirname "$0")/..")
exported=$tests/cli/exported.py
folder=$(realpath tests/golden)
export=$BIN/trace-export
cd "$work" || exit

# golden NAME: prints the path of the newest golden trace of that name.
golden() {
	ls "$folder"/v*/"$1.trace" | tail -n 1
}

"$export" --list >list
formats=$(cut -d' ' -f1 list | grep -v drmemtrace) # test_export_drmemtrace.sh
declare -A verdicts
for trace in branches by-hand fault operands selfmod strings vectors; do
	file=$(golden $trace)
	for format in $formats; do
		check "$trace.$format" "$export" -q --force --to=$format -o "x.$format" "$file"
	done
	verdicts=()
	# shellcheck disable=SC2086
	while read -r format verdict; do
		verdicts[$format]=$verdict
	done < <("$exported" --each "$BIN/trace-dump" "$file" 0 x $formats)
	for format in $formats; do
		check_equal "$trace.$format.same" same "${verdicts[$format]:-}"
	done
done

# ---- a real program, part of it; compression; the same bytes each time ----
"${recorder[@]}" -q -o ls.trace -- ls "$folder" >/dev/null
for format in champsim sbbt lackey; do
	for suffix in "" .gz .xz .bz2 .zst; do
		check "ls.$format$suffix" "$export" -q --count=20k --to=$format -o "ls.$format$suffix" ls.trace
	done
	check "ls.$format.same" "$exported" $format "$BIN/trace-dump" ls.trace 0 "ls.$format" 20000
	check "ls.$format.gz.tool" cmp "ls.$format" <(gzip -dc "ls.$format.gz")
	check "ls.$format.xz.tool" cmp "ls.$format" <(xz -dc "ls.$format.xz")
	check "ls.$format.bz2.tool" cmp "ls.$format" <(bzip2 -dc "ls.$format.bz2")
	check "ls.$format.zst.tool" cmp "ls.$format" <(zstd -dc "ls.$format.zst")
	cp "ls.$format.gz" before.gz
	check "ls.$format.again" "$export" -q --force --count=20k --to=$format -o "ls.$format.gz" ls.trace
	check "ls.$format.equal" cmp before.gz "ls.$format.gz"
done
# A warning tells of compressed files that the simulator does not read.
check_status suffix 0 "$export" -q --count=9 --to=champsim -o suffix.zst ls.trace
check_match suffix.says 'suffix.zst: tools for champsim do not read .zst files; they read plain files and .gz, .xz, .bz2' err
check_status suffix.xz 0 "$export" -q --count=9 --to=champsim -o suffix.xz ls.trace
check_equal suffix.xz.silent "" "$(cat err)"
check_status suffix.plain 0 "$export" -q --count=9 --to=sbbt -o suffix ls.trace
check_equal suffix.silent "" "$(cat err)"
check_status beyond 3 "$export" -q --from=1G --to=xdin -o beyond.xdin ls.trace
check_status beyond.file 1 test -e beyond.xdin
check from "$export" -q --from=1000 --count=500 --to=xdin -o from.xdin ls.trace
check_equal from.count 500 "$(grep -c ^i from.xdin)"
check_equal from.first "i $("$BIN/trace-dump" --format=csv --no-events --from=1000 --count=1 ls.trace | awk -F, 'NR == 2 { print substr($4, 3) }')" \
	"$(head -1 from.xdin | cut -d' ' -f1,2)"

# ---- a region of a slice, in all formats that have a file: the same as its instructions ----
check cut "$BIN/trace-cut" -q --from=2000 --count=500 --warmup=300 -o cut.trace ls.trace
for format in xdin champsim sift cbp2025; do
	check "region.$format" "$export" -q --region=simulation --to=$format -o "region.$format" cut.trace
	check "part.$format" "$export" -q --from=300 --count=500 --to=$format -o "part.$format" cut.trace
	check "region.$format.equal" cmp "region.$format" "part.$format"
done
check_equal region.count 500 "$(grep -c ^i region.xdin)"
check begin "$export" -q --region=warmup --from=100 --count=50 --to=xdin -o begin.xdin cut.trace
check_equal begin.count 50 "$(grep -c ^i begin.xdin)"
check warmup "$export" -q --region=warmup --to=xdin -o warmup.xdin cut.trace
check_equal warmup.count 300 "$(grep -c ^i warmup.xdin)"
check_status no_region 3 "$export" -q --region=foo --to=xdin -o x cut.trace
check_match no_region.says "no region 'foo'; its first is" "$work/err"

# ---- a return at the end of --count leads where it led; at the end of the trace, its target is a loss ----
branches=$(golden branches)
count=$("$BIN/trace-dump" --no-events "$branches" | awk '$3 ~ /^ret/ { print $1 + 1; exit }')
check return.some test "$count" -gt 1
check return.cut "$BIN/trace-cut" -q --from=0 --count="$count" -o return.trace "$branches"
for format in sbbt bt9 cbp2025; do
	check "return.$format" "$export" -q --count="$count" --to=$format -o "return.$format" "$branches"
	check "return.$format.same" "$exported" $format "$BIN/trace-dump" "$branches" 0 "return.$format" "$count"
	check_status "return.$format.whole" 1 grep -q branch_targets "return.$format.json"
	check "return.$format.end" "$export" -q --force --to=$format -o "return.$format" return.trace
	check_match "return.$format.lost" '"branch_targets": 1,' "return.$format.json"
done

# ---- records that the specification of ChampSim's format gives ----
# mov (%rbx), %rax; jne; call; ret; add %rcx, (%rdx), without the memory fields
record() {
	"$export" -q --force --to=champsim -o one.champsim "$1" && od -An -v -tx1 -w64 one.champsim | tr -d ' ' | cut -c17-32 | sort -u >one.records
}
record "$(golden operands)"
check_match record.ret '^01011a0606000000' one.records
record "$(golden branches)"
check_match record.jne '^01011a001a190000' one.records
check_match record.call '^01011a061a060000' one.records

# ---- a branch before a signal led to the interrupted place, not to the handler ----
cat >wild.c <<-'END'
	#include <setjmp.h>
	#include <signal.h>
	static sigjmp_buf back;
	static void handler(int number) { siglongjmp(back, number); }
	int main(void)
	{
		void (*volatile wild)(void) = (void (*)(void))0x10;
		signal(SIGSEGV, handler);
		if (!sigsetjmp(back, 1))
			wild();
		return 0;
	}
END
check wild.built gcc -O1 -o wild wild.c
check wild.recorded "${recorder[@]}" -q --from=main -o wild.trace -- ./wild
check wild "$export" -q --to=sbbt -o wild.sbbt wild.trace
check wild.same "$exported" sbbt "$BIN/trace-dump" wild.trace 0 wild.sbbt
check_match wild.target ' 0000000000010[0-9a-f][0-9a-f][0-9a-f]$' <(tail -c +25 wild.sbbt | od -An -v -tx8 -w16)

# ---- threads have a file each; options that change records ----
threads=$(golden threads)
check threads "$export" -q --to=xdin -o t.xdin.gz "$threads"
check_equal threads.files "t.0.xdin.gz t.1.xdin.gz t.2.xdin.gz" "$(ls t.*.xdin.gz | xargs)"
for thread in 0 1 2; do
	check "threads.$thread" "$exported" xdin "$BIN/trace-dump" "$threads" $thread t.$thread.xdin.gz
done
# summaries of several files are one JSON document, an array; that of one file is an object.
summaries() { /usr/bin/python3 -c 'import json, sys
r = json.load(sys.stdin)
print(*([s["thread"] for s in r] if isinstance(r, list) else ["object", r["thread"]]))'; }
check_equal threads.json '0 1 2' "$("$export" --force --to=xdin --format=json -o j.xdin "$threads" | summaries)"
check_equal threads.one 'object 1' "$("$export" --force --to=xdin --thread=1 --format=json -o j.xdin "$threads" | summaries)"
check_equal threads.quiet '' "$("$export" -q --force --to=xdin --format=json -o j.xdin "$threads")"

# ---- exports are as private as traces ----
modes() { stat -c %a "$@" | xargs; }
check_equal mode.default '600 600' "$(modes j.0.xdin j.0.xdin.json)"
check mode "$export" -q --force --to=xdin --mode=0644 -o j.xdin "$threads"
check_equal mode.set '644 644' "$(modes j.0.xdin j.0.xdin.json)"
check mode.folder "$export" -q --to=drmemtrace --mode=0640 -o readable "$threads"
check_equal mode.folder.set '750 640 640' "$(modes readable readable.json "$(ls -d readable/* | head -n 1)")"
check mode.private "$export" -q --to=drmemtrace -o private "$threads"
check_equal mode.private.set '700 600 600' "$(modes private private.json "$(ls -d private/* | head -n 1)")"
check_status mode.bad 2 "$export" --mode=9 --to=xdin -o j.xdin "$threads"

strings=$(golden strings)
check once "$export" -q --to=champsim --rep=once -o once.champsim "$strings"
check_equal once.records "$("$BIN/trace-dump" --format=jsonl "$strings" | grep -c '"insn"')" $(($(stat -c %s once.champsim) / 64))
check once.gem5 "$export" -q --to=gem5-packets --rep=once -o once.gem5 "$strings"
check_equal once.gem5.stores 1 "$(/usr/bin/python3 -S -E -c 'import sys
sys.path.insert(0, sys.argv[1])
from exported import message, varint, unpacked
data, at, found = unpacked(sys.argv[2]), 4, 0
while at < len(data):
    size, at = varint(data, at)
    fields, at = message(data[at:at + size]), at + size
    found += fields.get(2) == [4] and fields[6] == [3]
print(found)' "$tests/cli" once.gem5)"
check pin "$export" -q --to=champsim --registers=pin -o pin.champsim ls.trace
check_equal pin.differs 1 "$(cmp -s pin.champsim <(xz -dc ls.champsim.xz) && echo 0 || echo 1)"

# ---- accesses beyond those of a record: further records, or a loss; ticks of gem5 ----
"${recorder[@]}" -q -o lanes.trace -- "$PROGRAMS/lanes" >/dev/null
addresses() { # FILE: the number of records and of their addresses
	/usr/bin/python3 -S -E -c 'import struct, sys
data = open(sys.argv[1], "rb").read()
print(len(data) // 64, sum(slot != 0 for at in range(16, len(data), 64) for slot in struct.unpack_from("<6Q", data, at)))' "$1"
}
if grep -q avx2 /proc/cpuinfo; then # for instructions with many lanes
	for operands in split drop; do
		check operands.$operands "$export" -q --to=champsim --operands=$operands -o operands.$operands lanes.trace
		read -r "records_$operands" "slots_$operands" < <(addresses operands.$operands)
	done
	check operands.some test "$records_split" -gt "$records_drop"
	check_equal operands.records "$(info lanes.trace instructions)" "$records_drop"
	check_match operands.lost "\"accesses\": $((slots_split - slots_drop))," operands.drop.json
fi
ticks() { # PERIOD: the ticks of the packets
	"$export" -q --force --to=gem5-packets --period="$1" -o ticks.gem5 "$(golden operands)"
	/usr/bin/python3 -S -E -c 'import sys
sys.path.insert(0, sys.argv[1])
from exported import message, varint, unpacked
data, at = unpacked(sys.argv[2]), 4
while at < len(data):
    size, at = varint(data, at)
    fields, at = message(data[at:at + size]), at + size
    if isinstance(fields.get(1, [b""])[0], int):
        print(fields[1][0])' "$tests/cli" ticks.gem5
}
check ticks.some test "$(ticks 500 | sort -u | wc -l)" -gt 10
check_equal ticks "$(ticks 500 | awk '{ print $1 * 3 }')" "$(ticks 1500)"

# ---- losses are counted beside the file ----
check_match note '"to": "champsim"' pin.champsim.json
check_match note.registers '"registers": [1-9]' pin.champsim.json
check o3 "$export" -q --to=ramulator2-o3 -o o3 ls.trace
check_match o3.note '"lone_stores": [1-9]' o3.json
# each instruction without operands is counted by a line, or is a loss
check cpu "$export" -q --to=ramulator-cpu -o cpu ls.trace
bubbles=$("$BIN/trace-dump" --format=jsonl ls.trace | grep '"insn"' | grep -c '"mem":\[\]')
for file in o3 cpu; do
	check_equal $file.bubbles "$bubbles" "$(awk '{ n += $1 } END { print n }' $file | xargs -I N expr N + \
		"$(sed -n 's/^  "bubbles": \([0-9]*\),.*/\1/p' $file.json)")"
done

# ---- refusals ----
check_status no_format 2 "$export" -o x ls.trace
check_status wrong_format 2 "$export" --to=foo -o x ls.trace
check_match wrong_format.says 'trace-export --list' "$work/err"
check_status exists 1 "$export" --to=xdin -o from.xdin ls.trace
check_match exists.says 'use --force' "$work/err"
check_status itself 1 "$export" --force --to=xdin -o ls.trace ls.trace
check_status no_thread 3 "$export" --to=xdin --thread=7 -o x ls.trace
"${recorder[@]}" -q --no-addresses --count=20k -o bare.trace -- true
check_status bare 3 "$export" --to=xdin -o x bare.trace
check_match bare.says 'has no addresses' "$work/err"
check bare.branches "$export" -q --count=19k --to=sbbt -o bare.sbbt bare.trace
check bare.same "$exported" sbbt "$BIN/trace-dump" bare.trace 0 bare.sbbt 19000
check_status full 1 bash -c 'trap "" XFSZ; ulimit -f 8; exec "$@"' - "$export" -q --to=xdin -o full ls.trace
check full.removed test ! -e full -a ! -e full.json
