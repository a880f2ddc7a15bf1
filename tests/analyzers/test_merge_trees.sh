#!/bin/bash
# SPDX-License-Identifier: MIT
# Partial results that are merged in random trees and orders give the bytes of one pass. The seed is in the name of each
# check: SEED=N repeats one.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1

"$BIN/trace-record" -q --chunk=3000 -o t --threads=serial --from=main --count=25k -- "$PROGRAMS/threads" >/dev/null 2>&1

# make_parts N ANALYZER OPTION...: the files p.0, p.1, ...
make_parts() {
	local n=$1 analyzer=$2 i
	rm -f p.*
	for ((i = 0; i < n; i++)); do
		"$BIN/trace-$analyzer" -q "${@:3}" --part="$i/$n" --partial="p.$i" t >>parts.log 2>&1 || return
	done
}
# in_random_order FILE...: sets the array `files`
in_random_order() {
	local i j swapped
	files=("$@")
	for ((i = ${#files[@]} - 1; i > 0; i--)); do
		j=$((RANDOM % (i + 1))) swapped=${files[i]}
		files[i]=${files[j]} files[j]=$swapped
	done
}
# merge_in_random_tree FILE...: merges neighbors, two or three at a time and anywhere, until at most three are left;
# sets the array `files` to these.
merge_in_random_tree() {
	local pieces=("$@") made=0 at n
	while [ ${#pieces[@]} -gt 3 ] || [ ${#pieces[@]} -gt 1 -a $((RANDOM % 3)) != 0 ]; do
		n=$((2 + RANDOM % 2))
		[ ${#pieces[@]} -gt "$n" ] || break
		at=$((RANDOM % (${#pieces[@]} - n + 1)))
		in_random_order "${pieces[@]:at:n}"
		"$BIN/trace-merge" --partial="p.tree.$made" "${files[@]}" || return
		pieces=("${pieces[@]:0:at}" "p.tree.$made" "${pieces[@]:at + n}")
		made=$((made + 1))
	done
	in_random_order "${pieces[@]}"
}
# merged_as_one NAME ANALYZER OPTION...: by some seeds
merged_as_one() {
	local name=$1 analyzer=$2 seed n
	local -a files behind
	shift 2
	[ "$analyzer" = cache ] || behind=("$@") # the parts have the caches
	"$BIN/trace-$analyzer" -q "$@" --format=json t >one 2>one.log
	check "$name.counts" grep -qE '"(instructions|executions|accesses)": [1-9]' one
	for seed in ${SEED:-$(seq "$(quick_or_full 2 30)")}; do
		RANDOM=$seed
		n=$((5 + RANDOM % 6))
		check "$name.parts.$seed" make_parts $n "$analyzer" "$@"
		merge_in_random_tree $(seq -f p.%.0f 0 $((n - 1))) >>parts.log 2>&1 || echo "not ok $name.tree.$seed"
		"$BIN/trace-merge" --format=json "${files[@]}" -- ${behind[@]+"${behind[@]}"} >got 2>got.log
		check "$name.same.$seed" cmp one got
	done
}

merged_as_one mix mix --by=symbol --top=1000
merged_as_one itypes itypes
merged_as_one footprint footprint --page-size=64Ki
merged_as_one stride stride
merged_as_one reg reg
merged_as_one stackdist stackdist --accesses=reads,writes+fetches --block-size=64,4Ki --histogram --cache-size=4Ki,8Mi
merged_as_one ppm ppm
merged_as_one cache cache --levels=1Ki/2,4Ki/4

# Jobs divide the predictors of several batches of branches.
"$BIN/trace-record" -q --chunk=3000 -o long --count=400k -- "$PROGRAMS/compresses" 4 8
"$BIN/trace-ppm" -q --format=json long >one
check ppm.batches grep -qE '"branches": [4-9][0-9]{4}' one
for jobs in 2 5 16; do
	"$BIN/trace-ppm" -q --jobs=$jobs --format=json long >got
	check ppm.jobs.$jobs cmp one got
done
