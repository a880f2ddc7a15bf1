#!/bin/bash
# SPDX-License-Identifier: MIT
# The plan and the region files of trace-simpoint, by readers of their own: markers, multipliers, warm-ups,
# hostile names of programs, counts that gem5 cannot reach.
. "$(dirname "$0")/../lib.sh"
simpoint=$BIN/trace-simpoint
# regions NAME INTERVAL OPTIONS REP...: the files of the points of $work/NAME.trace are right.
regions() {
	local name=$1 interval=$2 options=$3 factor=2 limit=2147483647 word
	shift 3
	for word in $options; do
		case $word in
		--warmup-factor=*) factor=${word#*=} ;;
		--marker-limit=*) limit=${word#*=} ;;
		esac
	done
	rm -f "$work"/p.*
	# shellcheck disable=SC2086
	check "$name $options" "$simpoint" --counter=exact --interval="$interval" -q $options -o "$work/p" \
		--save-looppoint="$work/p.looppoint.json" "$work/$name.trace"
	check "$name $options read" /usr/bin/python3 "$(dirname "$0")/check_regions.py" "$BIN" "$work/$name.trace" \
		"$work/p" "$interval" $factor $limit "$@"
	cat "$work/.out" >"$work/found"
}

# ---- bounds: one address twice, a rep instruction, no module ----

repeats=$(nm "$PROGRAMS/regions" | sed -n 's/^\([0-9a-f]*\) . repeats$/\1/p')
"${recorder[@]}" -q -o "$work/regions.trace" -- "$PROGRAMS/regions"
for interval in 200 340 503 1000; do
	regions regions $interval "-k 20" "$repeats"
	check_match "regions $interval images" 'images no_image regions$' "$work/found"
	cat "$work/found" >>"$work/all"
done
# Some bounds were moved from a rep instruction, some regions begin and end at one address, some in no module.
check_match regions.moved '^moved [1-9]' "$work/all"
check_match regions.equal ' equal [1-9]' "$work/all"
check_match regions.nowhere ' nowhere [1-9]' "$work/all"
for factor in 0 1 5 1000; do regions regions 1000 "-k 9 --warmup-factor=$factor" "$repeats"; done
regions regions 1000 "-k 20 --marker-limit=100" "$repeats"
check_match regions.limit '^moved [1-9]' "$work/found"
check regions.cut "$BIN/trace-cut" --simpoints="$work/p.pc.csv" -q -o "$work/cut" "$work/regions.trace"

# ---- PIE, and names ----

i=0
for name in 'a b' 'a,b' 'a|b' 'a"b' '#a' 'a:b' '=a' '-a' '@a' $'a\tb' $'a\nb' $'a\x1b[31mb' "a'b" 'é' \
	"$(printf '%0250d' 0)" 'cluster 0 from slice 1,0,1'; do
	mkdir -p "$work/a folder, ${name:0:1}"
	path="$work/a folder, ${name:0:1}/$name"
	cp "$PROGRAMS/branches" "$path"
	"${recorder[@]}" -q --force -o "$work/named.trace" -- "$path" >/dev/null
	regions named 100 "-k 3"
	check_equal "named $((++i)) once" 1 "$(sed 's/.*images //' "$work/found" | tr -cd ' \n' | wc -c)"
done
"${recorder[@]}" -q -o "$work/pie.trace" -- /bin/true
regions pie 10000 "-k 5"

# ---- counts that gem5 cannot reach, and what has no addresses ----

check_status vectors 2 "$simpoint" --save-looppoint="$work/x.json" "$(dirname "$0")/simpoint/phases.bb"
check_match vectors.says '--save-looppoint.*needs? a trace' "$work/err"
vectors=$(dirname "$0")/../golden/v1.5/intervals.trace
check_status older 3 "$simpoint" --save-looppoint="$work/x.json" "$vectors"
check_match older.says 'do not have the addresses where intervals end' "$work/err"
