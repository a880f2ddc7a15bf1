#!/bin/bash
# SPDX-License-Identifier: MIT
# The x87 instruction pointer holds the program's own addresses wherever it does natively.
. "$(dirname "$0")/e2e.sh"

for options in "" --skip=1 --backend=step; do
	record pointers.trace $options -- "$PROGRAMS/pointers"
	check_equal "pointers.status$options" 0 $?
	check "pointers.verify$options" "$BIN/trace-verify" -q pointers.trace
done

# A processor that loses the pointer over a context switch may print 0 in any line of a native run.
for i in 1 2 3; do "$PROGRAMS/x87_pointers" >native.$i; done
paste -d' ' native.1 native.2 native.3 | awk '{ print $1, ($2 == $4 || $2 == $6) ? $2 : $4 }' >native
for options in --backend=translate --backend=step --skip=1000 "--every=500 --for=200"; do
	record places.trace $options -- "$PROGRAMS/x87_pointers" >recorded
	check_equal "places.status $options" 0 $?
	check "places $options" diff native recorded
done

# let_go BACKEND COUNT: recording ends amid a function, and the program goes on natively.
let_go() {
	for i in 1 2 3; do
		[ "$(record let_go.trace --backend=$1 --from=detached --count=$2 -- \
			"$PROGRAMS/x87_pointers" detached)" = "detached own" ] && return
	done
	return 1
}
for backend in translate step; do
	for count in 8 10 13 17; do
		check "let_go.$backend.$count" let_go $backend $count
	done
done
