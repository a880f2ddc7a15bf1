#!/bin/bash
# Measures recording, replay and repacking, and prints tables. usage: run.sh BUILD-FOLDER [ROUNDS]
# All commands that are compared take turns, so that ratios mean something on a noisy machine. The numbers
# are medians of the rounds (default 2). Traces are written to memory, if there is room.
#
#   recording  whole programs, by translation: native, with all addresses, without, skipped, exp-bbv: 2 minutes
#              a round, and 4 more of exp-bbv, which VALGRIND=0 leaves out; then the same by trace-bbv.
#              SCALE makes the programs so many times larger; if not given, they take about 1 s
#   skipped    the same programs, so long that translation is a small part of the time: natively,
#              skipped whole, as between windows, and in windows of 10 M instructions every 1000 M:
#              3 minutes a round; SKIPPED=0 leaves it out
#   vectors    vectors.sh: the cost of --vectors, and the size of vectors: 3 minutes a round; VECTORS=0 leaves it out
#   analyzers  analyzers.sh on ANALYZED instructions of each program: 6 minutes; ANALYZED=0 leaves it
#              out
#   parts      parts.sh on PARTS instructions: --jobs=2 against 1, merging partial results: 7 minutes; PARTS=0 leaves it
#              out
#   exports    exports.sh on EXPORTED instructions of each program: 3 minutes; EXPORTED=0 leaves it out
#   short      short.sh: programs that end soon, recorded with an empty and with a filled code cache: a minute a
#              round; SHORT=0 leaves it out
#   stackdist  exact stack distances of 64-byte blocks, of windows of WINDOW instructions: 1 minute
#   followed   threads, many short processes, and node if it is installed: 1 minute a round
#   sampling   sampling.sh: true errors of simulation points of programs with threads: 10 minutes; SAMPLING=0 leaves
#              it out
#   repack     gzip and bzip2 in windows of WINDOW instructions, repacked and anonymized: 3 minutes; WINDOW=0 leaves
#              it out
#   import     import.sh: traces in the formats of other tools; 2 minutes; IMPORT=0 leaves it out
#   replay     of single-stepped traces, repeated to 60 M instructions, in CPU time on one core, one
#              round: 1 to 2 minutes; STEP=0 leaves it out
#   long       LONG stepped instructions of python3: 1 minute; LONG=0 leaves it out
#   large      trace-info on a trace of LARGE bytes: 1 minute; LARGE=0 leaves it out
# Together 51 minutes on two CPUs that have other work as well. trillion.sh, which samples 10^12 instructions, is not among
# them.
set -eu
cd "$(dirname "$0")/../.."
build=${1:?usage: run.sh BUILD-FOLDER [ROUNDS]}
rounds=${2:-2}
replay_instructions=60000000
long_instructions=${LONG:-2000000}
large_bytes=${LARGE:-1000000000}
window=${WINDOW:-200000000}
analyzed=${ANALYZED:-200000000}
exported=${EXPORTED:-20000000}
divided=${PARTS:-1000000000}
folder=$PWD/tests/bench
bin=$PWD/$build/bin
tests=$PWD/$build/tests
export LC_ALL=C
. tests/bench/lib.sh
. tests/bench/programs.sh
work=$(roomy_folder $((large_bytes + large_bytes / 4 + 1000000000)))
trap 'rm -rf "$work"' EXIT

cd "$work"

echo "$rounds rounds on $(nproc) CPUs, load $(cut -d' ' -f1 /proc/loadavg), $(
	sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $(uname -sr)"
echo "traces in ${work%/*} ($(df --output=fstype . | tail -1))"

# ---- recording ----

make_programs
echo "programs are $scale times as large as on a machine where they take 1 s"

# chase goes through memory, where a recorder waits as long as the program: the means leave it out.
waiting="./chase 1000000 $((6 * scale))"

# record_to_vectors COMMAND...: makes vectors straight from the recorder.
record_to_vectors() {
	"$bin/trace-record" -q --no-addresses -o - -- "$@" |
		"$bin/trace-bbv" --interval-size=10M --bb-out-file=pipe.bb -
}

# record_round NAME COMMAND...: appends to NAME.{native,all,flow,bbv,...}: seconds, seconds of CPU.
record_round() {
	local name=$1
	shift
	timed "$@" >>"$name.native"
	timed watched "$name.memory" "$bin/trace-record" -q --force -o "$name.trace" -- "$@" >>"$name.all"
	timed "$bin/trace-record" -q --force --no-addresses -o flow.trace -- "$@" >>"$name.flow"
	timed "$bin/trace-record" -q --force --skip=1000000000000 -o none.trace -- "$@" >>"$name.skipped"
	timed "$bin/trace-bbv" --interval-size=10M --bb-out-file=flow.bb flow.trace >>"$name.vectors"
	timed "$bin/trace-bbv" --interval-size=10M --bb-out-file=all.bb "$name.trace" >>"$name.vectors_all"
	timed record_to_vectors "$@" >>"$name.pipe"
	[ "${VALGRIND:-1}" = 0 ] ||
		timed valgrind --tool=exp-bbv --bb-out-file=bbv.out "$@" >>"$name.bbv"
}

column() { awk -v n="$2" '{ print $n }' "$1" | median; }

# Prints a line of the table, and appends its ratios to means.*
record_line() {
	local name=$1 n size native all cpu flow skipped bbv=- bbv_all=- bbv_flow=-
	n=$(field "$name.trace" instructions)
	size=$(calculate %.4f "$(field "$name.trace" bytes) / $n")
	native=$(column "$name.native" 1)
	all=$(calculate %.2f "$(column "$name.all" 1) / $native")
	cpu=$(calculate %.2f "$(column "$name.all" 2) / $(column "$name.native" 2)")
	flow=$(calculate %.2f "$(column "$name.flow" 1) / $native")
	skipped=$(calculate %.2f "$(column "$name.skipped" 1) / $native")
	if [ -e "$name.bbv" ]; then
		bbv=$(calculate %.1f "$(column "$name.bbv" 1) / $native")
		bbv_all=$(calculate %.2f "$bbv / $all")
		bbv_flow=$(calculate %.2f "$bbv / $flow")
		echo "$bbv" >>means.bbv
		echo "$bbv_all" >>means.bbv_all
		echo "$bbv_flow" >>means.bbv_flow
	fi
	echo "$all" >>means.all
	echo "$cpu" >>means.cpu
	echo "$flow" >>means.flow
	echo "$skipped" >>means.skipped
	echo "$size" >>means.size
	# shellcheck disable=SC2059
	printf "$format" "$name" "$n" "$native" "$all" "$cpu" "$flow" "$skipped" "$bbv" "$bbv_all" "$bbv_flow" \
		"$size" "$(sort -n "$name.memory" | tail -1)"
}

# Prints a line of the table of trace-bbv.
vectors_line() {
	local name=$1 n=$2 flow all file=- pipe=-
	flow=$(calculate %.0f "$n / $(column "$name.vectors" 2) / 1e6")
	all=$(calculate %.0f "$n / $(column "$name.vectors_all" 2) / 1e6")
	if [ -e "$name.bbv" ]; then
		file=$(calculate %.2f "$(column "$name.bbv" 1) / ($(column "$name.flow" 1) + $(column "$name.vectors" 1))")
		pipe=$(calculate %.2f "$(column "$name.bbv" 1) / $(column "$name.pipe" 1)")
		echo "$file" >>means.vectors_file
		echo "$pipe" >>means.vectors_pipe
	fi
	echo "$flow" >>means.vectors
	echo "$all" >>means.vectors_all
	printf '%-11s %10s %10s %10s %10s\n' "$name" "$flow" "$all" "$file" "$pipe"
}

mean() { [ ! -e "means.$1" ] && echo - || printf %.2f "$(geometric_mean <"means.$1")"; }

format='%-11s %13s %7s %9s %8s %9s %8s %8s %9s %8s %8s %7s\n'
echo
# shellcheck disable=SC2059
{
	printf "$format" recording instructions native recorded CPU no skipped exp-bbv 'exp-bbv' 'exp-bbv' size memory
	printf "$format" '' '' s /native /native addresses /native /native /recorded '/no addr' B/instr MB
}
for round in $(seq "$rounds"); do
	while IFS='|' read -r name command; do
		# shellcheck disable=SC2086
		[ -z "$name" ] || record_round ${name// /} $command
	done <<<"$programs"
	# shellcheck disable=SC2086
	record_round waiting $waiting
done
while IFS='|' read -r name command; do
	[ -z "$name" ] || record_line ${name// /}
	[ -z "$name" ] || vectors_line ${name// /} "$(field "${name// /}.trace" instructions)" >>vectors.table
	rm -f "${name// /}.trace"
done <<<"$programs"
# shellcheck disable=SC2059
printf "$format" 'geom. mean' '' '' "$(mean all)" "$(mean cpu)" "$(mean flow)" "$(mean skipped)" "$(mean bbv)" "$(mean bbv_all)" \
	"$(mean bbv_flow)" "$(printf %.4f "$(geometric_mean <means.size)")" ''
record_line waiting

# trace-bbv: M instructions a second of CPU time, on traces without and with addresses; the time of
# exp-bbv over that of recording without addresses and trace-bbv, through a file and through a pipe.
format='%-11s %10s %10s %10s %10s\n'
echo
# shellcheck disable=SC2059
{
	printf "$format" vectors 'no addr' 'all addr' 'exp-bbv' 'exp-bbv'
	printf "$format" '' M/s M/s '/file' '/pipe'
	cat vectors.table
	printf "$format" 'geom. mean' "$(mean vectors)" "$(mean vectors_all)" "$(mean vectors_file)" "$(mean vectors_pipe)"
	vectors_line waiting "$(field waiting.trace instructions)"
}
rm -f waiting.trace

# ---- between windows ----

# skipped_line NAME COMMAND...
skipped_line() {
	local name=$1 native skipped windows
	shift
	for _ in $(seq "$rounds"); do
		seconds_of "$@" >>"$name.native"
		seconds_of "$bin/trace-record" -q --force --skip=1000000000000 -o none.trace -- "$@" >>"$name.skipped"
		seconds_of "$bin/trace-record" -q --force --every=1000M --for=10M -o windows.trace -- "$@" >>"$name.windows"
	done
	native=$(median <"$name.native")
	skipped=$(calculate %.2f "$(median <"$name.skipped") / $native")
	windows=$(calculate %.2f "$(median <"$name.windows") / $native")
	echo "$skipped" >>means.skipped
	echo "$windows" >>means.windows
	# shellcheck disable=SC2059
	printf "$format" "$name" "$native" "$skipped" "$windows"
}

# This runs in a subshell: it has scale, programs and means of its own.
if [ "${SKIPPED:-1}" != 0 ]; then (
	mkdir longer
	cd longer
	SCALE=$((5 * scale))
	make_programs
	format='%-11s %7s %8s %8s\n'
	echo
	# shellcheck disable=SC2059
	{
		printf "$format" skipped native skipped windows
		printf "$format" '' s /native /native
	}
	while IFS='|' read -r name command; do
		# shellcheck disable=SC2086
		[ -z "$name" ] || skipped_line ${name// /} $command
	done <<<"$programs"
	# shellcheck disable=SC2059
	printf "$format" 'geom. mean' '' "$(mean skipped)" "$(mean windows)"
	skipped_line handoff ./handoff $((8000 * scale)) # threads that wait for each other; not in the means
	echo
); rm -rf longer; fi
[ "${VECTORS:-1}" = 0 ] || "$folder/vectors.sh" "$build" "$rounds"
[ "$analyzed" -eq 0 ] || "$folder/analyzers.sh" "$build" "$analyzed"
[ "$exported" -eq 0 ] || "$folder/exports.sh" "$build" "$exported"
[ "$divided" -eq 0 ] || "$folder/parts.sh" "$build" "$divided" "$rounds"
echo

for command in true 'ls /'; do
	for _ in 1 2 3 4 5; do
		# shellcheck disable=SC2086
		seconds_of "$bin/trace-record" -q --force -o short.trace -- $command
	done >"short.times"
	printf 'short: %-6s %s s (median of 5)\n' "$command" "$(median <short.times)"
done
[ "${SHORT:-1}" = 0 ] || "$folder/short.sh" "$build" "$rounds"

# ---- stack distances: M touches a second of CPU time, and memory for a distinct block ----

touches() { "$bin/trace-stackdist" --format=csv window.trace | sed -n "s/^reads+writes,64,\([0-9]*\),\([0-9]*\),.*/\\$1/p"; }

for command in 'gzip -c gzip.in' '/usr/bin/python3 -S -E script.py' './chase 10000000 1'; do
	[ "$window" -gt 0 ] || break
	# shellcheck disable=SC2086
	"$bin/trace-record" -q --force --count="$window" -o window.trace -- $command >/dev/null
	rm -f stackdist.memory
	for size in 1Ti 64; do
		read -r _ cpu < <(timed watched stackdist.memory "$bin/trace-stackdist" --block-size=$size window.trace)
	done
	read -r _ both < <(timed "$bin/trace-stackdist" --block-size=64,4Ki --accesses=reads,writes window.trace)
	printf 'stackdist: %-17s %9d touches: %5.1f M/s, reads, writes and pages %4.1f; %7d blocks: %s bytes each\n' \
		"${command%% *}" "$(touches 1)" "$(calculate %f "$(touches 1) / $cpu / 1e6")" \
		"$(calculate %f "2 * $(touches 1) / $both / 1e6")" "$(touches 2)" \
		"$(awk -v n="$(touches 2)" '{ mb[NR] = $1 } END { printf "%.1f", (mb[2] - mb[1]) * 1e6 / n }' stackdist.memory)"
done
rm -f window.trace

# ---- threads, process trees, generated code ----

cat >loop.js <<END
let s = 0
for (let k = 0; k < $((100000000 * scale)); k++)
	s = (s * 31 + k) % 1000003
console.log(s)
END
cat >forks.sh <<END
for i in \$(seq $((200 * scale))); do /bin/true; done
END

# name | command, recorded with --follow
programs="
threads     | ./threads 4 $((200000 * scale))
forks       | sh forks.sh
node        | node loop.js"

format='%-11s %13s %9s %8s %9s\n'
echo
# shellcheck disable=SC2059
{
	printf "$format" followed instructions processes native recorded
	printf "$format" '' '' '' s /native
}
while IFS='|' read -r name command; do
	name=${name// /}
	command -v "$(echo $command | cut -d" " -f1)" >/dev/null || continue	# node may not be there
	for _ in $(seq "$rounds"); do
		# shellcheck disable=SC2086
		seconds_of $command >>"$name.native"
		# shellcheck disable=SC2086
		seconds_of "$bin/trace-record" -q --force --follow -o followed.trace -- $command >>"$name.all"
	done
	# shellcheck disable=SC2059
	printf "$format" "$name" "$(field followed.trace instructions)" "$(field followed.trace processes)" \
		"$(median <"$name.native")" \
		"$(calculate %.2f "$(median <"$name.all") / $(median <"$name.native")")"
done <<<"${programs#?}"
rm -f followed.trace
echo

# ---- sampling ----

[ "${SAMPLING:-1}" = 0 ] || "$folder/sampling.sh" "$build"
echo

# ---- repacking ----

# anonymised NAME: anonymises window.trace, in CPU time, which the machine's other work changes least
anonymised() {
	local preset cpu
	for preset in share public; do
		read -r _ cpu < <(timed "$bin/trace-anonymise" -q --force --jobs=1 --preset=$preset -o made.trace window.trace)
		printf 'anonymise: %-6s %-6s %d bytes, %.2f of it, %.0f M instructions/s of CPU time\n' "$1" "$preset" \
			"$(stat -c %s made.trace)" \
			"$(calculate %f "$(stat -c %s made.trace) / $(stat -c %s window.trace)")" \
			"$(calculate %f "$(field window.trace instructions) / 1000000 / $cpu")"
	done
}

for command in 'gzip -c gzip.in' 'bzip2 -c bzip2.in'; do
	[ "$window" -gt 0 ] || break
	# shellcheck disable=SC2086
	"$bin/trace-record" -q --force --count="$window" -o window.trace -- $command >/dev/null
	rm -f packed.trace
	seconds=$(seconds_of "$bin/trace-repack" -o packed.trace window.trace)
	before=$(stat -c %s window.trace)
	after=$(stat -c %s packed.trace)
	printf 'repack: %-6s %d instructions, %d bytes, then %d: %.2f of it, %.4f B/instr, in %.1f s\n' \
		"${command%% *}" "$(field packed.trace instructions)" "$before" "$after" \
		"$(calculate %f "$after / $before")" "$(calculate %f "$after / $(field packed.trace instructions)")" \
		"$seconds"
	anonymised "${command%% *}"
done
if [ "$window" -gt 0 ]; then # a program that starts and ends executes much code, most of it seldom
	"$bin/trace-record" -q --force -o window.trace -- python3 -c 'import json, re, subprocess'
	anonymised start
fi
rm -f window.trace packed.trace made.trace

# ---- simulation points: 20,000 intervals of 1,000 blocks out of 100,000, 40 phases ----

awk 'BEGIN {
	srand(1)
	for (i = 0; i < 20000; i++) {
		if (i == 0 || rand() < .01) phase = int(rand() * 40)
		printf "T"
		for (k = 0; k < 1000; k++)
			printf ":%d:%d   ", (phase * 7919 + k * 100 + (k % 4 ? 0 : int(rand() * 50))) % 100000 + 1,
				1000 + k * 37 % 9000 + int(rand() * 200)
		print ""
	}
}' >many.bb
for compat in '' --compat=simpoint3; do
	seconds=$(seconds_of "$bin/trace-simpoint" --max-k=30 $compat many.bb)
	printf 'simpoint: %-18s 20000 intervals, 100000 blocks, maxK 30, %d bytes: %.1f s\n' "$compat" \
		"$(stat -c %s many.bb)" "$seconds"
done
rm -f many.bb

# ---- replay of single-stepped traces ----

head -c 6000 /bin/bash >input
head -c 1000 /bin/bash >small
echo 'create table t(a,b); with recursive n(i) as (select 1 union all select i+1 from n where i<60) insert into t select i, i*i from n; select sum(b) from t where a % 3 = 0;' >small.sql
echo 'print(sum(i * i for i in range(1000)))' >small.py

# name | options of trace-record (a --count means: too long to be recorded whole) | command
programs='
compute     |               | ./compute 24
chase       |               | ./chase 4096 8
sort        |               | ./sort 2000
interpreter |               | ./interpreter 300
gzip        | --count=500k  | gzip -c small
bzip2       | --count=500k  | bzip2 -c input
sqlite3     | --count=500k  | sqlite3 -init small.sql :memory: .quit
python3     | --count=500k  | /usr/bin/python3 -S -E small.py'

# replay_line NAME OPTIONS COMMAND...
replay_line() {
	local name=$1 options=$2 trace=$1.trace seconds n addresses blocks paths copy
	shift 2
	# shellcheck disable=SC2086
	seconds=$(seconds_of "$bin/trace-record" -q --force --backend=step -o "$trace" $options -- "$@")
	n=$(field "$trace" instructions)
	"$tests/replicate" "$trace" $((replay_instructions / n + 1)) long.trace
	read -r _ addresses blocks paths copy < <("$tests/replay" long.trace 5)
	# shellcheck disable=SC2059
	printf "$format" "$name" "$n" "$seconds" "$(calculate %.3f "$n / $seconds / 1e6")" \
		"$addresses" "$blocks" "$paths" "$copy"
	rm -f long.trace
}

if [ "${IMPORT:-1}" != 0 ]; then
	echo
	"$folder/import.sh" "$build" 20000000 "$rounds"
fi

if [ "${STEP:-1}" != 0 ]; then
	format='%-12s %12s %9s %9s | %9s %9s %9s %7s\n'
	echo
	# shellcheck disable=SC2059
	{
		printf "$format" stepped instructions recorded recording replay: blocks paths time
		printf "$format" '' '' s M/s 'addr M/s' M/s M/s '/copy'
	}
	while IFS='|' read -r name options command; do
		# shellcheck disable=SC2086
		[ -z "$name" ] || replay_line ${name// /} "${options// /}" $command
	done <<<"$programs"
fi

[ "$long_instructions" -gt 0 ] || [ "$large_bytes" -gt 0 ] || exit 0
echo
if [ "$long_instructions" -gt 0 ]; then
	# The trace is mostly records of executions, all of them really stepped, with little code and few symbols.
	echo 'print(sum(int(str(i * i)[::-1]) for i in range(1000000)))' >long.py
	recorded=$(seconds_of "$bin/trace-record" --quiet --force --backend=step \
		--count="$long_instructions" -o long.trace -- /usr/bin/python3 -S -E long.py)
	n=$(field long.trace instructions)
	size=$(field long.trace bytes)
	"$tests/replicate" long.trace $((replay_instructions / n + 1)) longer.trace
	read -r millions addresses blocks paths copy < <("$tests/replay" longer.trace 5)
	printf 'long:  %d instructions of python3, %d bytes, stepped in %.0f s; repeated to %.0f M:\n' \
		"$n" "$size" "$recorded" "$millions"
	printf '       addresses %s M/s, blocks %s M/s, paths %s M/s; addresses take %s times the copy loop\n' \
		"$addresses" "$blocks" "$paths" "$copy"
	rm -f long.trace longer.trace
fi

[ "$large_bytes" -gt 0 ] || exit 0
if [ "$(df --output=avail -B1 . | tail -1)" -lt $((large_bytes + large_bytes / 4)) ]; then
	echo 'large: left out, there is no room'
	exit 0
fi
# Random addresses make many bytes; the way of recording does not matter.
"$bin/trace-record" --quiet -o random.trace -- ./chase 1000000 6 >chase.out
"$tests/replicate" random.trace $((large_bytes / $(stat -c %s random.trace) + 1)) large.trace
for _ in 1 2 3 4 5; do
	seconds_of "$bin/trace-info" large.trace
done >info.times
printf 'large: trace-info takes %.3f s for a trace of %d bytes, %d instructions\n' \
	"$(median <info.times)" "$(stat -c %s large.trace)" "$(field large.trace instructions)"
