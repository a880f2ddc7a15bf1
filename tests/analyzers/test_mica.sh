#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-mica on recorded programs: its files against a slow model of MICA, and its mica.conf.
. "$(dirname "$0")/../lib.sh"
tests=$(cd "$(dirname "$0")/.." && pwd)
dump=$(cd "$tests/.." && pwd)/$BUILD/tests/mica_dump
cd "$work" || exit 1
mkdir ours

"${recorder[@]}" -o trace --count=3k -- /bin/true >/dev/null 2>&1
"$dump" trace >text

# ---- files ----

# compare NAME DIALECT ANALYSIS INTERVAL
compare() {
	local interval=() all=() file name
	[ "$4" = full ] || interval=(--interval="$4")
	[ "$3" = all ] && all=(--all)
	rm -rf model ours/*
	/usr/bin/python3 -B "$tests/oracle/mica_oracle.py" --version "$2" --out model "${all[@]}" "${interval[@]}" text
	printf 'analysis_type: %s\ninterval_size: %s\nilp_size: 32\n' "$3" "$4" >mica.conf
	check "$1.runs" "$BIN/trace-mica" --dialect="$2" --directory=ours trace
	check "$1.has_files" test "$(ls ours | wc -l)" -gt 0
	for file in ours/*.out; do
		name=${file##*/}
		check "$1.${name%_int_pin.out}" cmp "model/$name" "$file"
	done
}
compare full cheramy all full
compare intervals cheramy all 400
mkdir jobs
check jobs "$BIN/trace-mica" --jobs=4 --directory=jobs trace
check jobs.same diff -r jobs ours
compare boegel boegel all 1000
compare one cheramy ilp_one 600
compare stack cheramy fullmemstackdist 800

# A region in the middle of the program.
mv trace short
"${recorder[@]}" -o trace --skip=1M --count=6k -- sqlite3 :memory: 'create table t(a, b);
	with recursive n(i) as (select 1 union all select i + 1 from n where i < 9999)
	insert into t select i, i * 7919 % 1009 from n; select sum(a) from t group by b;' >/dev/null 2>&1
"$dump" trace >text
compare sqlite3 cheramy all 2000
mv short trace

# A file's line, without the number of instructions
files_line() { head -1 "$1" | cut -d' ' -f2-; }
printf 'CATEGORY, BINARY, 3\n' >latencies
printf 'analysis_type: ilp\ninterval_size: full\n' >mica.conf
check extensions "$BIN/trace-mica" --fold-registers --flags --byte-dependences --latency=latencies trace
check_equal extensions_as_of_trace_ilp \
	"$("$BIN/trace-ilp" --fold-registers --flags --block-size=1 --latency=latencies --format=csv trace |
		sed -n 's/^cycles_[0-9]*,\([0-9]*\),.*/\1/p' | xargs)" "$(files_line ilp_full_int_pin.out)"
printf 'analysis_type: reg\ninterval_size: full\n' >mica.conf
check flags "$BIN/trace-mica" --fold-registers --flags trace
"$dump" -fF trace >both
/usr/bin/python3 -B "$tests/oracle/mica_oracle.py" --only=reg --out model both
check flags.reg cmp model/reg_full_int_pin.out reg_full_int_pin.out
# endbr64, of which programs are full: a no-operation, or an instruction of CET.
mv trace short
printf '.globl _start\n_start: endbr64\nmov $9, %%ecx\n1: endbr64\nloop 1b\nmov $60, %%eax\nxor %%edi, %%edi\nsyscall\n' |
	gcc -nostdlib -static -x assembler -o endbrs -
"${recorder[@]}" -o trace -- ./endbrs >/dev/null 2>&1
endbrs=$("$dump" -c trace | grep -c ' ENDBR64 ')
check_equal endbr.some 10 "$endbrs"
check_equal endbr.nops "$endbrs" "$("$dump" trace | grep -c ' WIDENOP NOP ops=2')"
for analysis in reg itypes; do
	printf 'analysis_type: %s\ninterval_size: full\n' $analysis >mica.conf
	check cet.$analysis "$BIN/trace-mica" --cet trace
	"$dump" -c trace >cet
	/usr/bin/python3 -B "$tests/oracle/mica_oracle.py" --only=$analysis --out model cet
	check cet.$analysis.same cmp model/${analysis}_full_int_pin.out ${analysis}_full_int_pin.out
	cp ${analysis}_full_int_pin.out with_cet
	"$BIN/trace-mica" trace >/dev/null
	check cet.$analysis.differs test "$(command cmp -s with_cet ${analysis}_full_int_pin.out; echo $?)" = 1
done
mv short trace
printf 'analysis_type: ilp\ninterval_size: 600\n' >mica.conf
check exact "$BIN/trace-mica" --exact-intervals trace
check_equal exact_as_of_trace_ilp \
	"$("$BIN/trace-ilp" --interval=600 --exact-intervals --format=csv trace | tail -n +2 | cut -d, -f3-6 | tr , ' ')" \
	"$(grep -v number ilp_phases_int_pin.out | cut -d' ' -f2-)"

# ---- processes and threads ----

printf 'analysis_type: reg\ninterval_size: full\n' >one.conf
printf 'analysis_type: reg\ninterval_size: full\nappend_pid: yes\n' >pid.conf
"${recorder[@]}" -o tree --follow -- sh -c '/bin/true; /bin/true' >/dev/null 2>&1
rm -rf ours/*
check_status processes 0 "$BIN/trace-mica" -c pid.conf -d ours --format=csv tree
check_equal a_file_a_process 3 "$(ls ours | grep -cE '^reg_full_int_[0-9]{5,}_pin.out$')"
check_equal instructions_of_all "$("$BIN/trace-reg" --format=csv tree | sed -n 's/^mica_instructions,\([0-9]*\),.*/\1/p')" \
	"$(cat ours/* | awk '/^number/ { sum += $4 } END { print sum }')"
rm jobs/*
check_status processes_on_cores 0 "$BIN/trace-mica" -c pid.conf -d jobs --jobs=3 tree
check processes_on_cores.same diff -r jobs ours
check_status names_alike 3 "$BIN/trace-mica" -c one.conf -d ours tree
check_match names_alike.says 'same names: set .append_pid: yes. in one.conf' err

if [ -x "$PROGRAMS/workers" ]; then
	"${recorder[@]}" -o threads --threads=serial -- "$PROGRAMS/workers" >/dev/null 2>&1
	rm -rf ours/* && mkdir -p alone
	check threads "$BIN/trace-mica" -c pid.conf -d ours --threads=each threads
	check a_file_a_thread test "$(ls ours/*.out | wc -l)" -gt 1
	for ((t = 0; t < $(ls ours/*.out | wc -l); t++)); do
		rm -f alone/*
		"$BIN/trace-mica" -c one.conf -d alone --thread=$t threads >/dev/null
		check thread_$t cmp alone/*.out "$(ls ours/*.out | sort -t_ -k4n | sed -n $((t + 1))p)"
	done
	rm -f ours/*
	check merged "$BIN/trace-mica" -c one.conf -d ours threads
	check_equal merged_is_one_sequence \
		"$("$BIN/trace-reg" --format=csv threads | sed -n 's/^[a-z_0-9]*,\([0-9]*\),[a-z].*/\1/p' | xargs)" \
		"$(files_line ours/reg_full_int_pin.out)"
fi

# ---- mica.conf ----

# conf NAME STATUS REGEX TEXT: the messages of trace-mica about a configuration
conf() {
	printf "$4" >mica.conf
	check_status "$1" "$2" "$BIN/trace-mica" -d ours ${dialect:+--dialect=$dialect} trace
	[ -z "$3" ] || check_match "$1.says" "^trace-mica: $3" err
	check "$1.says_once" test "$(wc -l <err)" -le 1
}
rm -rf mica.conf ours/* jobs
check_status no_config 0 "$BIN/trace-mica" -d ours trace
check_match no_config.says "^trace-mica: no mica.conf here: all analyses of the whole program" err
check no_config.says_once test "$(wc -l <err)" = 1
printf 'analysis_type: all\ninterval_size: full\n' >all.conf
mkdir jobs && "$BIN/trace-mica" -c all.conf -d jobs trace >/dev/null
check no_config.has_files test -s ours/ilp_full_int_pin.out
check no_config.same diff -r jobs ours
rm ours/*
check_status no_config.processes 0 "$BIN/trace-mica" -d ours tree
check_equal no_config.a_file_a_process 3 "$(ls ours | grep -cE '^reg_full_int_[0-9]+_pin.out$')"
check_status no_such_config 1 "$BIN/trace-mica" --config=nosuch trace
check_match no_such_config.says 'error: nosuch: No such file or directory; trace-mica\(1\) describes its contents' err
check_status named_config_missing 1 "$BIN/trace-mica" --config=mica.conf trace
mkdir mica.conf
check_status config_is_a_folder 1 "$BIN/trace-mica" trace
rmdir mica.conf
conf any_order 0 '' 'page_size:13\r\nblock_size:   7\n\n  interval_size: full\nanalysis_type: itypes'
conf last_one_wins 0 '' 'analysis_type: all\ninterval_size: 300\nanalysis_type: itypes\n'
conf minus_one_is_full 0 '' 'analysis_type: reg\ninterval_size: -1\n'
conf no_interval 0 'warning: mica.conf: there is no interval_size' 'analysis_type: reg\n'
conf unknown_analysis 0 "warning: mica.conf:1: there is no analysis 'x'; there are: all ilp .* linecount" \
	'interval_size: full analysis_type: x analysis_type: reg\n'
conf no_analysis 1 'error: mica.conf: there is no analysis_type' 'interval_size: full\n'
conf empty 1 'error: mica.conf: is empty' ''
conf custom 1 "error: mica.conf:1: analysis_type: 'custom' is for" 'analysis_type: custom\n'
conf blank_line_first 1 "error: mica.conf:1: no ':' follows" '\nanalysis_type: reg\n'
conf comment 1 "error: mica.conf:2: no ':' follows" 'analysis_type: reg\n# all of it\ninterval_size: full\n'
conf second_word 1 "error: mica.conf:1: no ':' follows" 'analysis_type: reg ppm\ninterval_size: full\n'
conf blank_before_colon 1 "error: mica.conf:1: no ':' follows" 'analysis_type : reg\n'
conf unknown_key 1 "error: mica.conf:3: there is no parameter 'Block_size'; there are: analysis_type" \
	'analysis_type: reg\ninterval_size:\nfull Block_size: 6\n'
conf no_colon 1 "error: mica.conf:2: neither" 'analysis_type: reg\ninterval_size\n'
conf no_value 1 "error: mica.conf:2: neither" 'analysis_type: reg\ninterval_size:  \n'
conf not_a_number 1 "error: mica.conf:2: interval_size: '10k' is neither" 'analysis_type: reg\ninterval_size: 10k\n'
conf zero 1 "error: mica.conf:1: interval_size: '0' is neither" 'interval_size: 0\nanalysis_type: reg\n'
conf negative 1 "error: mica.conf:1: interval_size: '-200' is neither" 'interval_size: -200\nanalysis_type: reg\n'
conf no_multiple 1 'error: mica.conf: interval_size must be a multiple of 200' 'analysis_type: ilp\ninterval_size: 300\n'
conf no_ilp_size 1 'error: mica.conf: ilp_one needs an ilp_size' 'analysis_type: ilp_one\ninterval_size: full\n'
conf block_size 1 "error: mica.conf:2: block_size: '64' is not" 'analysis_type: reg\nblock_size: 64\n'
conf append_pid 1 "error: mica.conf:2: append_pid: 'maybe' is neither" 'analysis_type: reg\nappend_pid: maybe\n'
conf too_long 1 'error: mica.conf:2: a word of more than 999 characters' \
	"analysis_type: reg\nitypes_spec_file: $(printf 'x%.0s' {1..1000})\n"
conf no_groups 1 'error: nowhere: No such file' 'analysis_type: itypes\nitypes_spec_file: nowhere\ninterval_size: full\n'
conf groups_not_wanted 0 '' 'analysis_type: reg\nitypes_spec_file: nowhere\ninterval_size: full\n'
dialect=0.40rel conf other_dialect 1 "error: mica.conf:1: there is no parameter 'use_magic_instruction'" \
	'use_magic_instruction: yes\n'
dialect=0.40 conf other_analysis 1 '' 'analysis_type: memstackdist interval_size: full analysis_type: custom\n'
dialect=0.40rel conf reuse 0 '' 'analysis_type: memreusedist\ninterval_size: full\n'

# The text that MICA prints to mica.log, by its source.
conf log 0 '' 'analysis_type: ilp\ninterval_size: 0400\nilp_size: 8\nblock_size: 7\npage_size: 13\nappend_pid: no\nitypes_spec_file: f\nanalysis_type: ilp_one\n'
check_equal log.text 'Reading config file ...
Measuring ILP characteristics...
interval size: 0400
Returning data for each interval of 400 instructions...
ILP window size: 8
block size: 2^7
page size: 2^13
append pid: no
ITYPES spec file: f
Measuring ILP characteristics for a given window size...
All done reading config' "$(cat ours/mica.log)"
conf log_full 0 '' 'interval_size: full analysis_type: x analysis_type: memstackdist'
check_equal log_full.text 'Reading config file ...
interval size: full
Returning data for full execution...

ERROR: Unknown analysis type chosen!
Measuring MEMSTACKDIST characteristics...
All done reading config' "$(cat ours/mica.log)"

# ---- configurations that trace-mica refuses ----

"${recorder[@]}" -o bare --no-addresses --count=1k -- /bin/true >/dev/null 2>&1
rm -f mica.conf
check_status no_config.no_addresses 3 "$BIN/trace-mica" -d ours bare
check_status no_need_of_addresses 0 "$BIN/trace-mica" -c one.conf -d ours bare
printf 'analysis_type: stride\ninterval_size: full\n' >mica.conf
check_status addresses_needed 3 "$BIN/trace-mica" -d ours bare
# One thread's chunk is damaged, the other's is not.
"${recorder[@]}" -o damaged -- "$PROGRAMS/threads" >/dev/null 2>&1
/usr/bin/python3 - <<'END'
import struct
trace = bytearray(open("damaged", "rb").read())
chunk = trace.find(b"\xf3TRCSEC\n\x10\0")
stored, = struct.unpack_from("<Q", trace, chunk + 24)
middle = chunk + 80 + stored // 2
trace[middle:middle + 8] = b"XXXXXXXX"
open("damaged", "wb").write(trace)
END
rm -f ours/*
check_status damaged 1 "$BIN/trace-mica" -c one.conf -d ours damaged
check damaged.has_a_file test -s ours/reg_full_int_pin.out
check_status no_folder 1 "$BIN/trace-mica" -c one.conf -d nowhere trace
check_match no_folder.says 'cannot create nowhere/reg_full_int_pin.out: No such file' err
check_status no_dialect 2 "$BIN/trace-mica" --dialect=1.0 -c one.conf trace
check_equal nothing_half_written "" "$(find . -name '*.tmp')"
