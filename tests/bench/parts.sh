#!/bin/bash
# Measures analyses in parts on a window of gzip: --jobs=2 against 1, merging against mapping, and bytes of partial
# results. All times are the least of ROUNDS runs that take turns.
#   seconds   elapsed time with one job
#   speed-up  this time over the elapsed time with 2 jobs; only an idle machine shows it
#   expected  CPU time with one job over the CPU time of the busiest thread with 2 jobs, which is the speed-up as soon as
#             a CPU is free for each thread; for cache and ppm, whose threads take work as they get a CPU, only on an idle machine
#   CPU       CPU time with 2 jobs over CPU time with one
#   map       CPU time of all 8 parts over that of one pass; merge: CPU time of trace-merge over that of one pass
# Analyzers without a number of map are sequential: with 2 jobs, they decode the trace ahead.
# usage: parts.sh BUILD-FOLDER [INSTRUCTIONS [ROUNDS]]; 100 M instructions and 3 rounds if not given: 3 minutes
set -eu
cd "$(dirname "$0")/../.."
folder=$PWD/tests/bench
bin=$PWD/${1:?usage: parts.sh BUILD-FOLDER [INSTRUCTIONS [ROUNDS]]}/bin
count=${2:-100000000}
rounds=${3:-3}
parts=8
export LC_ALL=C
. "$folder/lib.sh"
work=$(roomy_folder 1000000000)
trap 'rm -rf "$work"' EXIT
cd "$work"

least() { sort -n | head -n 1; }
# in_turns COMMAND...: the least elapsed times and CPU times of the command with --jobs=1 and --jobs=2, and the least
# CPU time of the busiest of 2 jobs' threads
in_turns() {
	local round jobs
	for ((round = 0; round < rounds; round++)); do
		for jobs in 1 2; do
			timed "$@" --jobs=$jobs >>times.$jobs
		done
		"$folder/longest_thread.py" "$@" --jobs=2 >>times.longest
	done
	for jobs in 1 2; do
		cut -d' ' -f1 times.$jobs | least
		cut -d' ' -f2 times.$jobs | least
	done >times.all
	least <times.longest >>times.all
	xargs <times.all
	rm -f times.*
}
# mapped ANALYZER OPTION...: CPU time of all parts; fails if the analyzer has no parts
mapped() {
	local i
	"$bin/trace-$1" -q "${@:2}" --part="0/$parts" --partial=p.0 gzip.trace 2>/dev/null || return
	for ((i = 0; i < parts; i++)); do
		timed "$bin/trace-$1" -q "${@:2}" --part="$i/$parts" --partial="p.$i" gzip.trace
	done | awk '{ sum += $2 } END { print sum }'
}
# ratios ONE ONE-CPU TWO TWO-CPU LONGEST: the first columns behind the name
ratios() {
	printf '%8.2f %9.2f %9.2f %6.2f' "$1" "$(calculate %.4f "$1 / $3")" "$(calculate %.4f "$2 / $5")" \
		"$(calculate %.4f "$4 / $2")"
}
# line ANALYZER OPTION...
line() {
	local one_cpu map merge times
	times=$(in_turns "$bin/trace-$1" -q "${@:2}" gzip.trace)
	read -r _ one_cpu _ <<<"$times"
	# shellcheck disable=SC2086
	printf '%-10s %s' "$1" "$(ratios $times)"
	if map=$(mapped "$@"); then
		read -r _ merge < <(timed "$bin/trace-merge" p.*)
		printf ' %6.2f %7.3f %15.0f' "$(calculate %.4f "$map / $one_cpu")" "$(calculate %.4f "$merge / $one_cpu")" \
			"$(cat p.* | wc -c | awk -v n=$parts '{ print $1 / n }')"
		rm -f p.*
	fi
	echo
}

head -c $((count / 20)) /usr/bin/*python3* >input 2>/dev/null || true
"$bin/trace-record" -q --count="$count" -o gzip.trace -- gzip -c input >/dev/null 2>&1 || true
echo "parts: $(field gzip.trace instructions) instructions, $(field gzip.trace bytes) bytes, load $(cut -d' ' -f1 /proc/loadavg)"
printf '%-10s %8s %9s %9s %6s %6s %7s %15s\n' parts seconds speed-up expected CPU map merge 'partial [bytes]'
for analyzer in mix itypes footprint stride reg stackdist calls 'bbv --bb-out-file=made.bb' \
	'cache --levels=32Ki/8,1Mi/16,32Mi/16' ppm ilp slo 'ibs --machine=zen4'; do
	# shellcheck disable=SC2086
	line $analyzer
done
for command in 'repack --force -o made.trace' 'cut --force --from=1000 -o made.trace'; do
	# shellcheck disable=SC2086
	printf '%-10s %s\n' "${command%% *}" "$(ratios $(in_turns "$bin"/trace-${command%% *} -q ${command#* } gzip.trace))"
done
