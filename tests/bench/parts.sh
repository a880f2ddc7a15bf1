#!/bin/bash
# Measures analyses in parts on a window of gzip: --jobs=2 against 1, merging against mapping, and bytes of partial
# results. Analyses that take more than 5 ns an instruction, and repack, have a fifth of the window. All times are the
# least of ROUNDS runs that take turns.
#   seconds   elapsed time with one job
#   speed-up  this time over the elapsed time with 2 jobs; only an idle machine shows it
#   expected  CPU time with one job over the CPU time of the busiest thread with 2 jobs, which is the speed-up as soon as
#             a CPU is free for each thread; for cache, ppm and slo, whose threads take work as they get a CPU, only on an
#             idle machine
#   CPU       CPU time with 2 jobs over CPU time with one
#   M/s       M instructions a second of CPU time with one job
#   1 core    hours for 10^12 instructions at this speed
#   map       CPU time of all 8 parts over that of one pass; merge: CPU time of trace-merge over that of one pass
#   partial   mean bytes of the partial result of a part
#   64 nodes  seconds for 10^12 instructions in 64 parts, each on a core of its own: the time of 1 core / 64, what a part
#             takes more than its share of one pass (reading the code), and 8 times the time of trace-merge; not for cache
#             and ppm, whose parts are shares of the sets or predictors and read the whole trace
# Analyzers without a number of map have no parts: slo and ibs, whose stages run at the same time with 2 jobs.
# usage: parts.sh BUILD-FOLDER [INSTRUCTIONS [ROUNDS]]; 1 G instructions and 2 rounds if not given: 7 minutes
set -eu
cd "$(dirname "$0")/../.."
folder=$PWD/tests/bench
bin=$PWD/${1:?usage: parts.sh BUILD-FOLDER [INSTRUCTIONS [ROUNDS]]}/bin
count=${2:-1000000000}
rounds=${3:-2}
parts=8
nodes=64
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
# mapped TRACE ANALYZER OPTION...: CPU time of all parts; fails if the analyzer has no parts
mapped() {
	local i
	"$bin/trace-$2" -q "${@:3}" --part="0/$parts" --partial=p.0 "$1" 2>/dev/null || return
	for ((i = 0; i < parts; i++)); do
		timed "$bin/trace-$2" -q "${@:3}" --part="$i/$parts" --partial="p.$i" "$1"
	done | awk '{ sum += $2 } END { print sum }'
}
# ratios TRACE ONE ONE-CPU TWO TWO-CPU LONGEST: the first columns behind the name
ratios() {
	local rate
	rate=$(calculate %.6f "$(field "$1" instructions) / $3 / 1e6")
	printf '%8.2f %9.2f %9.2f %6.2f %6.0f %7.2f' "$2" "$(calculate %.4f "$2 / $4")" "$(calculate %.4f "$3 / $6")" \
		"$(calculate %.4f "$5 / $3")" "$rate" "$(calculate %.4f "1e6 / $rate / 3600")"
}
# merged TRACE ANALYZER ONE-CPU MAP: the other columns, from the partial results p.*
merged() {
	local merge all
	read -r _ merge < <(timed "$bin/trace-merge" p.*)
	printf ' %6.2f %7.3f %15.0f' "$(calculate %.4f "$4 / $3")" "$(calculate %.4f "$merge / $3")" \
		"$(cat p.* | wc -c | awk -v n=$parts '{ print $1 / n }')"
	all=$(calculate %.4f "1e12 / $(field "$1" instructions) * $3")
	[[ $2 = cache || $2 = ppm ]] ||
		printf ' %9.0f' "$(calculate %.4f "$all / $nodes + ($4 - $3) / $parts + $merge * $nodes / $parts")"
	rm -f p.*
}
# line TRACE ANALYZER OPTION...
line() {
	local one_cpu map times
	times=$(in_turns "$bin/trace-$2" -q "${@:3}" "$1")
	read -r _ one_cpu _ <<<"$times"
	# shellcheck disable=SC2086
	printf '%-10s %s' "$2" "$(ratios "$1" $times)"
	if map=$(mapped "$@"); then
		merged "$1" "$2" "$one_cpu" "$map"
	fi
	echo
}
# record NAME INSTRUCTIONS: records a trace, and says how large it is
record() {
	"$bin/trace-record" -q --count="$2" -o "$1" -- gzip -c input >/dev/null 2>&1 || true
	echo "parts: $(field "$1" instructions) instructions, $(field "$1" bytes) bytes, load $(cut -d' ' -f1 /proc/loadavg)"
}

head -c $((count / 20)) /usr/bin/*python3* >input 2>/dev/null || true
record long.trace "$count"
record short.trace $((count / 5))
printf '%-10s %8s %9s %9s %6s %6s %7s %6s %7s %15s %9s\n' parts seconds speed-up expected CPU M/s '1 core' map merge \
	'partial [bytes]' "$nodes nodes"
for analyzer in mix itypes footprint stride reg calls 'bbv --bb-out-file=made.bb'; do
	# shellcheck disable=SC2086
	line long.trace $analyzer
done
for analyzer in stackdist 'cache --levels=32Ki/8,1Mi/16,32Mi/16' ppm ilp slo 'ibs --machine=zen4'; do
	# shellcheck disable=SC2086
	line short.trace $analyzer
done
for command in 'cut --force --from=1000 -o made.trace long.trace' 'repack --force -o made.trace short.trace'; do
	# shellcheck disable=SC2046,SC2086
	printf '%-10s %s\n' "${command%% *}" \
		"$(ratios "${command##* }" $(in_turns "$bin"/trace-${command%% *} -q ${command#* }))"
done
