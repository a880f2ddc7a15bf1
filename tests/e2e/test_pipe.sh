#!/bin/bash
# SPDX-License-Identifier: MIT
# Traces through pipes, and commands at the ends of pipes.
. "$(dirname "$0")/e2e.sh"

"$BIN/trace-record" -q -o - -- "$PROGRAMS/dies" exit 3 2>program.out >piped.trace
check_equal out.status 3 $?
check_equal out.program "so far" "$(cat program.out)"
check_whole out piped.trace

"$BIN/trace-record" -q -o - -- "$PROGRAMS/branches" | "$BIN/trace-info" --format=json - >info
check_equal pipe.status "7 0" "${PIPESTATUS[*]}"
check_match pipe.instructions '"instructions": 713\b' info
check_match pipe.complete '"complete": true' info
for command in "trace-verify -" "trace-dump -" "trace-mix -" "trace-repair -o - -"; do
	"$BIN/trace-record" -q -o - -- "$PROGRAMS/branches" | "$BIN"/$command >out 2>err
	check_equal "${command%% *}.status" "7 0" "${PIPESTATUS[*]}"
	check "${command%% *}.output" test -s out
done
check repaired.verify "$BIN/trace-verify" -q out

# The reader has gone: the program runs to its end, and the recording fails.
"$BIN/trace-record" -q -o - -- sh -c 'echo ran >ran' 2>err | head -c 100 >/dev/null
check_equal reader_gone.status 125 "${PIPESTATUS[0]}"
check_equal reader_gone.ran ran "$(cat ran)"
check_match reader_gone.says '^trace-record: error: .*[Pp]ipe' err

# trace-record refuses to write a trace to a terminal.
if command -v script >/dev/null; then
	script -qec '"$BIN/trace-record" -o - -- true' /dev/null >out 2>&1 </dev/null
	check_equal terminal.status 125 $?
	check_match terminal.says 'terminal' out
fi

# Listings whose reader goes away end without a message.
record true.trace -- true
for command in "trace-dump" "trace-dump --format=jsonl" "trace-dump --format=csv"; do
	"$BIN"/$command true.trace 2>err | head -n 5 >out
	status=${PIPESTATUS[0]}
	check_equal "${command// /_}.head" 5 "$(wc -l <out)"
	check_equal "${command// /_}.says_nothing" "" "$(cat err)"
	check "${command// /_}.status" test $status -eq 0 -o $status -eq 141
done
"$BIN/trace-info" true.trace >/dev/full 2>err
check_equal full.status 1 $?
check_match full.says '^trace-info: error: ' err
"$BIN/trace-dump" true.trace >/dev/full 2>err
check_equal full.dump.status 1 $?
