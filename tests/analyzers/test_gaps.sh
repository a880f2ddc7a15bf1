#!/bin/bash
# SPDX-License-Identifier: MIT
# Results of analyzers for windows are those for the same parts of the whole recording: no state
# of one window carries over to the next, and the instructions in between do not count.
. "$(dirname "$0")/../e2e/e2e.sh"
length=1000

# vectors TRACE: "pc count" of each block in each window.
vectors() {
	"$BIN/trace-bbv" -q --compat=exact --interval-size=$length --bb-out-file=bb --pc-out-file=pc \
		"$1" >summary 2>&1 || cat summary
	awk -F: 'FILENAME == "pc" { pc[$2] = $3; next }
		{ n = split($0, field, /[T ]*:/)
		  for (i = 2; i < n; i += 2) print pc[field[i]], field[i + 1] + 0 }' pc bb
}

# mix TRACE...: the counts of all traces together, by symbol.
mix() {
	for trace; do
		"$BIN/trace-mix" -q --by=symbol --top=100000 --format=csv "$trace" |
			tail -n +2
	done | awk -F, '{ name = $9 "," $10
		for (i = 1; i <= 8; i++) if (i != 2) sum[name, i] += $i
		names[name] }
		END { for (name in names) print name, sum[name, 1], sum[name, 3], sum[name, 4],
			sum[name, 5], sum[name, 6], sum[name, 7], sum[name, 8] }' | sort
}

record whole.trace -- "$PROGRAMS/functions" >/dev/null
total=$(info whole.trace instructions)
period=$((total / 4))
record windows.trace --every=$period --for=$length --count=$((4 * length)) -- \
	"$PROGRAMS/functions" >/dev/null
check_equal instructions $((4 * length)) "$(info windows.trace instructions)"
for at in 0 1 2 3; do
	check cut.$at "$BIN/trace-cut" -q --from=$((at * period)) --count=$length \
		-o part.$at.trace whole.trace
	check_equal cut.$at.instructions $length "$(info part.$at.trace instructions)"
done
for at in 0 1 2 3; do vectors part.$at.trace; done | sort >expected
vectors windows.trace | sort >found
check vectors.many [ "$(wc -l <expected)" -gt 100 ]
check vectors cmp expected found
mix part.?.trace >expected
mix windows.trace >found
check mix.many [ "$(wc -l <expected)" -gt 10 ]
check mix cmp expected found
