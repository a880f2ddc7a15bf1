#!/bin/bash
# SPDX-License-Identifier: MIT
# Code that changes while the program runs: it does what was written last, each version of it is in
# the trace, and where programs are short enough to be stepped, both backends record the same.
. "$(dirname "$0")/backends.sh"
rewrites="$PROGRAMS/rewrites"

for how in writable own twice protected mapped-over read; do
	same $how --from=main -- "$rewrites" $how
	check $how.long_enough [ "$instructions" -gt 400 ]
done
same forked --follow --from=main -- "$rewrites" forked
[ $other = translate ] || exit 0

# runs NAME [OPTION...] -- PROGRAM ARGUMENT...: as natively, by translation; hardly anything is stepped.
runs() {
	local name=$1
	local -a options=()
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	"${fixed[@]}" $unrandomised "$@" >native.out 2>native.err
	"${fixed[@]}" "$BIN/trace-record" --force --stats -o $name.trace "${options[@]}" -- "$@" \
		>$name.out 2>$name.err
	check_equal $name.status 0 $?
	check $name.output cmp native.out $name.out
	check $name.verify "$BIN/trace-verify" -q $name.trace
	stepped=$(sed -n 's/.*stepped: [0-9,]* blocks, \([0-9,]*\) instructions/\1/p' $name.err | tr -d ,)
	check $name.translated [ "${stepped:-1000000}" -lt 2000 ]
}

runs often -- "$rewrites" often
runs often.checked --self-check -- "$rewrites" often
runs threads -- "$rewrites" threads
runs threads.checked --self-check -- "$rewrites" threads
