#!/bin/bash
# SPDX-License-Identifier: MIT
# A script fails if bash ends one of its loops, functions or checks early, even if all checks that it prints are good;
# and if a result does not begin a line, as the result would not be counted.
. "$(dirname "$0")/../lib.sh"
root=$PWD
mkdir -p "$work/tests" "$work/build/bin"
empty=$work/empty
touch "$empty"

# run NAME LINE...: runs a script of these lines. Its log is in $work/build/logs.
run() {
	local script=$work/tests/$1.sh
	printf '%s\n' '#!/bin/bash' ". '$root/tests/lib.sh'" "empty='$empty'" 'check first true' "${@:2}" 'check last true' >"$script"
	chmod 755 "$script"
	"$root/tests/run.sh" "$work/build" "$script"
}

check_status good 0 run good 'for i in 1 2; do check "good.$i" test $((i + 1)) -gt 1; done'
check_match good.count '^4 passed, 0 failed$' "$work/out"

check_status loop 1 run loop 'for i in 1 2; do check_equal "sum.$i" 1 $((1 + $(cat "$empty"))); done'
check_match loop.count '^2 passed, 1 failed$' "$work/out"
check_match loop.place 'tests/loop.sh: line 5: .*error token is' "$work/out"

check_status branch 1 run branch '[ "$(cat "$empty")" -lt 5 ] && check small false'
check_match branch.count '^2 passed, 1 failed$' "$work/out"

check_status name 1 run name 'for i in 1 2; do chekc "$i" false; done'
check_match name.count '^2 passed, 2 failed$' "$work/out"

# The message is in the output that a check hides.
check_status hidden 1 run hidden 'sum() { echo $((1 + $(cat "$empty"))); }' 'check sum sum'
check_match hidden.says '^ +not ok sum: ended by an error of bash$' "$work/out"
check_match hidden.count '^2 passed, 1 failed$' "$work/out"
check_status hidden.last 1 run hidden_last 'sum() { echo $((1 + $(cat "$empty"))); exit; }' 'check_status sum 0 sum' exit
check_match hidden.last.count '^1 passed, 1 failed$' "$work/out"

check_status behind 1 run behind 'printf "\0\377"' 'check good true' 'printf output' 'check bad false'
check_match behind.bad '^ +outputnot ok bad' "$work/out"
check_match behind.count '^2 passed, 2 failed$' "$work/out"
