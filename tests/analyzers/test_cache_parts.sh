#!/bin/bash
# SPDX-License-Identifier: MIT
# Parts of trace-cache simulate shares of the sets, and their sum is the result of one run. Caches whose sets depend
# on each other are refused, or are simulated by one of the parts.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1

"$BIN/trace-record" -q --chunk=3000 -o gzip.trace --count=60k -- gzip -c "$PROGRAMS/vectors" >/dev/null 2>&1
"$BIN/trace-record" -q --chunk=3000 -o threads.trace --threads=serial --from=main --count=20k -- "$PROGRAMS/threads" >/dev/null 2>&1

make_parts() { # make_parts N OPTIONS... TRACE: the files p.0, p.1, ...
	local n=$1
	shift
	rm -f p.*
	for ((i = 0; i < n; i++)); do
		"$BIN/trace-cache" "$@" --part="$i/$n" --partial=p.%p >>parts.log 2>&1 || return
	done
}

while read -r name n options; do
	case=$name.$n${options// /}
	"$BIN/trace-cache" $options $name.trace --format=json >one 2>one.log
	check "$case.misses" grep -q '"misses": *"\?[1-9]' one
	check "$case.make" make_parts "$n" $options $name.trace
	mapfile -t files < <(ls p.* | sort -R)
	"$BIN/trace-merge" --format=json "${files[@]}" >got 2>got.log
	check "$case.same" cmp one got
done <<'END'
gzip 1 --levels=1Ki/2,4Ki/4
gzip 4 --levels=1Ki/2,4Ki/4 --accesses=data
gzip 3 --levels=1Ki/2:fifo,4Ki/4:plru --levels=8Ki/4:srrip
gzip 7 --levels=1Ki/2:random,4Ki/4 --sizes=4Ki,32Ki
gzip 5 --levels=1Ki/2:drrip --levels=1Ki/2 --tlb=16/full,64/4
gzip 2 --from=1000 --count=20000 --levels=1Ki/2,4Ki/4
threads 4 --levels=1Ki/2,8Ki/4
threads 2 --levels=1Ki/2,8Ki/4 --thread=1
END

# Several parts are written as one, in any order and grouping.
make_parts 5 --levels=1Ki/2,4Ki/4 gzip.trace
"$BIN/trace-cache" --levels=1Ki/2,4Ki/4 gzip.trace >one
check tree.left "$BIN/trace-merge" --partial=q p.2 p.1
check tree.right "$BIN/trace-merge" --partial=r p.4 p.3
"$BIN/trace-merge" r p.0 q >got
check tree cmp one got

refused() { # refused NAME STATUS MESSAGE COMMAND...
	check_status "$1" "$2" "$BIN/${@:4}"
	check_match "$1.says" "$3" err
}
check_status missing 1 "$BIN/trace-merge" p.0 q p.4
check_match missing.says 'parts are missing: --part=3/5$' err
check_status overlap 1 "$BIN/trace-merge" q p.1 r p.0
check_match overlap.says 'have the same instructions' err
"$BIN/trace-cache" --levels=1Ki/2,4Ki/4 --part=3/6 --partial=other gzip.trace
check_status number 1 "$BIN/trace-merge" p.0 p.1 p.2 other p.4
check_match number.says 'merge-shares=6' err
# A file whose options lack the number of parts, as they are changed.
check_status no_number 1 "$BIN/trace-analyze" cache --merge-parts=gzip.trace --levels=1Ki/2,4Ki/4 p.0
check_match no_number.says 'lack the number of parts' err
for levels in 1Ki/2:drrip 1Ki/full 1Ki/2:opt 1Ki/2:next-line; do
	check_status "$levels" 2 "$BIN/trace-cache" --levels="$levels" --part=0/2 --partial=x gzip.trace
	check_match "$levels.says" "$levels: its sets cannot be simulated apart" err
done
for option in --by=function --kinds --cores=2; do
	check_status "$option" 2 "$BIN/trace-cache" --levels=1Ki/2 $option --part=0/2 --partial=x gzip.trace
	check_match "$option.says" 'need the lines of all sets' err
done
check untouched [ ! -e x ]
