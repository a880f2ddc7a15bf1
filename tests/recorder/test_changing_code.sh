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

# Compilers that write code: through writable pages, between two mprotect, for callbacks from C.
cat >sort.lua <<'X'
local t = {}
for i = 1, 20000 do t[i] = i * 7919 % 10007 end
table.sort(t)
local sum = 0
for round = 1, 20 do
	for i = 1, #t do sum = (sum + t[i] * round) % 1000003 end
end
print(t[1], t[#t], sum, (("x"):rep(9):gsub("x", function(c) return c .. "y" end)))
X
cat >callback.py <<'X'
import ctypes
ints = ctypes.POINTER(ctypes.c_int)
compare = ctypes.CFUNCTYPE(ctypes.c_int, ints, ints)(lambda a, b: a[0] - b[0])
numbers = (ctypes.c_int * 300)(*[i * 7919 % 1009 for i in range(300)])
ctypes.CDLL(None).qsort(numbers, 300, 4, compare)
print(list(numbers))
X
for i in {1..40}; do
	cat "$tests/../LICENSE"
done >text
runs luajit -- luajit sort.lua
runs pcre2grep -- pcre2grep -c '(soft|[a-z]+ing).*[^s]the' text
runs ctypes -- /usr/bin/python3 callback.py
