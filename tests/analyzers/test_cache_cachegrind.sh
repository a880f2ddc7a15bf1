#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-cache against Valgrind's cachegrind: the same misses, or the difference explained access by access.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
cd "$work" || exit 1
type valgrind >/dev/null || {
	echo "# valgrind is not installed"
	exit
}

# agree NAME I1 D1 LL: of NAME.trace, whose command is in the array
agree() {
	valgrind -q --tool=cachegrind --cache-sim=yes --I1="$2" --D1="$3" --LL="$4" --cachegrind-out-file=cg.out \
		"${command[@]}" >/dev/null 2>&1
	IFS=, read -r i1 i1_ways line <<<"$2"
	IFS=, read -r d1 d1_ways line <<<"$3"
	IFS=, read -r ll ll_ways line <<<"$4"
	"$BIN/trace-cache" -q --format=json "$1.trace" \
		--levels="$i1/$i1_ways/$line+$d1/$d1_ways/$line,$ll/$ll_ways/$line" >result
	"$BIN/trace-cache" -q --format=json --by=function,line --top=100000 "$1.trace" \
		--levels="$i1/$i1_ways/$line+$d1/$d1_ways/$line,$ll/$ll_ways/$line" >lines
	[ "$1" != walks ] || check "$1.$2.$3.$4.lines" /usr/bin/python3 -B "$here/cachegrind_lines.py" cg.out lines
	check "$1.$2.$3.$4" /usr/bin/python3 -B "$here/cachegrind_check.py" "$2" "$3" "$4" cg.out result <"$1.dump"
}

# All addresses are the same under Valgrind.
for name in walks crossings; do
	command=("$PROGRAMS/cache_walks")
	[ $name = walks ] || command+=(crossing)
	"${recorder[@]}" -q -o $name.trace -- "${command[@]}"
	"$BIN/trace-dump" --format=csv $name.trace >$name.dump
	agree $name 1024,2,64 1024,4,64 8192,8,64
	agree $name 512,1,32 512,2,32 4096,4,32
done
command=("$PROGRAMS/cache_walks")
agree walks 32768,8,64 32768,8,64 262144,16,64
