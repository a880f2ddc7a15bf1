#!/bin/bash
# SPDX-License-Identifier: MIT
# Small assembly programs: each instruction's executions, operands and events are those that the
# comment beside it in tests/programs/*.S names (expectations.py).
. "$(dirname "$0")/e2e.sh"

program() {
	local name=$1 status=$2
	record $name.trace -- "$PROGRAMS/$name"
	check_equal $name.status "$status" $?
	check $name.verify "$BIN/trace-verify" -q $name.trace
	"$BIN/trace-dump" --format=csv $name.trace >$name.csv
	check $name.expected "$tests/e2e/expectations.py" "$PROGRAMS/$name" \
		"$tests/programs/$name.S" $name.csv
}

program strings 0
program operands 0
program branches 7
program fault 0
program selfmod 0
if grep -qw avx2 /proc/cpuinfo; then
	program vectors 0
else
	echo "# vectors: this processor has no AVX2"
fi
if grep -qw avx512vl /proc/cpuinfo; then
	program vectors512 0
else
	echo "# vectors512: this processor has no AVX-512"
fi
if grep -qw amx_tile /proc/cpuinfo && "$PROGRAMS/tiles"; then
	record tiles.trace -- "$PROGRAMS/tiles"
	check tiles.verify "$BIN/trace-verify" -q tiles.trace
	check_equal tiles.totals "$((1 + 512 * 2 * 16)) $((1 + 512 * 5 * 2)) 0" \
		"$(info tiles.trace loads) $(info tiles.trace stores) $(info tiles.trace opaque)"
else
	echo "# tiles: this processor has no AMX"
fi

# The comparison notices each kind of difference.
sed 's/\[store 1 x5 /[store 1 x4 /' strings.csv >count.csv
sed 's/\[load 4 @/[load 8 @/' strings.csv >size.csv
grep -v ',4,0,0x' strings.csv >missing.csv
sed 's/name=exit_group/name=exit/' strings.csv >event.csv
for difference in count size missing event; do
	check $difference.differs test "$(cmp -s strings.csv $difference.csv; echo $?)" = 1
	check_status notices_a_wrong_$difference 1 "$tests/e2e/expectations.py" \
		"$PROGRAMS/strings" "$tests/programs/strings.S" $difference.csv
done

# Instructions that changed are listed as they were when they ran.
check_equal selfmod.bytes "b801000000 b802000000 b803000000" \
	"$(grep -o ',b80[1-3]000000,' selfmod.csv | tr -d , | xargs)"
