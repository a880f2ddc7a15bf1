#!/bin/bash
# SPDX-License-Identifier: MIT
# examples/setcache against a slow model of a cache, which reads the trace by FORMAT.md and symbols by nm.
. "$(dirname "$0")/../lib.sh"
top=$PWD
setcache=$top/$BUILD/examples/setcache
[ "${BUILD#/}" = "$BUILD" ] || setcache=$BUILD/examples/setcache

gcc -O1 -g -static -o "$work/sort" examples/sort-words.c || exit
head -12 LICENSE | "$BIN/trace-record" -q -o "$work/t" -- "$work/sort" 5 >"$work/log" 2>&1
nm "$work/sort" >"$work/symbols"
/usr/bin/python3 -B tests/reader.py "$work/t" >"$work/dump"

sums() { awk -F'[, ]' '{ lookups += $1; misses += $2 } END { print lookups, misses }' "$@"; }
cache() { "$setcache" --format=csv "$@" "$work/t" | tail -n +2; }
for geometry in "4Ki 64 2" "32Ki 32 8" "768 16 1"; do
	read -r size line ways <<<"$geometry"
	bytes=${size/%Ki/*1024}
	/usr/bin/python3 -B tests/analyzers/setcache_model.py "$work/symbols" $((bytes)) $line $ways \
		<"$work/dump" >"$work/expected"
	options=(--size=$size --line=$line --ways=$ways)
	cache "${options[@]}" >"$work/functions"
	check_equal "$geometry: totals" "$(sums "$work/expected")" "$(sums "$work/functions")"
	for name in main read_words; do
		check_equal "$geometry: $name" "$(grep " $name$" "$work/expected")" \
			"$(sed -n "s/^\([0-9]*\),\([0-9]*\),sort,$name$/\1 \2 $name/p" "$work/functions")"
	done
	for by in line module thread; do
		check_equal "$geometry: totals by $by" "$(sums "$work/expected")" "$(cache "${options[@]}" --by=$by | sums)"
	done
done
check_equal sorted "$(cut -d, -f2 "$work/functions")" "$(cut -d, -f2 "$work/functions" | sort -rn)"
check_equal one_thread 1 "$(cache --by=thread | wc -l)"
check lines grep -q '^[0-9]*,[0-9]*,sort,.*sort-words.c:[1-9][0-9]*$' <(cache --by=line)
"$setcache" --size=64 --line=64 --ways=2 "$work/t" >"$work/log" 2>&1
check_equal no_set 2 $?
