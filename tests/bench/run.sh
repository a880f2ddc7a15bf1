#!/bin/bash
# Measures recording and replay and prints one table. usage: run.sh BUILD-FOLDER [ROUNDS]
# Native and recording runs take turns, so that the ratio means something on a noisy machine; what
# is printed is the median. Replay is of the trace as it was recorded, repeated to REPLAY
# instructions, in CPU time on one core.
set -eu
cd "$(dirname "$0")/../.."
build=${1:?usage: run.sh BUILD-FOLDER [ROUNDS]}
rounds=${2:-3}
replay_instructions=60000000
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
