#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-import of formats without code bytes: what trace-export writes is imported with the same counts, accesses and
# branches; records by hand; analyzers refuse what the format lacks; refusals of broken files.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit

# results ANALYZER TRACE: prints the results without what names the trace and counts instructions.
results() {
	"$BIN/trace-$1" -q --format=json "$2" | grep -v '"trace"\|"command"\|instructions"\|"executions"'
}

# ---- round trips ----
"${recorder[@]}" -q -o program.trace -- true
for format in champsim cloudsuite sbbt xdin din; do
	check $format.written "$BIN/trace-export" -q --to=$format -o program.$format program.trace
	check $format "$BIN/trace-import" -q --from=$format -o $format.trace program.$format
	check $format.verify "$BIN/trace-verify" -q --decode $format.trace
	check $format.again "$BIN/trace-export" -q --to=$format -o again.$format $format.trace
done
# what the format lacks is noted
lacks() { "$BIN/trace-info" --meta "$1.trace" | awk '/^(access-sizes|branches) +none$/ { print $1 }' | xargs; }
check_equal lacks 'access-sizes access-sizes - branches' \
	"$(lacks champsim) $(lacks cloudsuite) $(lacks sbbt | sed 's/^$/-/') $(lacks xdin)"
check xdin.stackdist cmp <(results stackdist program.trace) <(results stackdist xdin.trace)
# an access without a size that crosses lines is two accesses
check lines.written "$BIN/trace-export" -q --to=champsim --split-lines=64 -o lines.champsim program.trace
check lines "$BIN/trace-import" -q --from=champsim -o lines.trace lines.champsim
check_equal lines.touches "$(results stackdist program.trace | grep touches | head -n 1)" \
	"$(results stackdist lines.trace | grep touches | head -n 1)"
for format in champsim cloudsuite xdin; do
	check_equal $format.loads "$(info program.trace loads)" "$(info $format.trace loads)"
	check_equal $format.stores "$(info program.trace stores)" "$(info $format.trace stores)"
done
for format in champsim cloudsuite sbbt; do
	check $format.ppm cmp <(results ppm program.trace) <(results ppm $format.trace)
done
check champsim.some grep -q '"gag_12": [1-9]' <(results ppm program.trace)
check_equal champsim.records $(($(stat -c %s program.champsim) / 64)) "$(info champsim.trace instructions)"
check sbbt.same cmp <(tail -c +41 program.sbbt) <(tail -c +41 again.sbbt) # the first branch is behind a gap
# the same addresses in the same order, but for the fetches of instructions with many accesses
check xdin.same cmp <(grep -v '^i' program.xdin) <(grep -v '^i' again.xdin)
check din.same cmp <(grep -v '^2' program.din) <(grep -v '^2' again.din)
check xdin.fetches cmp <(grep '^i' program.xdin | uniq) <(grep '^i' again.xdin | uniq)

# ---- compressed files, standard input ----
for tool in gzip xz bzip2 zstd; do
	$tool -c program.sbbt >packed
	check packed.$tool "$BIN/trace-import" -q --force --from=sbbt -o packed.trace packed
	check_equal packed.$tool.same "$(info sbbt.trace instructions)" "$(info packed.trace instructions)"
done
check stdin bash -c '"$1" -q --force --from=xdin -o - - <program.xdin >piped.trace' - "$BIN/trace-import"
check_equal stdin.same "$(info xdin.trace instructions)" "$(info piped.trace instructions)"

# ---- records by hand ----
put() { /usr/bin/python3 -S -E -c 'import sys; sys.stdout.buffer.write(bytes.fromhex(sys.argv[1]))' "${1// /}"; }
# mov with a load; jne taken to 0x401100; call with a push; ret with a pop to 0x401105; add to memory; jmp *reg;
# a branch that reads all three special registers, which ChampSim takes for a conditional one
zero8=0000000000000000
{
	put "00104000 00000000 0000 0a00 07000000 $zero8 $zero8 0010fe7f00000000 $zero8 $zero8 $zero8"
	put "04104000 00000000 0101 1a00 1a190000 $zero8 $zero8 $zero8 $zero8 $zero8 $zero8"
	put "00114000 00000000 0101 1a06 1a060000 f8efff0700000000 $zero8 $zero8 $zero8 $zero8 $zero8"
	put "00124000 00000000 0101 1a06 06000000 $zero8 $zero8 f8efff0700000000 $zero8 $zero8 $zero8"
	put "05114000 00000000 0000 1900 08090000 0020600000000000 $zero8 0020600000000000 $zero8 $zero8 $zero8"
	put "08114000 00000000 0101 1a00 0a000000 $zero8 $zero8 $zero8 $zero8 $zero8 $zero8"
	put "00204000 00000000 0101 1a06 06191a00 $zero8 $zero8 $zero8 $zero8 $zero8 $zero8"
	put "00304000 00000000 0000 0000 00000000 $zero8 $zero8 $zero8 $zero8 $zero8 $zero8"
} >hand.champsim
check hand "$BIN/trace-import" -q --from=champsim -o hand.trace hand.champsim
"$BIN/trace-dump" --symbols=no --format=jsonl hand.trace >hand.jsonl
check_equal hand.accesses '[load 0x7ffe1000][store 0x7ffeff8][load 0x7ffeff8][load 0x602000][store 0x602000]' \
	"$(grep -o '"kind":"[a-z]*","address":"[0-9a-fx]*"' hand.jsonl | sed 's/"kind":"\(.*\)","address":"\(.*\)"/[\1 \2]/' | tr -d '\n')"
check hand.out "$BIN/trace-export" -q --to=sbbt -o hand.sbbt hand.trace
# opcodes: conditional 1, call 8, return 6, indirect jump 2; all taken; 2, 1, 1, 2, 1 instructions
check_equal hand.kinds '801 808 806 802 801' "$(tail -c +25 hand.sbbt | od -An -v -tx2 -w16 | awk '{ printf "%s%s", sep, substr($1, 2); sep = " " }')"
check_equal hand.distances '2 1 1 2 1' "$(tail -c +25 hand.sbbt | od -An -v -tx2 -w16 | awk '{ printf "%s%s", sep, substr($5, 4); sep = " " }')"

# the branch of the specification, then one that is too far away for its 3 instructions, then one directly behind it
{
	put "534242540a 010000 0b00000000000000 0300000000000000"
	put "0108000104000000 0500000204000000"
	put "0008000304000000 0320000304000000"
	put "0120000304000000 0100000204000000"
} >hand.sbbt
check far "$BIN/trace-import" -q --force --from=sbbt -o far.trace hand.sbbt
"$BIN/trace-dump" --symbols=no far.trace >far
check_equal far.gaps 'instructions=4 instructions=2 instructions=2' "$(grep -o 'instructions=[0-9]*' far | xargs)"
check_equal far.pcs '401000 403000 403002' "$(awk '$2 != "--" { printf "%s%s", sep, $2; sep = " " }' far)"

printf '2 1000\n0 7ffe0004\n1 7ffe0008 a comment\n4 0\n2 1004\n' >hand.din
check_status hand.din 0 "$BIN/trace-import" -q --from=din -o din.hand.trace hand.din
check_match hand.din.flush '1 lines are flushes' err
check_match hand.din.dump '1000  .opaque. *.load 4 @0x7ffe0004. .store 4 @0x7ffe0008.' <("$BIN/trace-dump" din.hand.trace)
printf 'r 10 8\nW 0xfff 40\n' >data.xdin
check data_only "$BIN/trace-import" -q --from=xdin -o data.trace data.xdin
check_match data_only.store ' 0  .opaque. *.store 64 @0xfff.' <("$BIN/trace-dump" data.trace)

# ---- analyses that need what is missing ----
for analyzer in ilp itypes reg mica ibs; do
	check_status refuses.$analyzer 3 "$BIN/trace-$analyzer" -q champsim.trace
	check_match refuses.$analyzer.says 'has no code bytes, which' err
done
check_status refuses.ppm 3 "$BIN/trace-ppm" -q xdin.trace
check_match refuses.ppm.says 'has no branches, which' err
check_status refuses.stackdist 3 "$BIN/trace-stackdist" -q sbbt.trace
check_match refuses.stackdist.says 'has no data addresses.*the imported file has none' err
check_status opaque 0 "$BIN/trace-stackdist" -q champsim.trace
check_equal opaque.silent '' "$(cat err)"

# ---- broken files ----
broken() {
	check_status "broken.$1" 1 "$BIN/trace-import" -q --force --from="$2" -o no.trace "$3"
	check_match "broken.$1.says" "$4" err
	check "broken.$1.nothing" test ! -e no.trace
}
: >empty
broken champsim champsim program.xdin 'record 0: is not one of champsim'
broken sbbt sbbt program.champsim 'is not a branch trace of MBPlib'
broken din din program.xdin 'line 1: is not one of din'
broken xdin xdin program.din 'line 1: is not one of xdin'
for format in champsim din xdin sbbt; do
	broken empty.$format $format empty 'empty|no accesses|not a branch trace'
done
head -c 200 program.champsim >cut
check_status cut 1 "$BIN/trace-import" -q --from=champsim -o cut.trace cut
check_match cut.says 'is cut: 8 bytes of its last record' err
check_equal cut.instructions 3 "$(info cut.trace instructions)"
head -c 1000 program.sbbt >cut
check_status cut.sbbt 1 "$BIN/trace-import" -q --from=sbbt -o cut.sbbt.trace cut
check_match cut.sbbt.says 'has 61 branches, and its header says' err
printf 'r 10 8\nr 10 8%01200d\n' 0 >long
broken long xdin long 'line 2: has more than 1022 bytes'
printf '2 1000\0000 10\n' >zero
broken zero din zero 'line 1: has a zero byte'
printf 'r 10 8\nr 10 0\n' >nothing
broken nothing xdin nothing 'line 2: is not one of xdin'
printf '0 ffffffffffffffff\n0 10000000000000000\n' >large
broken large din large 'line 2: is not one of din'
{ head -c 8 hand.champsim; printf '\2'; tail -c +10 hand.champsim; } >flag
broken flag champsim flag 'record 0: is not one of champsim'
printf '2 1000\n0 7ff' >unended
check_status unended 0 "$BIN/trace-import" -q --from=din -o unended.trace unended
check_match unended.says 'last line, 2, has no end; the file may be cut' err
{ head -c 8 hand.sbbt; printf '\006'; tail -c +10 hand.sbbt; } >few.sbbt
check_status few.sbbt 1 "$BIN/trace-import" -q --from=sbbt -o few.trace few.sbbt
check_match few.sbbt.says 'has 9 instructions up to its last branch, and its header says 6' err
check_status no_format 2 "$BIN/trace-import" --from=foo -o x empty
check_match no_format.says 'foo is not a format' err
