#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-anonymise: the traces of real programs keep the analyzers' results, and lose texts, addresses and constants.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
cd "$work" || exit 1
. "$here/anonymised.sh"
interval=20000

seq 400 >numbers
commands=(
	'gzip -c numbers'
	'sort -n -r numbers'
	'bzip2 -c numbers'
	'xz -c numbers'
	'awk {s+=$1}END{print(s)} numbers'
	'sed -n s/9/x/p numbers'
	'grep -c 7 numbers'
	'tar -cf archive numbers'
	'perl -e print(7)'
	'sqlite3 :memory: select(1)'
	'git hash-object numbers'
	'gcc -E -x c /dev/null'
	'openssl dgst numbers'
	'bash -c echo'
	'/usr/bin/python3 -S -E -c pass'
)

# left TRACE: what a trace still has of the one before; the kinds and, at most, three of each.
left() {
	/usr/bin/python3 -B "$here/left.py" "$BIN/trace-dump" "$name.trace" "$1" | awk 'NF && n[$1]++ < 3'
}

count=$(quick_or_full 50k 500k)
for ((i = 0; i < $(quick_or_full 2 ${#commands[@]}); i++)); do
	command=${commands[i]}
	name=$(basename "${command%% *}")
	# shellcheck disable=SC2086
	"${recorder[@]}" -q --count="$count" -o "$name.trace" -- $command >output 2>&1
	compare_levels "$name"
	made "$name" all --preset=share
	made "$name" public --preset=public
	for level in all public; do
		check_equal "$name.$level.left" "" "$(left "$name-$level.trace")"
	done
	# The search finds what is there.
	check_equal "$name.found" "address constant text" "$(left "$name.trace" | cut -d' ' -f1 | sort -u | paste -sd' ')"
	rm -f "$name"*.trace
done
