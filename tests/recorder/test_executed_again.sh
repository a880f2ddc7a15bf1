#!/bin/bash
# SPDX-License-Identifier: MIT
# A program that is executed again finds its translations, and each run is recorded like a single
# run; so are simultaneous runs.
OTHER=translate
. "$(dirname "$0")/backends.sh"

# again N: runs a program N times, one run after the other. Prints how many superblocks were translated.
again() {
	"${fixed[@]}" "$BIN/trace-record" --force --follow --stats -o again.$1.trace -- \
		sh -c 'i=0; while [ $i -lt '$1' ]; do /bin/true; i=$((i + 1)); done' 2>again.err
	sed -n 's/.*translated: \([0-9,]*\) superblocks.*/\1/p' again.err | tr -d ,
}

few=$(again 2)
many=$(again 12)
echo "# superblocks: $few, $many"
check again.few [ "$few" -gt 500 ]
check again.translates_once [ "$many" -lt $((few + few / 4)) ]

# All runs execute the same instructions, but for the first: its shell binds some functions.
for n in 2 12; do
	"$BIN/trace-mix" --by=thread --format=csv again.$n.trace | sed -n '4,$p' | cut -d, -f3- |
		sort -u >alike.$n
done
check_equal again.alike 1 "$(wc -l <alike.12)"
check again.as_at_first cmp alike.2 alike.12

# Simultaneous runs, with other libraries and programs, and checked instruction by instruction.
cat >many.sh <<'X'
for k in 1 2 3; do
	(for i in 1 2 3; do echo $k $i | sed 's/ /-/' | sort; expr $k \* $i | cat; done) &
done
wait
X
bash many.sh | sort >native.out
record translate many 0 --follow --self-check -- bash many.sh
check many.output cmp native.out <(sort many.out)
check many.verify "$BIN/trace-verify" -q many.trace
