#!/bin/bash
# SPDX-License-Identifier: MIT
# A recorder that is killed, and traces that are read while they grow.
. "$(dirname "$0")/e2e.sh"

# grown TRACE N: the trace has at least N instructions to read.
grown() { [ "$(info "$1" instructions 2>/dev/null || echo 0)" -ge "$2" ]; }

# ---- killed while the program works, by the backend whose traces are short enough to list ----
"$BIN/trace-record" -q --backend=step --chunk=10k -o killed.trace -- "$PROGRAMS/waits" - >killed.pid &
recorder=$!
check killed.grows eventually grown killed.trace 150000
kill -KILL $recorder
wait $recorder 2>/dev/null
check killed.tracee_is_gone eventually gone "$(cat killed.pid)"
check killed.info "$BIN/trace-info" killed.trace
check_equal killed.complete false "$(info killed.trace complete)"
check_equal killed.reason null "$(info killed.trace stop_reason)"
check_equal killed.lost "0" "$(info killed.trace sections_lost)"
instructions=$(info killed.trace instructions)
check killed.instructions [ "$instructions" -ge 150000 ]
listing killed.trace --no-events >listing 2>err
check_equal killed.listed "$instructions" "$(wc -l <listing)"
check_status killed.verify 1 "$BIN/trace-verify" killed.trace
check_match killed.verify.state 'not closed' out

check killed.repair "$BIN/trace-repair" -o repaired.trace killed.trace
check_whole repaired repaired.trace
check_equal repaired.complete true "$(info repaired.trace complete)"
listing repaired.trace --no-events >listing.2
check repaired.same cmp listing listing.2

# a trace cut anywhere in its last section is still read up to that section
size=$(stat -c %s killed.trace)
for less in 1 100 2000; do
	head -c $((size - less)) killed.trace >cut.trace
	check cut_$less "$BIN/trace-info" cut.trace
	check_equal cut_$less.prefix 0 "$(listing cut.trace --no-events 2>/dev/null | cmp - listing 2>&1 |
		grep -vc 'EOF on -')"
done

# a trace cut in its first chunk has no instructions: commands fail
/usr/bin/python3 -c '
import sys
sync, chunk = b"\xf3TRCSEC\n", (16).to_bytes(2, "little")
data = open("killed.trace", "rb").read()
sys.stdout.buffer.write(data[:data.index(sync + chunk) + 100])' >nothing.trace
for command in mix stackdist slo ibs "bbv --bb-out-file=nothing.bb" dump; do
	check_status "nothing.${command%% *}" 1 "$BIN"/trace-$command nothing.trace
done
check_status nothing.verify 1 "$BIN/trace-verify" nothing.trace
# a trace that ends where its recorder was killed gives the results of that part
for command in mix stackdist slo ibs "bbv --keep-last --bb-out-file=killed.bb" "dump --count=1"; do
	check_status "killed.${command%% *}" 0 "$BIN"/trace-$command killed.trace
done

# ---- killed at full speed ----
"$BIN/trace-record" -q --chunk=100k -o fast.trace -- "$PROGRAMS/waits" - >fast.pid &
recorder=$!
check fast.grows eventually grown fast.trace 1000000
kill -KILL $recorder
wait $recorder 2>/dev/null
check fast.tracee_is_gone eventually gone "$(cat fast.pid)"
check_equal fast.lost "0" "$(info fast.trace sections_lost)"
instructions=$(info fast.trace instructions)
check_status fast.verify 1 "$BIN/trace-verify" fast.trace
check_match fast.verify.state 'not closed' out
check fast.repair "$BIN/trace-repair" -o mended.trace fast.trace
check mended.verify "$BIN/trace-verify" -q mended.trace
check_equal mended.instructions "$instructions" "$(info mended.trace instructions)"

# ---- read while the program is idle ----
"$BIN/trace-record" -q --flush=1 -o idle.trace -- "$PROGRAMS/waits" >idle.pid &
recorder=$!
check idle.begins eventually [ -s idle.pid ]
check idle.readable eventually grown idle.trace 20000
check idle.info "$BIN/trace-info" idle.trace
check_equal idle.complete false "$(info idle.trace complete)"
# The last event so far is a system call in which the program waits.
waits() { events idle.trace syscall 2>/dev/null | tail -n 1 | grep -q '"name":"pause"'; }
check idle.waits eventually waits
listing idle.trace >before 2>/dev/null
kill -TERM $recorder
wait $recorder
check_equal idle.status 143 $?
check_whole idle idle.trace
check idle.more test "$(listing idle.trace | wc -l)" -gt "$(wc -l <before)"
check_equal idle.prefix 0 "$(listing idle.trace | cmp - before 2>&1 | grep -vc 'EOF on before')"

# ---- the program is killed, not the recorder ----
"$BIN/trace-record" -q -o victim.trace -- "$PROGRAMS/waits" - >victim.pid &
recorder=$!
check victim.begins eventually [ -s victim.pid ]
kill -KILL "$(cat victim.pid)"
wait $recorder
check_equal victim.status 137 $?
check_whole victim victim.trace
check_equal victim.signal 9 "$(info victim.trace exit_signal)"
