#!/bin/bash
# SPDX-License-Identifier: MIT
# Between windows instructions are only counted, and counted exactly: each window equals
# that part of the whole recording, whatever the program does in between.
. "$(dirname "$0")/backends.sh"

length=50
# The lines without ordinals, and without the line of heads.
listing() { "$BIN/trace-dump" --format=csv --no-events "$@" | tail -n +2 | cut -d, -f3-; }

# agrees NAME WINDOWS [OPTION...] -- PROGRAM ARGUMENT...: WINDOWS or a few more windows agree.
agrees() {
	local name=$1 windows=$2 status total period
	local -a options command
	shift 2
	split_options "$@"
	set -- "${command[@]}"
	"${fixed[@]}" $unrandomised "$@" <$input >native.out 2>native.err
	status=$?
	record translate whole $status "${options[@]}" -- "$@"
	total=$(info whole.trace instructions)
	period=$((total / windows))
	record translate windows $status "${options[@]}" --every=$period --for=$length -- "$@"
	check "$name.output" cmp native.out windows.out
	check "$name.verify" "$BIN/trace-verify" -q windows.trace
	if [ $total -lt 500000 ]; then
		listing whole.trace | awk -v period=$period -v size=$length "(NR - 1) % period < size"
	else
		for ((at = 0; at < total; at += period)); do
			listing whole.trace --from=$at --count=$length
		done
	fi >expected
	listing windows.trace >found
	check "$name.same" cmp expected found
	check "$name.enough" [ "$(wc -l <found)" -ge $((windows * length)) ]
}

# ---- every form of instruction, transfer and fault ----
agrees kernels 40 -- "$PROGRAMS/kernels_o2"
agrees native 20 -- "$PROGRAMS/kernels_native"
agrees thunks 20 -- "$PROGRAMS/kernels_thunks"
agrees reps 5 -- "$PROGRAMS/reps"
agrees calls 3 -- "$PROGRAMS/calls"
agrees transfers 3 -- "$PROGRAMS/transfers"
agrees non_canonical 7 -- "$PROGRAMS/non_canonical"
# ---- code that changes, signals from faults, recorded calls ----
agrees rewrites 7 -- "$PROGRAMS/rewrites"
agrees faults 10 -- "$PROGRAMS/faults"
agrees functions 10 --function=malloc -- "$PROGRAMS/functions"
# ---- real programs ----
seq 3000 | sed 's/$/ of some text/' >text
agrees gzip 20 -- gzip -nc text
is_quick || agrees sort 10 -- sort -S 1M -rn text
agrees sqlite 10 -- sqlite3 :memory: \
	'create table t(a); with recursive n(i) as (select 1 union all select i+1 from n where i<300)
	insert into t select i*7919%307 from n; select sum(a) from t group by a%3;'
is_quick || agrees perl 10 -- perl -e 'for (1..2000) { $h{$_ % 37} .= chr(65 + $_ % 26) }
	print sort(values %h), "\n"'

# ---- long windows, which end inside of what has been executed at once, and little between them ----
length=3000
agrees long_windows 10 -- "$PROGRAMS/kernels_o2"
length=400
agrees many_windows "$(quick_or_full 60 200)" -- "$PROGRAMS/functions"
length=50

# ---- windows so far apart that buffers are handed over until they end: how each begins and ends ----
many='with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)'
query="create table t(a); $many insert into t select i * 7919 % 307 from n; select sum(a) from t group by a % 3;"
every=40000000 length=5000000
record translate whole 0 -- sqlite3 :memory: "$query"
record translate windows 0 --every=$every --for=$length --self-check -- sqlite3 :memory: "$query"
check far.output cmp whole.out windows.out
check far.verify "$BIN/trace-verify" -q windows.trace
total=$(info whole.trace instructions)
windows=$(((total - length) / every + 1))
for ((i = 0; i < windows; i++)); do
	for from in 0 $((length - 1000)); do
		listing whole.trace --from=$((i * every + from)) --count=1000
	done
done >expected
for ((i = 0; i < windows; i++)); do
	for from in 0 $((length - 1000)); do
		listing windows.trace --from=$((i * length + from)) --count=1000
	done
done >found
check far.same cmp expected found
check far.enough [ $windows -ge 3 ]
length=50

# ---- few instructions around windows are stepped ----
"$BIN/trace-record" --force -q -o whole.trace -- "$PROGRAMS/functions" >/dev/null
total=$(info whole.trace instructions)
"${fixed[@]}" "$BIN/trace-record" --force --stats -o windows.trace --every=$((total / 20)) \
	--for=$length -- "$PROGRAMS/functions" >/dev/null 2>stats
stepped=$(sed -n 's/.* stepped: .* blocks, \([0-9,]*\) instructions.*/\1/p' stats | tr -d ,)
check windows.few_steps [ "${stepped:-100000}" -le $((20 * 40)) ]

# ---- a long program with skipped parts: superblocks are extended there, too ----
many='with recursive n(i) as (select 1 union all select i + 1 from n where i < 25000)'
agrees surveyed 2 -- sqlite3 :memory: "create table t(a); $many insert into t select i * 7919 % 307 from n;
	select sum(a) from t group by a % 3;"
"$BIN/trace-record" --force --stats -o surveyed.trace --skip=1000000000 -- \
	sqlite3 :memory: "$many select count(i % 7) from n" >/dev/null 2>stats
joined=$(sed -n 's/.* superblocks, \([0-9,]*\) of them extended.*/\1/p' stats | tr -d ,)
check surveyed.joined [ "${joined:-0}" -ge 10 ]

# ---- threads and processes: each of them, by its gaps ----
# The thread that first calls a function, and hence looks the function up, would depend on turns.
fixed+=(LD_BIND_NOW=1)
for each in "6001 gated 3 3000" "1501 forks 2"; do
	period=${each%% *} program=${each#* }
	# shellcheck disable=SC2086
	record translate whole 0 --follow --threads=serial -- "$PROGRAMS/"$program
	# shellcheck disable=SC2086
	record translate windows 0 --follow --every=$period --for=$length -- "$PROGRAMS/"$program
	for trace in whole windows; do
		"$BIN/trace-dump" --format=jsonl $trace.trace >$trace.listing
	done
	check_status "${program%% *}.same" 0 /usr/bin/python3 "$tests/recorder/windows_agree.py" \
		whole.listing windows.listing
	read -r compared gaps <out
	check "${program%% *}.enough" [ "${compared:-0}" -ge 300 -a "${gaps:-0}" -ge 10 ]
done
unset "fixed[-1]"

# ---- system calls, most of them without a stop: results are the native ones ----
for windows in "many 3001" "signal 3001" "exit 3001" "signal 1G" "exit 1G" "wait 1G"; do
	mode=${windows% *} period=${windows#* }
	"$PROGRAMS/enters" $mode >native.out
	record translate enters $? --every=$period --for=$length -- "$PROGRAMS/enters" $mode
	check enters.$mode.$period.output cmp native.out enters.out
	check enters.$mode.$period.verify "$BIN/trace-verify" -q enters.trace
done
"$BIN/trace-record" --force --stats -o enters.trace --skip=1000000000 -- "$PROGRAMS/enters" many \
	>/dev/null 2>stats
resumed=$(sed -n 's/.*, \([0-9,]*\) times resumed.*/\1/p' stats | tr -d ,)
check enters.few_stops [ "${resumed:-1000000}" -lt 12000 ]
