#!/bin/bash
# SPDX-License-Identifier: MIT
# --cpu: libraries choose the code for the level that cpuid reports.
. "$(dirname "$0")/../e2e/e2e.sh"
unset GLIBC_TUNABLES # a user's choice precedes that by cpuid

seq 300 | tac >numbers
sort -S 1M numbers >sorted
# level NAME: recorded so, the program behaves as natively; its instructions are left in NAME.
level() {
	record $1.trace --cpu=$1 -- sort -S 1M numbers >$1.out
	check_equal $1.status 0 $?
	check $1.out cmp sorted $1.out
	check_equal $1.meta $1 "$("$BIN/trace-info" --meta --format=csv $1.trace | sed -n 's/^cpu,//p')"
	"$BIN/trace-dump" --no-events $1.trace >$1
}
vex='  v[a-z]+[0-9]* '
level x86-64-v2
check_equal v2.no_avx 0 "$(grep -cE "$vex|%ymm|%zmm" x86-64-v2)"
check_match v2.symbol '_sse[0-9_]+.*libc' <(grep ':$' x86-64-v2)
# both backends answer the same, so their traces are the same: by then libraries have chosen
length=$(quick_or_full 80k 100M)
code x86-64-v2.trace --count=$length >translated
record stepped.trace --backend=step --cpu=x86-64-v2 --count=$length -- sort -S 1M numbers >stepped.out
check stepped.out cmp sorted stepped.out
check stepped.insns cmp translated <(code stepped.trace)

record native.trace -- sort -S 1M numbers >native.out
check_equal native.meta native "$("$BIN/trace-info" --meta --format=csv native.trace | sed -n 's/^cpu,//p')"
# fits OPTION: the machine is of that level
fits() {
	"$BIN/trace-record" --quiet --force -o fits.trace --cpu="$1" true 2>err || ! grep -q 'lacks features of this level' err
}
if fits x86-64-v3; then
	level x86-64-v3
	check_match v3.avx "$vex" x86-64-v3
	check_equal v3.no_avx512 0 "$(grep -cE '%zmm|%k[0-7]|%[xy]mm(1[6-9]|2[0-9]|3[01])' x86-64-v3)"
fi
if fits x86-64-v4; then
	level x86-64-v4
	check_match v4.evex '%[xyz]mm(1[6-9]|2[0-9]|3[01])|%k[0-7]' x86-64-v4
fi

check_status wrong.status 2 "$BIN/trace-record" --cpu=x86-64-v5 true
check_status from.status 2 "$BIN/trace-record" --cpu=x86-64-v2 --from=main true
check_match from.says 'from its beginning' "$work/err"
check_status attached.status 2 "$BIN/trace-record" --cpu=x86-64-v2 -p $$
