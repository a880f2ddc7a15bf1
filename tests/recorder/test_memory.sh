#!/bin/bash
# SPDX-License-Identifier: MIT
# The recorder's memory for programs with much generated code or many threads stays below 512 MiB.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1
most=$((512 << 20))
grep -q __asan "$BIN/trace-record" && most=$((most * 8))	# AddressSanitizer's memory counts as well

# fits NAME COMMAND...
fits() {
	local name=$1 bytes
	shift
	check_status $name.status 0 "$BIN/trace-record" --quiet --stats --force -o memory.trace -- "$@"
	bytes=$(sed -n 's/^trace-record: memory: \([0-9,]*\) bytes at most$/\1/p' err | tr -d ,)
	echo "# $name: $bytes bytes"
	check $name.memory [ "$bytes" -lt $most ]
	check $name.told [ "$bytes" -gt $((4 << 20)) ]
}

cat >workers.js <<'X'
const { Worker, isMainThread, parentPort } = require('worker_threads')
if (isMainThread) {
	for (let i = 0; i < 3; i++)
		new Worker(__filename)
} else {
	const known = {}
	for (let i = 0; i < 3000; i++)
		known['k' + i % 977] = JSON.stringify([i, Object.keys(known).length]).replace(/1(\d)/, '$1')
	parentPort.postMessage(Object.values(known).sort().join(''))
}
X
cat >Sort.java <<'X'
import java.util.Arrays;
public class Sort {
	public static void main(String[] args) throws Exception {
		Thread[] threads = new Thread[8];
		for (int i = 0; i < threads.length; i++) {
			threads[i] = new Thread(() -> {
				Integer[] a = new Integer[10000];
				for (int k = 0; k < a.length; k++)
					a[k] = (int)((long)k * 7919 % 10007);
				Arrays.sort(a, (x, y) -> y - x);
			});
			threads[i].start();
		}
		for (Thread t : threads)
			t.join();
	}
}
X
if ! is_quick; then
	javac Sort.java
	fits node node workers.js
	fits java java -XX:-UsePerfData Sort
fi
fits threads "$PROGRAMS/contend" 64 5

# ---- addresses that a program can count, and code that it moves ----
runs_alike() {
	setarch -R "$PROGRAMS/$1" >native.out 2>/dev/null || return 0
	"$BIN/trace-record" -q --force -o "$1.trace" "$PROGRAMS/$1" >recorded.out 2>err &&
		command cmp native.out recorded.out
}
check low_memory runs_alike low_memory
check moves_text runs_alike moves_text
check_match moves_text.symbol '^moved_code,|,moved_code$|,moved_code,' \
	<("$BIN/trace-mix" --by=symbol --top=1000 --format=csv moves_text.trace)
# four times in the module's code, once in two instructions that replace it
check_equal moves_text.instructions 20020 "$("$BIN/trace-mix" --by=symbol --top=1000 --format=csv moves_text.trace |
	grep moved_code | cut -d, -f1)"

# ---- a heap that is moved, as by a restorer of checkpoints ----
check moved_heap runs_alike moved_heap
[ ! -s native.out ] || check_equal moved_heap.mapping "$(cat native.out) 8192" \
	"$("$BIN/trace-dump" --events --format=jsonl moved_heap.trace | grep -F '"name":"[heap]"' | grep -F "\"$(cat native.out)\"" |
		sed 's/.*"start":"\([^"]*\)","size":\([0-9]*\),.*/\1 \2/')"

# ---- the kernel's code (vDSO), moved and mapped anew ----
check moved_vdso runs_alike moved_vdso
! grep -q '^new 1' native.out || check_equal moved_vdso.mappings 3 \
	"$("$BIN/trace-dump" --events --format=jsonl moved_vdso.trace | grep '"change":"map"' | grep -cF '"name":"[vdso]"')"

# ---- a program that unmaps all unknown memory, including the recorder's ----
unmaps_alike() {
	"$PROGRAMS/unmaps" $1 >native.out
	timeout $patience "$BIN/trace-record" -q --force "${@:2}" -o unmaps.trace "$PROGRAMS/unmaps" $1 >recorded.out 2>err &&
		command cmp native.out recorded.out && "$BIN/trace-verify" -q unmaps.trace
}
for how in u p o m d l g t; do
	check unmaps.$how unmaps_alike $how
done
check unmaps.counted unmaps_alike t --every=100k --for=1k
for how in u o m t; do	# behind a filter
	check unmaps.confined_$how unmaps_alike "$how confined"
done
check unmaps.serial unmaps_alike t --threads=serial
