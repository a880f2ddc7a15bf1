#!/bin/bash
# SPDX-License-Identifier: MIT
# Both backends record the same of programs that do the same in each run: instruction by
# instruction, address by address, event by event (compare.c). Stepping is slow: small programs as
# a whole, of large ones a window. Without the translate backend, step is compared with itself.
. "$(dirname "$0")/backends.sh"

# The comparison notices each kind of difference, and what is in both.
differs="$PROGRAMS/differs"
record step differs.0 0 -- "$differs" 0
for digit in 1 2 3 4 5 6 7 8 9; do
	record step differs.$digit $((digit == 9)) -- "$differs" $digit
	check_status notices.$digit 1 "$COMPARE" differs.0.trace differs.$digit.trace
done
check_match notices.where 'thread 0 differs at instruction [0-9]+$' out
check_status notices.nothing_before 0 "$COMPARE" --count=20 differs.0.trace differs.9.trace
check_match notices.summary '^20 instructions, [0-9]+ accesses, [0-9]+ events identical$' out
record step differs.cut 0 --count=30 -- "$differs" 0
check_status notices.cut 1 "$COMPARE" differs.0.trace differs.cut.trace
check_status refuses.text 2 "$COMPARE" differs.0.trace "$0"
check_status refuses.one 2 "$COMPARE" differs.0.trace

# Assembly: every form of instruction, operand and transfer.
for program in strings operands branches blocks transfers; do
	same $program -- "$PROGRAMS/$program"
done
if grep -qw avx2 /proc/cpuinfo; then
	same vectors -- "$PROGRAMS/vectors"
fi
if grep -qw avx512vl /proc/cpuinfo; then
	same vectors512 -- "$PROGRAMS/vectors512"
fi
