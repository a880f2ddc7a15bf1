#!/bin/bash
# SPDX-License-Identifier: MIT
# Real programs: recorded, they behave as natively; the trace is complete, and its totals are consistent.
. "$(dirname "$0")/e2e.sh"

# The trace is complete, with one thread, one process, and at least so many instructions, loads and stores.
check_plausible() {
	local name=$1 trace=$2 least=$3 instructions loads stores
	instructions=$(info "$trace" instructions)
	loads=$(info "$trace" loads)
	stores=$(info "$trace" stores)
	check "$name.instructions" [ "$instructions" -ge "$least" ]
	check "$name.loads" [ "$loads" -gt $((instructions / 10)) -a "$loads" -lt $((instructions * 2)) ]
	check "$name.stores" [ "$stores" -gt $((instructions / 50)) -a "$stores" -lt "$instructions" ]
	check_equal "$name.complete" "true 1 1 0 exit" "$(info "$trace" complete) $(info "$trace" \
		threads) $(info "$trace" processes) $(info "$trace" opaque) $(info "$trace" stop_reason)"
}

program() {
	local name=$1 least=$2
	shift 2
	check_same "$name" "$name.trace" -- "$@"
	check_whole "$name" "$name.trace"
	check_plausible "$name" "$name.trace" "$least"
}

mkdir folder
head -c 3000 "$tests/../LICENSE" >folder/text
printf '%s\n' pear apple fig cherry banana >folder/fruit
: >folder/empty

program true 50000 true
program false 50000 false
program ls 100000 ls folder
program sort 100000 sort folder/fruit
program gzip 100000 gzip -nc folder/fruit
check gzip.roundtrip cmp folder/fruit <(gzip -dc recorded.out)

# The first part of longer programs, which then run on natively.
beginning() {
	local name=$1
	shift
	check_same "$name" "$name.trace" --count=100k -- "$@"
	check_whole "$name" "$name.trace"
	check_equal "$name.count" "100000 count" "$(info "$name.trace" instructions) $(info \
		"$name.trace" stop_reason)"
}

input=folder/text
beginning xz xz -0c --threads=1
check xz.roundtrip cmp folder/text <(xz -dc recorded.out)
beginning bzip2 bzip2 -1c
check bzip2.roundtrip cmp folder/text <(bzip2 -dc recorded.out)
input=/dev/null
beginning sqlite3 sqlite3 -batch :memory: 'select sum(x) from (values (1), (2), (39)) t(x);'
beginning python3 /usr/bin/python3 -S -E -c 'print(sum(range(10)))'

# A compiler runs as several processes.
echo 'int main(void) { return missing; }' >wrong.c
check_same gcc gcc.trace --follow --count=150k -- gcc -fsyntax-only wrong.c
check_match gcc.stderr_is_its_own "'missing' undeclared" recorded.err
check_whole gcc gcc.trace
check_equal gcc.count 150000 "$(info gcc.trace instructions)"

check_equal command "gzip -nc folder/fruit" "$(info gzip.trace command)"
check_equal program "$(command -v gzip)" "$(info gzip.trace program)"
check_equal exit_status 1 "$(info false.trace exit_status)"
