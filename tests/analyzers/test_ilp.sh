#!/bin/bash
# SPDX-License-Identifier: MIT
# Options of trace-ilp and trace-reg beyond MICA, against slow models that read a dump of the trace.
. "$(dirname "$0")/../lib.sh"
tests=$(cd "$(dirname "$0")/.." && pwd)
dump=$(cd "$tests/.." && pwd)/$BUILD/tests/mica_dump
cd "$work" || exit 1

"${recorder[@]}" -o trace --count=3k -- /bin/true >/dev/null 2>&1
"$dump" trace >text
"$dump" -f trace >folded
"$dump" -F trace >flags
"$dump" -fF trace >both
printf '# cycles\nSPECIAL, mem_read, 3\n\nCATEGORY, BINARY, 1\nOPCODE, CALL_NEAR, 7 # far\n' >latencies
printf 'CATEGORY , COND_BR,2\nOPCODE,IMUL,3\nCATEGORY, LOGICAL, 5\n' >>latencies

cycles() {
	"$BIN/trace-ilp" --format=csv "$@" trace | sed -n 's/^cycles_[a-z0-9]*,\([0-9]*\),cycles$/\1/p' | xargs
}
# model LOG2_BLOCK LATENCIES TEXT: windows of 8, 32, 100, unlimited
model() {
	for window in 8 32 100 0; do
		/usr/bin/python3 -B "$tests/mica/ilp_model.py" $window "$@"
	done | xargs
}

windows=--windows=8,32,100,unlimited
check differ test "$(cat text flags folded both | wc -l)" -gt 6000 -a "$(md5sum <folded)" != "$(md5sum <both)"
check_equal plain "$(model 6 /dev/null text)" "$(cycles $windows)"
# Without an unlimited window the other windows limit how long stores are remembered.
read -r of_8 of_32 of_100 of_all <<<"$(model 6 /dev/null text)"
check_equal alone "$of_8 $of_32 $of_100" \
	"$(for window in 8 32 100; do cycles --windows=$window; done | xargs)"
check_equal many_windows "$of_8 $of_32 $of_8 $of_100 $of_8 $of_32 $of_all $of_8 $of_100" \
	"$(cycles --windows=8,32,8,100,8,32,unlimited,8,100)"
check_equal alone_with_latencies "$(model 6 latencies text | cut -d' ' -f1)" \
	"$(cycles --windows=8 --latency=latencies)"
check_equal folded "$(model 6 /dev/null folded)" "$(cycles $windows --fold-registers)"
check_equal flags "$(model 6 /dev/null flags)" "$(cycles $windows --flags)"
check_equal latencies "$(model 6 latencies text)" "$(cycles $windows --latency=latencies)"
check_equal bytes "$(model 0 /dev/null text)" "$(cycles $windows --block-size=1)"
check_equal all "$(model 0 latencies both)" \
	"$(cycles $windows --fold-registers --flags --latency=latencies --block-size=1)"
check each_differs test "$(for option in --quiet --fold-registers --flags --latency=latencies --block-size=1; do
	cycles $windows $option
done | sort -u | wc -l)" -eq 5

# Intervals are exact: the cycles of the first n instructions and of the first n + m differ by those of m.
check_equal exact_intervals "$(for n in 1000 2000 3000; do
	head -n $n text >head
	/usr/bin/python3 -B "$tests/mica/ilp_model.py" 32 6 /dev/null head
done | awk '{ print $1 - last; last = $1 }' | xargs)" "$("$BIN/trace-ilp" --windows=32 --exact-intervals \
	--interval=1k --format=csv trace | cut -d, -f3 | sed -n 2,4p | xargs)"

# fails NAME LINE MESSAGE
fails() {
	printf '# a comment\n%s\n' "$2" >bad
	check_status "$1" 1 "$BIN/trace-ilp" --latency=bad trace
	check_match "$1.says" "^trace-ilp: error: bad:2: the line $3" err
}
fails not_three 'OPCODE, ADD' 'is not TYPE, NAME, CYCLES'
fails more_than_three 'OPCODE, ADD, 1, 2' 'is not TYPE, NAME, CYCLES'
fails no_type 'INSN, ADD, 1' 'has a type that is none of'
fails no_special 'SPECIAL, mem_write, 1' 'has a SPECIAL name other than mem_read'
fails no_time 'OPCODE, ADD, 0' 'has a latency that is not 1'
fails too_long 'OPCODE, ADD, 65536' 'has a latency that is not 1'
check_status no_latencies 1 "$BIN/trace-ilp" --latency=/nonexistent trace

uses() { /usr/bin/python3 -B "$tests/oracle/mica_oracle.py" --only=reg "$1" | sed -n 2p | cut -d' ' -f2-; }
check_equal folded_registers "$(uses folded)" "$("$BIN/trace-reg" --fold-registers --format=csv trace |
	sed -n 's/^[a-z_0-9]*,\([0-9]*\),[a-z].*/\1/p' | xargs)"
