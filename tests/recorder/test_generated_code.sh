#!/bin/bash
# SPDX-License-Identifier: MIT
# Compilers that write code while it runs: through writable pages, between two mprotect, for
# callbacks from C, in threads of their own.
. "$(dirname "$0")/backends.sh"
[ $other = translate ] || exit 0

# generates NAME INSTRUCTIONS COMMAND...: the command runs, and executes at least so many instructions of no file.
generates() {
	local name=$1 least=$2
	shift 2
	runs $name -- "$@"
	"$BIN/trace-mix" --quiet --by=module --format=csv $name.trace >modules
	check $name.generated [ "$(sed -n 's/^\([0-9]*\),.*,\[no file\]$/\1/p' modules)" -ge "$least" ]
	rm $name.trace
}

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
cat >sort.js <<'X'
const numbers = Array.from({ length: 3000 }, (_, i) => i * 7919 % 3001)
let sum = 0
for (let i = 0; i < 40000; i++)
	sum = (sum * 31 + numbers[i % 3000]) % 1000003
console.log('hello', numbers.sort((a, b) => a - b)[1500], sum)
X
cat >Sort.java <<'X'
import java.util.Arrays;
public class Sort {
	static final int[][] all = new int[3][20000];
	static void sort(int[] a, int seed) {
		for (int i = 0; i < a.length; i++)
			a[i] = (int)((long)i * 7919 % 20011) ^ seed;
		Arrays.sort(a);
	}
	public static void main(String[] args) throws Exception {
		Thread[] threads = new Thread[all.length];
		for (int i = 0; i < all.length; i++) {
			int n = i;
			threads[i] = new Thread(() -> sort(all[n], n));
			threads[i].start();
		}
		for (Thread t : threads)
			t.join();
		System.out.println("hello " + all[0][10000] + " " + all[1][100] + " " + all[2][1]);
	}
}
X
for i in {1..40}; do
	cat "$tests/../LICENSE"
done >text
generates luajit 100000 luajit sort.lua
generates pcre2grep 100000 pcre2grep -c '(soft|[a-z]+ing).*[^s]the' text
generates ctypes 1000 /usr/bin/python3 callback.py
generates node 100000 node sort.js
if ! is_quick; then
	javac Sort.java
	generates java 1000000 java -XX:-UsePerfData Sort
fi
