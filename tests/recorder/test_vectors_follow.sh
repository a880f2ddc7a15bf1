#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-record --vectors --follow: the vectors of each process have the instructions that a recording has of it.
. "$(dirname "$0")/../e2e/e2e.sh"

# by_process TRACE: the instructions of each process of a recording, ascending.
by_process() {
	"$BIN/trace-info" --threads --format=json "$1" | /usr/bin/python3 -S -E -c '
import json, sys
n = {}
for thread in json.load(sys.stdin)["thread_list"]:
    n[thread["process"]] = n.get(thread["process"], 0) + int(thread["instructions"])
print(*sorted(n.values()))'
}

# of_vectors TRACE: those of vectors. trace-bbv writes a file for each process, and reports its instructions.
of_vectors() {
	rm -f bb.out.*
	"$BIN/trace-bbv" "$1" 2>&1 | sed -n 's/^==\([0-9]*\)==.*Total instructions: \([0-9]*\)$/\1 \2/p' |
		awk '{ n[$1] += $2 } END { for (pid in n) print n[pid] }' | sort -n | xargs
}

# the counts of a parent must not become those of its children
record forks.whole.trace --follow -- "$PROGRAMS/forks"
for boundary in early exact; do
	name=forks.$boundary
	record $name.trace --follow --vectors --boundary=$boundary --interval=10k -- "$PROGRAMS/forks"
	check $name.verify "$BIN/trace-verify" -q $name.trace
	check_equal $name.instructions "$(by_process forks.whole.trace)" "$(of_vectors $name.trace)"
	check $name.simpoint "$BIN/trace-simpoint" -q --max-k=2 -o points $name.trace
done
check_equal forks.processes 4 "$(info forks.early.trace processes)"

# fork, vfork and exec, posix_spawn, exec by another thread. Some instructions depend on time: in the first process, the
# 175 between the begin of that thread and the wait for it, of which the exec cuts off the last ones on a busy computer.
check_status processes 6 "$BIN/trace-record" -q --follow --vectors --interval=20k -o processes.trace -- "$PROGRAMS/processes"
check processes.verify "$BIN/trace-verify" -q processes.trace
check_status processes.whole 6 "$BIN/trace-record" -q --follow -o whole.trace -- "$PROGRAMS/processes"
check processes.instructions awk -v a="$(by_process whole.trace)" -v b="$(of_vectors processes.trace)" '
	BEGIN {
		n = split(a, x)
		if (n < 5 || split(b, y) != n)
			exit 1
		for (i = 1; i <= n; i++) {
			most = x[i] < 10000 ? 50 : 250
			if (x[i] - y[i] > most || y[i] - x[i] > most)
				exit 1
		}
	}'
check_equal processes.files "$(info whole.trace processes)" "$(ls bb.out.* | cut -d. -f3 | cut -d- -f1 | sort -u | wc -l)"

check_status usage.loop 2 "$BIN/trace-record" --vectors --boundary=loop --follow true
