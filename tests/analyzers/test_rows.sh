#!/bin/bash
# SPDX-License-Identifier: MIT
# Rows of threads and processes are the same whether streams are replayed one after the other or at the same time.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1
"${recorder[@]}" -q -o threads.trace --threads=serial -- "$PROGRAMS/workers" >/dev/null
"${recorder[@]}" -q -o processes.trace --follow -- "$PROGRAMS/forks" 4 >/dev/null

rows() { "$BIN/trace-$1" -q --format=csv --jobs="$2" "${@:3}"; }
number_of_rows() { rows "$@" | grep -c '^[0-9]'; }

check_equal threads "$(info threads.trace threads)" "$(number_of_rows reg 1 --threads=each threads.trace)"
check_equal processes 5 "$(number_of_rows reg 1 --threads=processes processes.trace)"
for tool in mix stackdist ilp itypes ppm reg stride footprint 'cache --levels=4Ki/4,64Ki/8'; do
	for options in '--threads=each threads.trace' '--threads=each --interval=2k threads.trace' \
		'--threads=each --from=3k --count=1M threads.trace' '--threads=each --warmup=1000 threads.trace' \
		'--threads=processes processes.trace' '--threads=processes --interval=10k processes.trace' \
		'--threads=each --thread=1 threads.trace'; do
		# shellcheck disable=SC2086
		rows ${tool%% *} 1 ${tool#"${tool%% *}"} $options >one
		for jobs in 2 3 8; do
			# shellcheck disable=SC2086
			check_equal "$tool $options $jobs" "$(<one)" "$(rows ${tool%% *} $jobs ${tool#"${tool%% *}"} $options)"
		done
		check "$tool $options has rows" grep -q '^[0-9]' one
	done
done

# Damage in one stream is reported, and changes only its rows.
check lose "$BIN/../tests/edit_trace" threads.trace damaged.trace drop:CHUNK:1
for jobs in 1 2; do
	rows ilp $jobs --threads=each damaged.trace >damaged.$jobs 2>messages.$jobs
	check_equal damaged.status.$jobs 1 $?
	check damaged.reported.$jobs test -s messages.$jobs
done
check_equal damaged.rows "$(<damaged.1)" "$(<damaged.2)"
