#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-export --to=drmemtrace: the files keep the rules that DynamoRIO's readers check, and have the instructions,
# accesses, system calls and signals of the trace, in one part and in chunks of 1000 instructions.
. "$(dirname "$0")/../lib.sh"
tests=$(realpath "$(dirname "$0")/..")
folder=$(realpath tests/golden)
export=$BIN/trace-export
cd "$work" || exit

# same NAME TRACE FOLDER [OPTION...]: the folder has what the trace has.
same() {
	check "$1.same" "$tests/cli/exported_drmemtrace.py" "$BIN/trace-dump" "$2" "$3" --chunk=1000 "${@:4}"
}

for file in "$folder"/v1.1/*.trace "$folder"/v1.[46]/{by-hand,threads}.trace; do
	[ -e "$file" ] || continue
	name=$(basename "${file%/*}").$(basename "$file" .trace)
	check "$name" "$export" -q --to=drmemtrace --chunk=1000 -o "$name" "$file"
	same "$name" "$file" "$name"
done
file=$folder/v1.1/threads.trace
check plain "$export" -q --to=drmemtrace --no-compression -o plain "$file"
same plain "$file" plain
check_equal plain.threads 3 "$(ls plain/drmemtrace.*.trace | wc -l)"

# ---- programs: nested signals, rep instructions, changed code, vfork and exec, threads ----
record() {
	"${recorder[@]}" -q -o "$1.trace" "${@:2}" >log 2>&1
	check "$1" "$export" -q --to=drmemtrace --chunk=1000 -o "$1" "$1.trace"
	same "$1" "$1.trace" "$1"
}
record handlers --from=main -- "$PROGRAMS/handlers"
record rewrites --from=main -- "$PROGRAMS/rewrites"
record reps -- "$PROGRAMS/reps"
record processes --from=main -- "$PROGRAMS/processes"

# ---- arguments and results of system calls: failed ones, too; trace-import reads them ----
values() {
	"$BIN/trace-dump" --events --format=jsonl "$1" |
		/usr/bin/python3 -c 'import json, sys
for row in map(json.loads, sys.stdin):
    if row["event"].startswith("syscall"): print(row["thread"], row["event"], row["number"], row.get("args"), row.get("result"))'
}
check args "$export" -q --to=drmemtrace --chunk=1000 --syscall-args --blocking-syscalls -o args handlers.trace
same args handlers.trace args --syscall-args --blocking-syscalls
check args.failed test -n "$("$tests/cli/exported_drmemtrace.py" --dump x x args | grep '^(28, 30, ')"
check args.imported "$BIN/trace-import" -q --from=drmemtrace -o imported.trace args
check_equal args.again "$(values handlers.trace)" "$(values imported.trace)"

# ---- the walk-through ends well, with one file for each tool ----
root=$(realpath "$tests/..")
check walk_through sh "$root/examples/champsim.sh" "$BIN" "$PROGRAMS/phases" A1 200000

# ---- the same bytes; a note that no reader takes for a thread ----
check again "$export" -q --to=drmemtrace --chunk=1000 -o again reps.trace
check_equal again.equal 0 "$(diff -r reps again >log 2>&1; echo $?)"
check_equal note reps.json "$(ls -d reps*.json)"
check_match note.to '"to": "drmemtrace"' reps.json
check_status exists 1 "$export" -q --to=drmemtrace -o reps reps.trace
check_match exists.says 'use --force' "$work/err"
touch reps/drmemtrace.other.1.0000.trace reps/mine
check force "$export" -q --force --to=drmemtrace --thread=0 -o reps/ reps.trace
check_equal force.files 2 "$(ls reps | wc -l)"
check_status beyond 3 "$export" -q --to=drmemtrace --from=1G -o beyond reps.trace
check_equal beyond.none 0 "$(ls -d beyond* | grep -vc 'beyond$')"

# ---- a file that the description of the format gives: add, syscall; what is read is written again ----
mkdir smallest
/usr/bin/python3 -c 'import sys; sys.stdout.buffer.write(bytes.fromhex(sys.stdin.read()))' >smallest/drmemtrace.app.4660.0000.trace <<-'END'
	190000000700000000000000 1c000c000700000000000000 1c0009004006000000000000 160004003412000000000000
	180004003412000000000000 1c000a004000000000000000 1c0014000000000000000000 1c0012000010000000000000
	1c00020074ae8f321b732f00 1c000300ffffffffffffffff 2f0004004883c30400000000 0a0004000010400000000000
	2f0002000f05000000000000 0a0002000410400000000000 1c00020075ae8f321b732f00 1c000300ffffffffffffffff
	1c0019003c00000000000000 170004003412000000000000 1a0000000000000000000000
END
check smallest.imported "$BIN/trace-import" -q --from=drmemtrace -o smallest.trace smallest
check smallest "$export" -q --to=drmemtrace --no-compression -o written smallest.trace
check smallest.equal cmp smallest/*.trace written/*.trace

# ---- versions, and a trace without addresses ----
version() {
	check "version.$1" "$export" -q --force --to=drmemtrace --no-compression --drmemtrace-version="$1" -o v "$file"
	check_equal "version.$1.head" "190000000${1}000000000000001c000c000${1}00000000000000" \
		"$(for f in v/*.trace; do od -An -v -tx1 -w24 -N24 "$f"; done | tr -d ' ' | sort -u | xargs)"
	same "version.$1" "$file" v
}
version 5
version 6
check_status version.4 2 "$export" -q --to=drmemtrace --drmemtrace-version=4 -o v4 "$file"
check_status chunk 2 "$export" -q --to=drmemtrace --chunk=999 -o c "$file"
"${recorder[@]}" -q --no-addresses -o bare.trace -- "$PROGRAMS/reps" >log 2>&1
check bare "$export" -q --to=drmemtrace --no-compression -o bare bare.trace
same bare bare.trace bare
check_equal bare.type 1c0009004406000000000000 "$(od -An -v -tx1 -j24 -N12 bare/*.trace | tr -d ' ')"

# ---- synthetic instructions instead of code, also from a trace that withholds its code; import refuses them ----
synthetic() {
	check "$1" "$export" -q --to=drmemtrace --regdeps --chunk=1000 -o "$1" "$2"
	check "$1.same" test "$("$tests/cli/exported_drmemtrace.py" "$BIN/trace-dump" "$2" "$1" --chunk=1000 --regdeps)" -ge "$3"
}
encodings() {
	"$tests/cli/exported_drmemtrace.py" --dump x x "$1" | grep '^(47, '
}
file=$folder/v1.1/true.trace
synthetic regdeps "$file" 9
synthetic regdeps.handlers handlers.trace 7
check facts.made "$BIN/trace-anonymise" -q --names=keep --events=keep --addresses=keep --times=keep --code=facts -o facts.trace "$file"
check_status facts.code 3 "$export" -q --to=drmemtrace -o facts facts.trace
check_match facts.code.says 'withholds its code bytes, which drmemtrace needs; use --regdeps' "$work/err"
check facts "$export" -q --to=drmemtrace --regdeps --chunk=1000 -o facts facts.trace
check_equal facts.same "$(encodings regdeps | cksum)" "$(encodings facts | cksum)"
check_status regdeps.import 1 "$BIN/trace-import" -q --from=drmemtrace -o refused.trace regdeps
check_match regdeps.import.says 'synthetic instructions' "$work/err"

# ---- calls of functions, system calls that may block, synthetic physical addresses ----
"${recorder[@]}" -q --from=main -o calls.trace -- "$PROGRAMS/allocates" >log 2>&1
check calls "$export" -q --to=drmemtrace --functions --blocking-syscalls --synthetic-v2p=7 --chunk=1000 -o calls calls.trace
same calls calls.trace calls --functions --blocking-syscalls --synthetic-v2p
functions() {
	"$BIN/trace-dump" --events --format=jsonl "$1" | grep -E '"event":"(call|return)"' | sed 's/"function":[0-9]*,//; s/"name":"[^"]*!/"name":"/'
}
check calls.imported "$BIN/trace-import" -q --from=drmemtrace -o calls.imported.trace calls
check_equal calls.again "$(functions calls.trace)" "$(functions calls.imported.trace)"
check v2p.again "$export" -q --to=drmemtrace --synthetic-v2p=7 -o v2p calls.trace
check v2p.same cmp calls/v2p.textproto v2p/v2p.textproto
check v2p.force "$export" -q --force --to=drmemtrace --synthetic-v2p=8 -o v2p calls.trace
check_status v2p.seed 1 cmp -s calls/v2p.textproto v2p/v2p.textproto
check v2p.none "$export" -q --force --to=drmemtrace -o v2p calls.trace
check_status v2p.gone 1 test -e v2p/v2p.textproto
