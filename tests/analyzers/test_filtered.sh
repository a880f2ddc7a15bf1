#!/bin/bash
# SPDX-License-Identifier: MIT
# --filtered of analyzers: without the code that synchronizes threads, the results of two runs compare, however long
# threads wait in them.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1
export OMP_NUM_THREADS=2

# instructions TRACE OPTION...: of trace-mix.
instructions() { "$BIN/trace-mix" --format=json "$@" | sed -n 's/.*"instructions": *\([0-9]*\).*/\1/p' | head -n 1; }

for policy in active passive; do
	OMP_WAIT_POLICY=$policy check $policy "$BIN/trace-record" -q --exclude=default -o $policy.trace -- "$PROGRAMS/omp" 60
	check $policy.says grep -q '^excluded.0 *[a-z]* [0-9a-f]*-[0-9a-f]* /' <("$BIN/trace-info" --meta $policy.trace)
	check_equal $policy.modules 0 "$("$BIN/trace-mix" --filtered --by=module --format=csv $policy.trace | grep -c libgomp)"
	check $policy.fewer [ "$(instructions --filtered $policy.trace)" -lt "$(instructions $policy.trace)" ]
done
active=$(instructions --filtered active.trace)
passive=$(instructions --filtered passive.trace)
difference=$((active - passive))
check same_length [ $((${difference#-} * 1000)) -lt "$passive" ]
check_equal by_thread "$active" "$("$BIN/trace-mix" --filtered --threads=each --format=csv active.trace |
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "instructions") at = i } NR > 1 { sum += $at } END { print sum }')"
check_equal jobs "$active" "$(instructions --filtered --jobs=2 active.trace)"
check cut "$BIN/trace-cut" -q --from=0 -o part.trace active.trace
check_equal cut.keeps "$active" "$(instructions --filtered part.trace)"
check none "$BIN/trace-record" -q -o none.trace -- true
check_status unknown 3 "$BIN/trace-mix" --filtered none.trace
check unknown.says grep -q 'does not say which code synchronizes threads; record it with trace-record --exclude' err
