#!/bin/bash
# SPDX-License-Identifier: MIT
# A program gives the same trace in each run, but for times, process numbers and random identities.
. "$(dirname "$0")/e2e.sh"

# Values that differ between any two runs: times; pids and tids, also as arguments and results;
# and the bytes of getrandom, which close and access have in registers that are no arguments.
# Threads are compared one by one, as their order depends on how long system calls take. So does the place
# of a parent's SIGCHLD, and hence which block the signal cuts in two.
repeatable() {
	for thread in $(seq 0 $(($(info "$1" threads) - 1))); do
		listing "$1" --thread="$thread"
	done | grep -v '"name":"SIGCHLD"' | sed -E '/"type":"event"/!b
		s/"(time_ns|tid|pid)":[0-9]+//g
		/"name":"(getpid|gettid|set_tid_address|clone|clone3|fork|vfork|wait4)"/s/"result":[0-9]+//
		/"name":"(kill|tgkill|wait4|close|access)"/s/"args":\[[^]]*\]//'
}

# once: checks further totals that are the same in both traces.
once='blocks paths events'
twice() {
	local name=$1 status
	shift
	record $name.1.trace "$@" >out.1 2>&1 </dev/null
	status=$?
	record $name.2.trace "$@" >out.2 2>&1 </dev/null
	check_equal $name.status $status $?
	repeatable $name.1.trace >listing.1
	repeatable $name.2.trace >listing.2
	check $name.listing cmp listing.1 listing.2
	check $name.long_enough [ "$(wc -l <listing.1)" -gt 1000 ]
	for key in loads stores $once; do
		check_equal $name.$key "$(info $name.1.trace $key)" "$(info $name.2.trace $key)"
	done
	check_equal $name.other_uuid 2 "$(for i in 1 2; do info $name.$i.trace uuid; done |
		sort -u | wc -l)"
}

mkdir folder
touch folder/{a,b,c}
twice true -- true
twice ls -- ls folder
twice allocates -- "$PROGRAMS/allocates"
twice control_flow --no-addresses -- true
once= twice forks --follow -- "$PROGRAMS/forks" 2

# not_repeatable in the trace names the differences.
check_match says.alone '^pids, ' <(info true.1.trace not_repeatable)
check_match says.threads '^the order of threads, pids, ' <(info forks.1.trace not_repeatable)

# --aslr leaves addresses random; the executed instructions are mostly the same.
record random.1.trace --aslr -- true
record random.2.trace --aslr -- true
check_equal aslr 2 "$(for i in 1 2; do listing random.$i.trace --no-events --count=1; done |
	sort -u | wc -l)"
