#!/bin/bash
# SPDX-License-Identifier: MIT
# MICA's analyses on random programs without traces, against a slow model of MICA.
. "$(dirname "$0")/../lib.sh"
tests=$(cd "$(dirname "$0")/.." && pwd)
text=$(cd "$tests/.." && pwd)/$BUILD/tests/mica_text

# compare NAME PROGRAM OPTION...: all files of the model that ours has, too.
compare() {
	local name=$1 program=$2
	shift 2
	rm -rf "$work/model" "$work/ours"
	mkdir "$work/ours"
	/usr/bin/python3 -B "$tests/oracle/mica_oracle.py" --out "$work/model" "$@" "$program" >"$work/err" 2>&1
	"$text" "$@" "$program" "$work/ours" >>"$work/err" 2>&1
	for file in "$work"/ours/*.out; do
		check "$name.$(basename "$file" _int_pin.out)" cmp "$work/model/$(basename "$file")" "$file"
	done
}

compare toy "$tests/oracle/mica_toy.txt" --ilp-size=4
printf '0, 0, CATEGORY, SSE\n0, 1,OPCODE,ADD\n1,0, SPECIAL, mem_read\n2, 0, OPCODE, no such\n' >"$work/spec"
number=0
for size in "1500 40" "2000 1500"; do
	number=$((number + 1))
	/usr/bin/python3 -B "$tests/mica/random_text.py" $number $size >"$work/$number"
	compare $number.full "$work/$number" --ilp-size=7
	compare $number.200 "$work/$number" --interval=200
	compare $number.1000 "$work/$number" --interval=1000 --ilp-size=100 --block=4 --page=20
	compare $number.spec "$work/$number" --interval=600 --spec="$work/spec" --block=7
done
