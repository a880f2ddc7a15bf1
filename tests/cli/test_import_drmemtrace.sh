#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-import --from=drmemtrace: files that a model writes from the dumps of golden traces give traces with the same
# instructions, accesses and events, however compressed and chunked; records that no dump has; refusals.
. "$(dirname "$0")/../lib.sh"
tests=$(realpath "$(dirname "$0")/..")
model=$tests/cli/drmemtrace_model.py
folder=$(realpath tests/golden)
cd "$work" || exit

golden() {
	ls "$folder"/v*/"$1.trace" | tail -n 1
}

# same NAME TRACE HOW...: the model's files of a trace, written in a way, are imported as the trace.
same() {
	local name=$1 trace=$2
	shift 2
	rm -rf files
	check "$name.written" "$model" write "$BIN/trace-dump" "$trace" files "$@"
	check "$name" "$BIN/trace-import" -q --force --from=drmemtrace -o made.trace files
	check "$name.same" "$model" compare "$BIN/trace-dump" "$trace" made.trace
	check "$name.verify" "$BIN/trace-verify" -q --decode made.trace
}

for trace in branches by-hand fault operands selfmod strings vectors; do
	same $trace "$(golden $trace)"
done
same gzip "$(golden fault)" gz
same chunks "$(golden branches)" zip 100
same chunks.small "$(golden fault)" zip 3
same chunks.code "$(golden selfmod)" zip 2
same old "$(golden branches)" plain 0 4
same old.signals "$(golden fault)" plain 0 4

# ---- files that trace-export writes, which have no arguments of system calls ----
for trace in branches by-hand fault operands selfmod strings vectors threads; do
	exported=$(golden $trace)
	check $trace.exported "$BIN/trace-export" -q --force --to=drmemtrace --lanes --chunk=1000 -o exported "$exported"
	check $trace.reimported "$BIN/trace-import" -q --force --from=drmemtrace -o made.trace exported
	check $trace.reimported.same "$model" compare "$BIN/trace-dump" "$exported" made.trace bare
	rm -rf exported
done

# ---- threads in their order; results of analyzers; vectors of basic blocks ----
threads=$(golden threads)
same threads "$threads" zip 1000
for dumped in "$threads" made.trace; do
	"$BIN/trace-dump" --format=csv --no-events --symbols=no "$dumped" >"${dumped##*/}.csv"
done
check threads.order cmp threads.trace.csv made.trace.csv
for analyzer in mix stackdist ppm footprint stride ilp itypes reg; do
	for analyzed in "$threads" made.trace; do
		"$BIN/trace-$analyzer" -q --threads=merged --format=json "$analyzed" |
			grep -v '"trace"\|"command"' >"${analyzed##*/}.json"
	done
	check "threads.$analyzer" cmp threads.trace.json made.trace.json
done
for analyzed in "$threads" made.trace; do
	"$BIN/trace-bbv" -q --interval-size=500 --bb-out-file="bb.${analyzed##*/}" "$analyzed" >/dev/null 2>&1
done
check threads.bbv cmp bb.threads.trace bb.made.trace
check threads.bbv.some test -s bb.made.trace

# ---- a trace of instructions only has no addresses ----
"$model" write "$BIN/trace-dump" "$(golden strings)" bare plain 0 7 0x644
check bare "$BIN/trace-import" -q --from=drmemtrace -o bare.trace bare
check_equal bare.addresses false "$(info bare.trace addresses)"
check_equal bare.repetitions "$(info "$(golden strings)" instructions)" "$(info bare.trace instructions)"

# ---- records by hand ----
# make NAME [HEAD...]: makes files/NAME of the records on standard input, behind a head.
make() {
	rm -rf files
	{
		printf '%s\n' '25 0 7' '28 12 7' "28 9 ${2:-0x640}" '22 4 0x1234' '24 4 0x1234' '28 10 64' '28 20 0' \
			'28 18 4096' '28 2 0x2f731b328fae74' '28 3 -1'
		cat
	} | "$model" records files "$1"
}
# made NAME: imports files/x, and prints the lines of its dump.
made() {
	check "$1" "$BIN/trace-import" -q --force --from=drmemtrace -o one.trace files
	cp "$work/.out" one.says
	"$BIN/trace-dump" --symbols=no one.trace >one
}
END_RECORDS='28 2 0x2f731b328fae75
28 3 -1
23 4 0x1234
26 0 0'

# the file that the specification gives as the smallest one
make x.gz <<-HERE
	47 4 x4883c304
	10 4 0x401000
	47 2 x0f05
	10 2 0x401004
	28 2 0x2f731b328fae75
	28 3 -1
	28 25 60
	23 4 0x1234
	26 0 0
HERE
made smallest
check_match smallest.add 'add \$0x4, %rbx' one
check_match smallest.exit 'syscall number=60 name=exit args=0x0,0x0,0x0,0x0,0x0,0x0' one

# bundles; the same instruction fetched or not; two gathers; a header inside; an unexplained jump; another window
make x <<-HERE
	47 1 x90
	10 1 0x1000
	47 1 x90
	10 1 0x1001
	47 2 x6690
	10 2 0x1002
	28 14 0
	26 0 0
	25 0 7
	28 12 7
	28 9 0x640
	22 4 0x1234
	24 4 0x1234
	47 8 xc4e2e993040c9090
	10 6 0x1004
	26 0 0
HERE
check_status code_size 1 "$BIN/trace-import" -q --force --from=drmemtrace -o one.trace files
check_match code_size.says 'byte 288: an instruction of 6 bytes has 8 bytes of code' err
make x <<-HERE
	47 1 x90
	10 1 0x1000
	47 1 x90
	10 1 0x1001
	47 2 x6690
	10 2 0x1002
	47 2 xf3a4
	10 2 0x1004
	0 1 0x8000
	1 1 0x9000
	30 2 0x1004
	0 1 0x8001
	1 1 0x9001
	28 14 0
	26 0 0
	25 0 7
	28 12 7
	28 9 0x640
	22 4 0x1234
	24 4 0x1234
	47 6 xc4e2e993040c
	10 6 0x1006
	0 8 0x7000
	0 8 0x7ffff000
	28 14 1
	10 1 0x1000
	17 2 x0102
	10 1 0x1001
	$END_RECORDS
HERE
made odd
check_match odd.rep 'rep movsb .*\[load 1 x2 @0x8000\] \[store 1 x2 @0x9000\]' one
check_match odd.gather 'vgatherqpd .*\[load 8 x2 @0x7000,0x7ffff000\]' one
check_equal odd.gaps '5 8' "$(awk '/gap/ { printf "%s%s", sep, $1; sep = " " }' one)"
check_equal odd.pcs '1000 1001 1002 1004 1006 1000 1001 1002 1001' "$(awk '$2 != "--" { printf "%s%s", sep, $2; sep = " " }' one)"

# accesses that operands do not make, and operands without accesses
make x <<-HERE
	47 3 x488b03
	10 3 0x1000
	0 8 0x7000
	10 3 0x1000
	10 3 0x1000
	0 8 0x7008
	0 8 0x7010
	1 4 0x7018
	10 3 0x1000
	0 4 0x7020
	$END_RECORDS
HERE
made counts
check_match counts.missing ': 1 operands of executed instructions have no access' one.says
check_match counts.surplus ': 2 accesses belong to no operand' one.says
check_match counts.sizes ': 1 accesses have another size' one.says
check_equal counts.loads 3 "$(info one.trace loads)"

# a signal and its return; calls of functions; a system call with arguments and a result
make x <<-HERE
	47 2 x0f05
	10 2 0x1000
	28 2 0x2f731b328fae80
	28 3 -1
	28 25 39
	28 4 0x100000027
	28 6 0x11
	28 6 0x22
	28 4 0x100000027
	28 7 -4
	28 2 0x2f731b328fae81
	28 3 -1
	28 0 0x1002
	28 40 10
	28 0 0x5000
	28 40 12
	47 1 x90
	10 1 0x6000
	28 1 0x6001
	47 1 x90
	10 1 0x5000
	47 5 xe8fa000000
	14 5 0x5001
	1 8 0x7ff8
	28 4 7
	28 5 0x5006
	28 6 0x33
	47 1 xc3
	28 29 0x5006
	16 1 0x5100
	0 8 0x7ff8
	28 4 7
	28 7 0x44
	47 1 x90
	10 1 0x5006
	28 1 0x5007
	47 1 x90
	10 1 0x1002
	$END_RECORDS
HERE
printf '7,1,0x5100,a.out!f\n' >files/funclist.log
made events
check_match events.syscall 'syscall number=39 name=getpid args=0x11,0x22,0x0,0x0,0x0,0x0' one
check_match events.result 'syscall-result number=39 name=getpid result=-4' one
check_match events.outer 'signal number=10 .*pc=0x1002 handler=0x5000' one
check_match events.inner 'signal number=12 .*pc=0x5000 handler=0x6000' one
check_match events.sigreturn 'sigreturn pc=0x5000' one
check_match events.sigreturn2 'sigreturn pc=0x1002' one
check_match events.call 'call function=0 name=a.out!f args=0x33' one
check_match events.return 'return function=0 name=a.out!f result=' one
check_equal events.gaps 0 "$(grep -c gap one)"

# ---- modules: by modules.log, whose custom fields may have any bytes ----
# modules VERSION LINE...: writes a modules.log of so many entries.
modules() {
	printf 'Module Table: version %s, count %s\nColumns: id, containing_id, start, end, entry, offset, path\n' "$1" $(($# - 1))
	printf '%b\n' "${@:2}"
}
# offsets: prints the module of each block with the offset of its first instruction; - for none.
offsets() {
	"$BIN/trace-import" -q --force --from=drmemtrace -o modules.trace files 2>err
	/usr/bin/python3 -c 'import sys
sys.path.insert(0, sys.argv[1])
from traceread.encodings import BLOCKS, MODULES
from traceread.trace import Trace
trace = Trace(open("modules.trace", "rb").read(), walk=False)
for b in trace.records[BLOCKS].values():
    name = "-" if b.module is None else trace.records[MODULES][b.module][1]
    print(f"{hex(b.insns[0].pc)}={name}+{hex(b.start)}" if name != "-" else f"{hex(b.insns[0].pc)}=-")' "$tests" | xargs
}
insns='47 1 x90
10 1 0x1010
47 1 x90
10 1 0x2020
47 1 x90
10 1 0x700000003030'
make x <<<"$insns"
check_equal modules.none '0x1010=- 0x2020=- 0x700000003030=-' "$(offsets)"
app='/app with, a comma'
modules 5 "  0,   0, 0x1000, 0x2000, 0x1000, 0000000000000000, 0x0800, v#1,0, $app" \
	"  1,   0, 0x2000, 0x2800, 0x1000, 0000000000001000, 0x0800, v#1,0, $app" \
	'  2,   2, 0x700000003000, 0x700000004000, 0x0, 0000000000000000, 0x0, v#1,7,\n\00094,5\n [vdso]' >files/modules.log
check_equal modules.five "0x1010=$app+0x810 0x2020=$app+0x1820 0x700000003030=[vdso]+0x30" "$(offsets)"
check modules.verify "$BIN/trace-verify" -q modules.trace
check_match modules.by_module '\[vdso\]' <("$BIN/trace-mix" --by=module modules.trace)
mkdir -p files/raw && mv files/modules.log files/raw
check_equal modules.raw "0x1010=$app+0x810 0x2020=$app+0x1820 0x700000003030=[vdso]+0x30" "$(offsets)"
# version 4 has no addresses that the linker chose: low ones are taken for them
modules 4 '0, 0, 0x1000, 0x2000, 0x1000, 0, /low' '1, 1, 0x700000003000, 0x700000004000, 0x0, 0, /high' >files/modules.log
check_equal modules.four '0x1010=/low+0x1010 0x2020=- 0x700000003030=/high+0x30' "$(offsets)"
modules 3 '0, 0, 0x1000, 0x2000, 0x1000, /low' '1, 1, 0x1800, 0x4000, 0x0, <unknown>' >files/modules.log
check_equal modules.overlap '0x1010=- 0x2020=- 0x700000003030=-' "$(offsets)"
# not_understood NAME LOG REASON: a warning has the reason, and the trace no modules.
not_understood() {
	printf '%b' "$2" >files/modules.log
	check_equal "modules.bad.$1" '0x1010=- 0x2020=- 0x700000003030=-' "$(offsets)"
	check_match "modules.bad.$1.says" "files/modules.log: $3, so the trace has no modules" err
}
head='Columns: x\n'
not_understood kind 'Modules\n' 'is no table of modules of DynamoRIO'
not_understood version "Module Table: version 6, count 1\n$head" 'has another version than 3, 4 or 5'
not_understood short "Module Table: version 3, count 1\n" 'ends early'
for line in '' '1, 1, 0x1000, 0x2000, 0, /x' '0, 1, 0x1000, 0x2000, 0, /x' '0, 0, 0x2000, 0x1000, 0, /x' \
	'0, 0, 0x1000, 0x2000, 0, v#1,99, /x' '0, 0, 0x1000, 0x2000, 0, v#1,18446744073709551615,/x' \
	'0, 0, 0x1000, 0x2000, 0, ' '0, 0, 0x1000 0x2000, 0, /x'; do
	not_understood "entry[$line]" "Module Table: version 3, count 1\n$head$line\n" 'has an entry that cannot be understood'
done
not_understood count "Module Table: version 3, count 4000000000\n${head}0, 0, 0x1000, 0x2000, 0, /x\n" 'has an entry that cannot be understood'
rm files/modules.log && mkfifo files/modules.log
check_equal modules.pipe "0x1010=$app+0x810 0x2020=$app+0x1820 0x700000003030=[vdso]+0x30" "$(offsets)"

# ---- refusals, each with its reason ----
refused() {
	check_status "$1" 1 "$BIN/trace-import" -q --force --from=drmemtrace -o no.trace "${3:-files}"
	check_match "$1.says" "$2" err
	check "$1.nothing" test ! -e no.trace
}
nop='47 1 x90
10 1 0x1000'
make x 0x20640 <<<"$nop"
refused regdeps 'synthetic instructions .regdeps.'
make x 0x440 <<<"$nop"
refused no_code 'has no code bytes .encodings.'
make x 0x410 <<<"$nop"
refused architecture 'another architecture'
make x 0x10640 <<<"$nop"
refused processors 'core-sharded'
printf '%s\n' '25 0 8' "$nop" | "$model" records files x
refused version 'version 8'
printf '%s\n' '28 12 7' "$nop" | "$model" records files x
refused raw 'begins with a header'
make x <<<'10 1 0x1000'
refused bare_insn 'an instruction has no code'
make x <<<"$nop
22 4 0x99"
refused second_thread 'a second thread, 153'
rm -rf files && mkdir files && printf '\x04\x22\x4d\x18' >files/y.trace.lz4 && printf '' >files/modules.log
refused lz4 'compressed by LZ4'
rm files/y.trace.lz4 && echo snappy >files/y.sz
refused snappy 'compressed by Snappy'
rm files/y.sz
refused empty_folder 'without files of drmemtrace'
refused no_folder 'No such file' nothing

# a file without its end is imported, and the status says so
make x <<<"$nop"
check_status cut 1 "$BIN/trace-import" -q --force --from=drmemtrace -o cut.trace files
check_match cut.says 'is cut: it ends without a footer' err
check_equal cut.instructions 1 "$(info cut.trace instructions)"
