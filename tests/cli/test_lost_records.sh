#!/bin/bash
# SPDX-License-Identifier: MIT
# Traces whose dictionary has gaps, with right hashes: each command ends by itself, and its results
# are those of the rest of the trace.
. "$(dirname "$0")/../lib.sh"
edit=$BIN/../tests/edit_trace
"$BIN/trace-record" -q --follow --chunk=1k --from=main --count=3000 -o "$work/forks.trace" -- "$PROGRAMS/forks" 2 >/dev/null 2>&1
"$BIN/trace-record" -q --count=3000 -o "$work/one.trace" -- "$PROGRAMS/objects" >/dev/null 2>&1
cp tests/golden/v1.3/sampled-chains.trace "$work/samples.trace"
cd "$work" || exit 1
mkdir made
printf 'analysis_type: all\ninterval_size: full\nppm: -1\n' >mica.conf

# Each command is run with the trace's name as the last argument; its outputs go to made/.
commands=(
	trace-info trace-info\ --all 'trace-info -t' 'trace-info --samples' trace-verify trace-dump
	'trace-dump --view=blocks' 'trace-dump --samples'
	'trace-bbv --interval=100 --bb-out-file=made/%p.%i --pc-out-file=made/pc.%p'
	trace-footprint trace-itypes trace-ilp trace-ppm trace-reg trace-stride trace-stackdist
	'trace-mica -d made' 'trace-mica -d made --threads=each' trace-mix 'trace-mix --by=symbol' 'trace-mix --by=module'
	'trace-mix --by=thread' 'trace-mix --threads=each' 'trace-mix -j3' trace-slo 'trace-slo --data'
	trace-cache 'trace-calls --per=process' 'trace-calls --export=callgrind' 'trace-calls --export=pprof'
	'trace-ibs --period=50 --by=symbol,object,region,thread,process' 'trace-ibs --source=hardware --by=symbol,object,thread,stack'
	'trace-simpoint --interval=100 --max-k=3 -o made/points --force' 'trace-repair --force -o made/repaired'
	'trace-repack --force -o made/packed' 'trace-join --force -o made/joined' 'trace-filter --force --cache=1Ki/4/64 -o made/filtered' 'trace-export --force --to=champsim -o made/champsim'
	'trace-export --force --to=bt9 -o made/bt9'
)

# survives NAME TRACE: no command is killed, whatever its status.
survives() {
	local command status bad=
	for command in "${commands[@]}"; do
		# shellcheck disable=SC2086
		timeout $patience "$BIN"/$command "$2" >made/text 2>err
		status=$?
		[ $status -le 3 ] && ! grep -qE 'Sanitizer|runtime error' err || bad+="$command: $status; "
	done
	check_equal "$1" "" "$bad"
}

# shellcheck disable=SC2046
for trace in $(quick_or_full 'forks samples' 'one forks samples'); do
	for kind in $(quick_or_full 'MODULES PROCESSES THREADS FUNCTIONS BLOCKS' \
		'MODULES SYMBOLS PROCESSES THREADS MAPPINGS FUNCTIONS REGIONS BLOCKS PATHS SAMPLERS SCHEDULE'); do
		"$edit" "$trace.trace" edited.trace "drop:$kind" feature:4 2>/dev/null || continue
		cmp -s "$trace.trace" edited.trace || survives "$trace.without_$kind" edited.trace
	done
	# The first records are lost, or indices are far beyond the last record.
	for kind in $(quick_or_full 'PROCESSES THREADS' 'MODULES PROCESSES THREADS MAPPINGS FUNCTIONS BLOCKS PATHS'); do
		for first in $(quick_or_full 65535 '1 100 65535'); do
			"$edit" "$trace.trace" edited.trace "set:$kind:0:first:$first" feature:4 2>/dev/null &&
				survives "$trace.$kind.from_$first" edited.trace
		done
	done
done

# An unknown thread is left out of results; those of the other threads are whole.
"$edit" forks.trace edited.trace drop:THREADS:1 feature:4
check_status unknown_thread.verify 1 "$BIN/trace-verify" edited.trace
check_match unknown_thread.is_named 'thread [12] has chunks, but is not known' err
thread=$(sed -n 's/.*: thread \([0-9]*\) has chunks.*/\1/p' err)
"$BIN/trace-mix" --format=json --thread="$thread" forks.trace >its
its=$(sed -n 's/^  "instructions": \([0-9]*\),/\1/p' its | head -1)
others=$(($(info forks.trace instructions) - its))
check_status unknown_thread.mix 1 "$BIN/trace-mix" --format=json edited.trace
check_match unknown_thread.is_told 'trace is damaged' err
check_equal unknown_thread.others "$others" "$(sed -n 's/^  "instructions": \([0-9]*\),/\1/p' out | head -1)"
check_status unknown_thread.chosen 3 "$BIN/trace-mix" --thread="$thread" edited.trace
check repairs "$BIN/trace-repair" --force -q -o repaired.trace edited.trace
check_status repaired.verify 0 "$BIN/trace-verify" repaired.trace
check_equal repaired.others "$others" "$(info repaired.trace instructions)"

# A slice of a thread whose process is lost: the message names the file.
"$edit" one.trace edited.trace drop:PROCESSES feature:4
check_status cut.process 1 "$BIN/trace-cut" -q --force --from=1 --count=5 -o made/cut edited.trace
check_match cut.process.says 'edited.trace: a process that the slice needs is lost' err
