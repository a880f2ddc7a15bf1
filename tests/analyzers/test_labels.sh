#!/bin/bash
# One label, one number: facts of the same name in the results of several analyzers are equal, and so
# are the meanings of the same name in their legends.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
golden=$here/../golden
cd "$work" || exit 1
"$BIN/trace-record" -q -o sort.trace -- sort "$here/../lib.sh" >/dev/null
"$BIN/trace-record" -q -o reps.trace -- "$PROGRAMS/reps" >/dev/null
"$BIN/trace-record" -q -o threads.trace -- "$PROGRAMS/threads" >/dev/null
"$BIN/trace-record" -q --follow -o forks.trace -- "$PROGRAMS/forks" 2 >/dev/null
# Gathers, lanes that masks switch off, and rep instructions that repeat 0 times.
wide=()
for name in lanes vectors strings blocks kernels_gathers lanes512 vectors512; do
	case $name in
	*512) grep -qw avx512f /proc/cpuinfo || continue ;;
	lanes | vectors | kernels_gathers) grep -qw avx2 /proc/cpuinfo || continue ;;
	esac
	"$BIN/trace-record" -q -o $name.trace -- "$PROGRAMS/$name" >/dev/null
	wide+=($name.trace)
done
commands=()
for name in mix itypes ilp ppm reg stride footprint stackdist slo ibs bbv mica info; do
	commands+=("$BIN/trace-$name")
done
for trace in sort.trace reps.trace threads.trace forks.trace "${wide[@]}" "$golden"/v1.0/vectors.trace \
	"$golden"/v1.4/*.trace; do
	check "labels.$(basename "$trace" .trace)" /usr/bin/python3 -B "$here/labels.py" "$trace" "${commands[@]}"
done
# Labels of what MICA counts otherwise than others differ from theirs, and the legend defines them, but for that of a
# plain CSV file.
"$BIN/trace-footprint" sort.trace >text
check_match legend.instructions '^mica instructions .*a rep instruction that repeats 0 times is not counted' text
check_match legend.executions '^executions .*each repetition of a rep instruction counts' text
check_match legend.bytes '^data blocks .*bytes' text
check_match legend.blocks '^data blocks .*a gather or scatter only by its first lane' text
"$BIN/trace-footprint" --format=csv sort.trace >csv
check_match legend.csv '^# data_blocks: .*first lane' csv
"$BIN/trace-footprint" --format=json sort.trace >json
check_match legend.json '"data_blocks": ".*first lane' json
"$BIN/trace-footprint" --format=csv --interval=10k sort.trace >csv
check legend.plain_csv eval '! grep -q "^#\|first lane" csv'
"$BIN/trace-stackdist" sort.trace >text
check_match legend.touches '^touches .*each active lane' text
if [ -f vectors.trace ]; then
	blocks=$("$BIN/trace-footprint" --format=csv vectors.trace | sed -n 's/^data_blocks,\([0-9]*\),.*/\1/p')
	cold=$("$BIN/trace-stackdist" --format=csv vectors.trace |
		sed -n '/^reads+writes,/{s/^reads+writes,64,[0-9]*,\([0-9]*\),.*/\1/p; q}')
	check legend.is_needed test "$blocks" -lt "$cold"
fi
