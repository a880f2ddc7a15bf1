#!/bin/bash
# SPDX-License-Identifier: MIT
# The results of the analyzers for the trace that examples/write-trace.c writes: four turns of
# mov (%rsi),%rax; add $8,%rsi; jne, then syscall.
. "$(dirname "$0")/../lib.sh"
examples=$(dirname "$BIN")/examples
trace=$work/loop.trace
check writes_a_trace "$examples/write-trace" "$trace"

field() { sed -n "s/^$1,\([0-9]*\),.*/\1/p" "$work/mix"; }
"$BIN/trace-mix" --by=total --format=csv "$trace" >"$work/mix"
check_equal instructions 13 "$(field instructions)"
check_equal loads 4 "$(field loads)"
check_equal bytes_loaded 32 "$(field bytes_loaded)"
check_equal stores 0 "$(field stores)"
check_equal taken 3 "$(field branches_taken)"
check_equal not_taken 1 "$(field branches_not_taken)"
check_equal syscalls 1 "$(field syscalls)"
check_equal classes "branch,4 int-arithmetic,4 move,4 system,1" \
	"$("$BIN/trace-mix" --format=csv "$trace" | sed '1d; s/,[^,]*$//' | sort | xargs)"
top=${BIN%/*/bin}
check_equal classes_in_the_manual "$(sed -n 's/.*\[ISA_CLASS_.*\] = "\(.*\)",/\1/p' "$top/traceformat/x86_64/class.c" | sort)" \
	"$(sed -n '/^.Sh CLASSES/,/^.Sh EXIT/s/^.It Cm //p' "$BIN/../man/trace-mix.1" | sed 's/ , /\n/g' | sort)"
check_equal one_table "class,instructions,share_percent" "$("$BIN/trace-mix" --format=csv "$trace" | head -n 1)"
check_equal no_table 0 "$("$BIN/trace-mix" --by=total "$trace" | grep -c arithmetic)"
check_equal by_symbol "13,100,4,0,32,0,3,1,loop,_start" \
	"$("$BIN/trace-mix" --by=symbol --format=csv "$trace" | tail -n 1)"
check_equal by_module "13,100,4,0,32,0,3,1,loop" \
	"$("$BIN/trace-mix" --by=module --format=csv "$trace" | tail -n 1)"
check_equal none_wanted "instructions,share_percent,loads,stores,bytes_loaded,bytes_stored,branches_taken,branches_not_taken,module" \
	"$("$BIN/trace-mix" --by=module --top=0 --format=csv "$trace")"
check_equal by_thread "0,0,13,4,0,0,0,32,0,3,1,0,0,0,0,1,0,0,0" \
	"$("$BIN/trace-mix" --by=thread --format=csv "$trace" | tail -n 1)"
"$BIN/trace-mix" --interval=1M --format=csv "$trace" >"$work/rows"
check_equal interval_is_the_whole "$(sed -n '2,$s/,[a-z]*$//p' "$work/mix")" "$(paste -d, \
	<(head -n 1 "$work/rows" | tr , '\n') <(tail -n 1 "$work/rows" | tr , '\n') |
	grep -vE '^(thread|first|opaque|unmeasured_operands),')"
check_equal intervals "0,6 6,6 12,1" \
	"$("$BIN/trace-mix" --interval=5 --format=csv "$trace" | cut -d, -f2-3 | tail -n +2 | xargs)"

check_equal command ./loop "$("$BIN/trace-mix" --format=json "$trace" | sed -n 's/^  "command": "\(.*\)",$/\1/p')"
check_equal an_example "bytes,reads,writes 8,4,0" \
	"$("$examples/memsize" --format=csv "$trace" | xargs)"

export DIRECTORY=$work
check_status vectors 0 "$BIN/trace-bbv" --interval=3 --bb-out-file="%q{DIRECTORY}/%p.bb" \
	--pc-out-file="$work/%n.pc" "$trace"
check_match summary_on_stderr '^==7== #   Total intervals: 4 \(Interval Size 3\)$' "$work/err"
check_equal lines "T:1:4 T:1:3 T:1:3 T:1:2 :2:1" "$(grep ^T "$work/7.bb" | xargs)"
check_match summary_in_the_file '^#   Total instructions: 13$' "$work/7.bb"
check_equal places "F:1:401000:_start F:2:401009:_start" "$(xargs <"$work/2.pc")"
"$BIN/trace-bbv" --instr-count-only=yes --bb-out-file="$work/count.bb" "$trace" >"$work/out" 2>&1
check_equal no_lines 0 "$(grep -c ^T "$work/count.bb")"
check_match count_only '^#   Total instructions: 13$' "$work/count.bb"
check_status interval_of_nothing 2 "$BIN/trace-bbv" --interval-size=0 "$trace"
check_status bad_name 2 "$BIN/trace-bbv" --bb-out-file=a%x "$trace"
check_match names_the_fault "expected 'p', 'n', 'q' or '%' after '%'" "$work/err"
check_status bad_answer 2 "$BIN/trace-bbv" --instr-count-only=1 "$trace"
check_status no_folder 1 "$BIN/trace-bbv" --bb-out-file="$work/none/x" "$trace"
check_match says_which "cannot create bb file .*none/x: No such file" "$work/err"
check_status no_room 1 "$BIN/trace-bbv" --bb-out-file=/dev/full "$trace"
check_status no_folder_for_pcs 1 "$BIN/trace-bbv" --bb-out-file="$work/x" \
	--pc-out-file="$work/none/x" "$trace"

check_status one_name_for_both 1 "$BIN/trace-bbv" --interval=3 --bb-out-file="$work/both" --pc-out-file="$work/both" "$trace"
check_match one_name_for_both.says 'both: is also the name of the vectors' "$work/err"
check_equal one_name_for_both.no_file '' "$(find "$work" -name 'both*')"
check_status one_pipe_for_both 0 "$BIN/trace-bbv" --interval=3 --bb-out-file=/dev/null --pc-out-file=/dev/null "$trace"

# A mistyped command must not destroy the trace.
cp "$trace" "$work/kept.trace"
ln -s kept.trace "$work/alias"
for output in "mix --output" "bbv --bb-out-file" "bbv --pc-out-file"; do
	read -r analyzer option <<<"$output"
	check_status "${analyzer}_${option#--}_is_the_trace" 1 env -C "$work" "$BIN/trace-$analyzer" \
		"$option=alias" kept.trace
	check_match "says_so_${option#--}" ': alias: is the trace itself; name another file$' "$work/err"
done
# An analysis that fails at work leaves no new file, and an old file unchanged.
fails() { check_status "fails_to_$1" 3 "$BIN/trace-ibs" -q --source=hardware -o "$work/$1" "$trace"; }
fails new
check_equal no_file '' "$(find "$work" -name 'new*')"
echo kept >"$work/old"
fails old
check_equal as_it_was kept "$(cat "$work/old")"
"$BIN/trace-mix" -q -o "$work/new" "$trace"
"$BIN/trace-mix" -q -o "$work/old" "$trace"
check_equal same_in_both "$("$BIN/trace-mix" -q "$trace" | md5sum) -" "$(md5sum <"$work/new") $(cmp "$work/new" "$work/old" && echo -)"
check_status no_such_folder 1 "$BIN/trace-mix" -q -o "$work/none/new" "$trace"
check_match no_such_folder.says 'none/new: No such file' "$work/err"
check_status full 1 "$BIN/trace-mix" -q -o /dev/full "$trace"
check_status standard_input_is_the_output 1 "$BIN/trace-mix" -o "$work/alias" - <"$work/kept.trace"
check the_trace_is_kept cmp "$trace" "$work/kept.trace"

# Damage to any byte of a trace (some bytes, or all) gives a result or a message, never a crash, and never other
# numbers without a message.
cat >"$work/flip.py" <<'END'
import pathlib, subprocess, sys
trace, damaged, stride = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
whole = trace.read_bytes()
sound = subprocess.run(sys.argv[4:] + [trace], capture_output=True).stdout.replace(b"loop.", b"flip.")
faults = 0
for at in range(0, len(whole), stride):
    data = bytearray(whole)
    data[at] ^= 1 << at % 8
    damaged.write_bytes(data)
    run = subprocess.run(sys.argv[4:] + [damaged], capture_output=True)
    if run.returncode not in (0, 1, 3) or run.returncode and not run.stderr or \
       run.returncode == 0 and run.stdout != sound and not run.stderr:
        faults += 1
        print("byte", at, "status", run.returncode, run.stdout, run.stderr)
print(len(whole) // stride, "bytes,", faults, "faults")
sys.exit(faults > 0)
END
# damaged COMMAND OPTION...
damaged() {
	check "damaged_${1##*/}" /usr/bin/python3 "$work/flip.py" "$trace" "$work/flip.trace" "$(quick_or_full 23 1)" "$@"
}
damaged "$BIN/trace-mix" --format=csv
damaged "$BIN/trace-mix" --by=symbol --format=csv
damaged "$BIN/trace-slo" --min-distance=0 --format=csv
damaged "$examples/memsize" --format=csv
damaged "$BIN/trace-bbv" --bb-out-file="$work/f.bb" --pc-out-file="$work/f.pc"
