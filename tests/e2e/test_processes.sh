#!/bin/bash
# SPDX-License-Identifier: MIT
# Threads, and processes with and without --follow.
. "$(dirname "$0")/e2e.sh"

# counted NAME TRACE THREADS PROCESSES
counted() {
	check_whole "$1" "$2"
	check_equal "$1.threads_processes" "$3 $4" "$(info "$2" threads) $(info "$2" processes)"
	check_equal "$1.all_end" "$3 $4" "$(events "$2" thread-exit | wc -l) $(events "$2" \
		process-exit | wc -l)"
}

check_same workers workers.trace -- "$PROGRAMS/workers" 5 200
counted workers workers.trace 6 1
check_equal workers.order approximate "$(info workers.trace thread_order)"
# Each of the five threads makes 200 turns: more than 400 instructions in each thread.
check_equal workers.shares 6 "$("$BIN/trace-info" --threads --format=json workers.trace |
	/usr/bin/python3 -c 'import json, sys
print(sum(t["instructions"] > 400 for t in json.load(sys.stdin)["thread_list"]))')"
# A thread's stream read by itself is the same as in the merged order.
listing workers.trace --thread=2 >alone
listing workers.trace | grep '"thread":2,' >merged
check workers.one_thread cmp alone merged
check_same threads threads.trace -- "$PROGRAMS/threads"
counted threads threads.trace 5 1
check_same contend contend.trace --self-check -- "$PROGRAMS/contend" 64 2
check contend.verify "$BIN/trace-verify" -q contend.trace
check_equal contend.threads 323 "$(info contend.trace threads)"

# With one thread at a time the order is exact, and the same in each run.
order() {
	"$BIN/trace-dump" --format=csv --no-events "$1" | cut -d, -f2-4 | md5sum
}
record serial.1.trace --threads=serial -- "$PROGRAMS/threads" >out
check_equal serial.order exact "$(info serial.1.trace thread_order)"
check_match serial.repeats '^pids, ' <(info serial.1.trace not_repeatable)
for i in 2 3; do
	record serial.$i.trace --threads=serial -- "$PROGRAMS/threads" >out
	check_equal serial.repeatable.$i "$(order serial.1.trace)" "$(order serial.$i.trace)"
done

check_same forks forks.trace -- "$PROGRAMS/forks" 3
counted forks forks.trace 1 1
check_same forks.follow forks.trace --follow -- "$PROGRAMS/forks" 3
counted forks.follow forks.trace 4 4
check_equal forks.statuses '"signal":9,"name":"SIGKILL"
"status":0
"status":1
"status":2' "$(events forks.trace process-exit |
	grep -oE '"status":[0-9]+|"signal":[0-9]+,"name":"[A-Z]+"' | sort)"
check_equal forks.parents "- 0 0 0" "$("$BIN/trace-info" --threads --format=json forks.trace |
	/usr/bin/python3 -c 'import json, sys
print(*("-" if p["parent"] is None else p["parent"]
        for p in json.load(sys.stdin)["process_list"]))')"

# A child, its end and the wait for it take few stops. A child that is not followed never stops; one that is
# followed maps nothing. How often the C library's code stops until it is translated depends on the processor, so
# those stops are subtracted.
resumed() {
	"$BIN/trace-record" -q --force --stats -o many.trace "${@:2}" -- "$PROGRAMS/forks" $1 2>&1 >/dev/null |
		sed -n 's/.* \([0-9,]*\) times resumed.*/\1/p' | tr -d ,
}
# for_each [OPTION]: how often 99 further children resume the program.
for_each() {
	local few=$(resumed 1 "$@")
	echo $(($(resumed 100 "$@") - few))
}
check forks.few_stops [ "$(for_each)" -le $((99 * 5)) ]
check forks.few_stops.follow [ "$(for_each --follow)" -le $((99 * 11)) ]
counted forks.many many.trace 101 101

# Children that live at the same time, and their children: child i executes i units.
brood() {
	record brood.trace --follow "$@" -- "$PROGRAMS/brood" 6
	"$BIN/trace-info" --threads --format=json brood.trace | /usr/bin/python3 -c '
import json, sys
trace = json.load(sys.stdin)
processes = trace["process_list"]
instructions = [t["instructions"] for t in trace["thread_list"]]
children = [i for i, p in enumerate(processes) if p["parent"] == "0"]
own = [[i for i, p in enumerate(processes) if p["parent"] == str(child)][0] for child in children]
print(len(processes))
for group in children, own:
    counts = [instructions[i] for i in group]
    rounds = counts[:6], counts[6:]
    print(rounds[0] == rounds[1], len({b - a for a, b in zip(rounds[0], rounds[0][1:])}), *rounds[0])'
}
brood >brood.translate
check brood.verify "$BIN/trace-verify" -q brood.trace
check_equal brood.each "25
True 1
True 1" "$(cut -d' ' -f1,2 brood.translate)"
brood --backend=step >brood.step
check brood.same cmp brood.step brood.translate

# The executed program ends with 7 after 713 instructions.
cp "$PROGRAMS/branches" .	# a name that shells need no quotes for
check_same spawns spawns.trace -- "$PROGRAMS/spawns" ./branches
counted spawns spawns.trace 1 1
check_same spawns.follow spawns.trace --follow -- "$PROGRAMS/spawns" ./branches
check_whole spawns.follow spawns.trace
check_equal spawns.follow.runs 4 "$(events spawns.trace exec | grep -c '/branches"')"
# Each run is the same as a run by itself: the same instructions at the same addresses.
record branches.trace -- ./branches
"$BIN/trace-dump" --format=csv --no-events branches.trace | tail -n +2 | cut -d, -f4 >alone
"$BIN/trace-dump" --format=csv spawns.trace | awk -F, '
	/^event,/ && /exec path=[^ ]*\/branches / {
		if (!($3 in pcs))
			threads[++n] = $3
		pcs[$3] = ""
	}
	/^insn,/ && $3 in pcs { pcs[$3] = pcs[$3] $4 "\n" }
	END { for (i = 1; i <= n; i++) printf "%s", pcs[threads[i]] }' >followed
check spawns.follow.as_alone cmp followed <(cat alone alone alone alone)

check_same execs execs.trace -- "$PROGRAMS/execs" 2 7
check_whole execs execs.trace
check_equal execs.process "1 3 7" "$(info execs.trace processes) $(events execs.trace exec |
	grep -c '/execs"') $(info execs.trace exit_status)"

check_same stops stops.trace -- "$PROGRAMS/stops"
check_same stops.follow stops.trace --follow -- "$PROGRAMS/stops"
counted stops.follow stops.trace 3 3
check_same stops.serial stops.trace --follow --threads=serial -- "$PROGRAMS/stops"
