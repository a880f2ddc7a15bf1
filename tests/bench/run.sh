#!/bin/bash
# Measures recording and replay and prints one table. usage: run.sh BUILD-FOLDER [ROUNDS]
# Native and recording runs take turns, so that the ratio means something on a noisy machine; what
# is printed is the median. Replay is of the trace as it was recorded, repeated to REPLAY
# instructions, in CPU time on one core. Below the table are two rows about long traces.
#
# What takes how long: the table about 2 minutes a round, the long recording 2 to 4, the large file
# 1 to 2 and 1.25 GB of disk in $TMPDIR. LONG=0 leaves out both rows, LARGE=0 the large file.
set -eu
cd "$(dirname "$0")/../.."
build=${1:?usage: run.sh BUILD-FOLDER [ROUNDS]}
rounds=${2:-3}
replay_instructions=60000000
long_instructions=${LONG:-6000000}
large_bytes=${LARGE:-1000000000}
bin=$PWD/$build/bin
tests=$PWD/$build/tests
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C

for source in tests/bench/programs/*.c; do
	gcc -O2 -g -o "$work/$(basename "$source" .c)" "$source"
done
head -c 6000 /bin/bash >"$work/input"
head -c 1000 /bin/bash >"$work/small"
echo 'create table t(a,b); with recursive n(i) as (select 1 union all select i+1 from n where i<60) insert into t select i, i*i from n; select sum(b) from t where a % 3 = 0;' >"$work/script.sql"
echo 'print(sum(i * i for i in range(1000)))' >"$work/script.py"

# name | options of trace-record (a --count means: too long to be recorded whole) | command
programs='
compute     |               | ./compute 24
chase       |               | ./chase 4096 8
sort        |               | ./sort 2000
interpreter |               | ./interpreter 300
gzip        |               | gzip -c small
bzip2       | --count=500k  | bzip2 -c input
sqlite3     | --count=500k  | sqlite3 -init script.sql :memory: .quit
python3     | --count=500k  | /usr/bin/python3 -S -E script.py'

seconds_of() {
	local start=$EPOCHREALTIME
	"$@" >/dev/null 2>&1 </dev/null || true
	local end=$EPOCHREALTIME
	awk "BEGIN { print $end - $start }"
}
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
field() { "$bin/trace-info" --format=json "$1" | sed -n "s/.*\"$2\": *\([0-9]*\).*/\1/p" | head -1; }

echo "$rounds rounds on $(nproc) CPUs, $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $(uname -sr)"
echo
format='%-12s %12s %9s %9s %9s %9s %9s | %9s %9s %9s %7s\n'
# shellcheck disable=SC2059
printf "$format" program instructions native recorded slowdown recording size replay: blocks paths time
# shellcheck disable=SC2059
printf "$format" '' '' s s '' M/s B/instr 'addr M/s' M/s M/s '/copy'
cd "$work"
echo "$programs" | while IFS='|' read -r name options command; do
	name=${name// /}
	[ -n "$name" ] || continue
	trace=$name.trace
	: >native.times >record.times
	for _ in $(seq "$rounds"); do
		# shellcheck disable=SC2086
		seconds_of $command >>native.times
		# shellcheck disable=SC2086
		seconds_of "$bin/trace-record" --quiet --force -o "$trace" $options -- $command >>record.times
	done
	native=$(median <native.times)
	recorded=$(median <record.times)
	n=$(field "$trace" instructions)
	size=$(field "$trace" bytes)
	slowdown=$(awk "BEGIN { printf \"%.0fx\", $recorded / $native }")
	[ -z "${options// /}" ] || slowdown='(part)'
	"$tests/replicate" "$trace" $((replay_instructions / n + 1)) long.trace
	read -r _ addresses blocks paths copy < <("$tests/replay" long.trace 5)
	# shellcheck disable=SC2059
	printf "$format" "$name" "$n" "$(printf %.4f "$native")" "$(printf %.2f "$recorded")" "$slowdown" \
		"$(awk "BEGIN { printf \"%.3f\", $n / $recorded / 1e6 }")" "$(awk "BEGIN { printf \"%.3f\", $size / $n }")" \
		"$addresses" "$blocks" "$paths" "$copy"
	rm -f long.trace
done

[ "$long_instructions" -gt 0 ] || exit 0
echo
# A trace in which symbols and code are the smaller part, all of it really stepped.
echo 'print(sum(int(str(i * i)[::-1]) for i in range(1000000)))' >long.py
recorded=$(seconds_of "$bin/trace-record" --quiet --force --backend=step --count="$long_instructions" \
	-o long.trace -- /usr/bin/python3 -S -E long.py)
n=$(field long.trace instructions)
size=$(field long.trace bytes)
"$tests/replicate" long.trace $((replay_instructions / n + 1)) longer.trace
read -r millions addresses blocks paths copy < <("$tests/replay" longer.trace 5)
printf 'long:  %d instructions of python3, %d bytes, stepped in %.0f s; repeated to %.0f M:\n' \
	"$n" "$size" "$recorded" "$millions"
printf '       addresses %s M/s, blocks %s M/s, paths %s M/s; addresses take %s times the copy loop\n' \
	"$addresses" "$blocks" "$paths" "$copy"

rm longer.trace
[ "$large_bytes" -gt 0 ] || exit 0
if [ "$(df --output=avail -B1 . | tail -1)" -lt $((large_bytes + large_bytes / 4)) ]; then
	echo 'large: left out, the disk is too full'
	exit 0
fi
# Of addresses that nothing predicts, so that bytes are many; how it was recorded does not matter.
"$bin/trace-record" --quiet --backend=translate -o random.trace -- ./chase 1000000 2 >chase.out
"$tests/replicate" random.trace $((large_bytes / $(stat -c %s random.trace) + 1)) large.trace
for _ in 1 2 3 4 5; do
	seconds_of "$bin/trace-info" large.trace
done >info.times
printf 'large: trace-info takes %.3f s for a trace of %d bytes, %d instructions\n' \
	"$(median <info.times)" "$(stat -c %s large.trace)" "$(field large.trace instructions)"
