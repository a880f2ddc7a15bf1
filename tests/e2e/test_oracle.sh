#!/bin/bash
# SPDX-License-Identifier: MIT
# An independent single-stepper (tests/oracle) sees the same instructions, and from its registers
# and objdump's operands follow the same addresses. Both run the program with the same arguments,
# environment and address layout; rseq is off, since stepping would abort it.
. "$(dirname "$0")/e2e.sh"

gcc -O1 -Wall -o steptrace "$tests/oracle/steptrace.c" || exit 1
for program in functions allocates handlers; do
	gcc -O1 -static -no-pie -pthread -o static_$program "$tests/programs/$program.c" || exit 1
done
clean="env -i GLIBC_TUNABLES=glibc.pthread.rseq=0"

# compare NAME PROGRAM [PROGRAM-FOR-OBJDUMP]: the first $most instructions, or all of them.
compare() {
	local name=$1 program=$2
	shift 2
	$clean "$BIN/trace-record" --quiet --force ${most:+--count=$most} -o $name.trace -- "$program" >/dev/null
	$clean ./steptrace steps "$program" >/dev/null
	head -n "${most:-1000000000}" steps >$name.steps
	listing $name.trace >$name.jsonl
	check $name "$tests/e2e/oracle.py" $name.steps $name.jsonl "$@"
}

for name in strings operands branches fault; do
	compare $name "$PROGRAMS/$name" "$PROGRAMS/$name"
done
compare selfmod "$PROGRAMS/selfmod"
if grep -qw avx2 /proc/cpuinfo; then
	compare vectors "$PROGRAMS/vectors" "$PROGRAMS/vectors"
fi
if grep -qw avx512vl /proc/cpuinfo; then
	compare vectors512 "$PROGRAMS/vectors512" "$PROGRAMS/vectors512"
fi
most=$(quick_or_full 30000 "") compare true "$(type -P true)"
compare functions "$work/static_functions" static_functions
compare allocates "$work/static_allocates" static_allocates

# The comparison notices differences.
sed '20d' branches.jsonl >missing
check_status notices_a_missing_instruction 1 "$tests/e2e/oracle.py" branches.steps missing
sed '$!d' branches.steps | cat branches.steps - >longer
check_status notices_a_missing_end 1 "$tests/e2e/oracle.py" longer branches.jsonl
sed 's/"address":"0x402/"address":"0x403/' strings.jsonl >moved
check moved.differs test "$(cmp -s moved strings.jsonl; echo $?)" = 1
check_status notices_a_wrong_address 1 "$tests/e2e/oracle.py" strings.steps moved \
	"$PROGRAMS/strings"
