#!/bin/bash
# SPDX-License-Identifier: MIT
# However little memory there is, a command gives the whole result or a message that says why not; the
# message never calls a sound trace damaged.
. "$(dirname "$0")/../lib.sh"
if grep -q __asan "$BIN/trace-dump"; then
	echo "ok the sanitizer needs all addresses"
	exit
fi
cd "$work" || exit 1
head -c 3000 /bin/bash >input
"$BIN/trace-record" -q --count=300k -o trace -- gzip -c input >/dev/null

# within PAGES COMMAND...: runs the command with so much memory; its output is in out and err.
within() { prlimit --as=$(($1 * 4096)) "${@:2}" >out 2>err; }

# enough COMMAND...: prints the least number of pages with which the command succeeds.
enough() {
	local too_few=0 pages=100000 middle
	while [ $((pages - too_few)) -gt 1 ]; do
		middle=$(((too_few + pages) / 2))
		if within $middle "$@"; then pages=$middle; else too_few=$middle; fi
	done
	echo $pages
}

for command in 'trace-dump --count=1' 'trace-mix --count=1 --by=symbol'; do
	# shellcheck disable=SC2206
	words=("$BIN"/$command trace)
	pages=$(enough "${words[@]}")
	refused=0 wrong=0 step=$(quick_or_full 7 3)
	for ((less = 1; less < 300 && !wrong; less += step)); do
		within $((pages - less)) "${words[@]}"
		case $? in
		0 | 127) ;;	# the system could not start the command
		1) grep -q 'error: .*memory' err && ! grep -q damaged err && refused=$((refused + 1)) || wrong=1 ;;
		*) wrong=1 ;;
		esac
		[ $wrong -eq 0 ] || { echo "# $((pages - less)) pages:" && sed 's/^/# /' err; }
	done
	check_equal "${command%% *}.nothing_wrong" 0 $wrong
	check "${command%% *}.refused" test $refused -gt 10
done

# A recording needs no large stack, also if it loads the code of an earlier one.
for run in first second; do
	check_status stack.$run 0 prlimit --stack=$((192 << 10)) "$BIN/trace-record" --cache="$work/cache" -q --force -o small -- ls /
done
