#!/bin/bash
# SPDX-License-Identifier: MIT
# Vectors that are made in parts, or by several jobs, are those of one pass: files of vectors and of places, the
# summary, and the report. Small chunks cut inside of blocks, of repetitions and of signals.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1

record() { # record NAME CHUNK OPTIONS... -- PROGRAM...
	"$BIN/trace-record" -q --chunk="$2" -o "$1.trace" "${@:3}" >/dev/null 2>"$1.log"
}
# vectors FOLDER COMMAND...: everything that the command writes, in a folder of its own
vectors() {
	rm -rf "$1" && mkdir "$1"
	(cd "$1" && "${@:2}" --bb-out-file=bb.%p --pc-out-file=pc.%p >out 2>err)
}
# make_parts NAME N OPTIONS... TRACE: the files NAME.0, NAME.1, ...
make_parts() {
	local name=$1 n=$2
	shift 2
	rm -f "$name".*
	for ((i = 0; i < n; i++)); do
		"$BIN/trace-bbv" "$@" --part="$i/$n" --partial="$name.%p" >>parts.log 2>&1 || return
	done
}
merged() { # merged FILES...: in the folder got
	vectors got "$BIN/trace-merge" --format=json --trace="../$trace" "${@/#/..\/}" -- $options
}

record reps 3000 -- "$PROGRAMS/reps"
record states 40 -- "$PROGRAMS/states"
record functions 40 --from=factorial --to=end -- "$PROGRAMS/functions"
record signals 40 -- "$PROGRAMS/blocks-signals"
record threads 3000 --threads=serial --from=main --count=20k -- "$PROGRAMS/threads"
record processes 3000 --follow -- sh -c 'echo x | read -r y'

# ---- results ----
while read -r name n options; do
	trace=$name.trace case=$name${options// /}
	vectors one "$BIN/trace-bbv" --format=json $options "../$trace"
	check "$case.some" grep -q '^# Thread' one/bb.*
	vectors got "$BIN/trace-bbv" --format=json $options --jobs=3 "../$trace"
	check "$case.jobs" diff -r one got
	check "$case.make" make_parts p "$n" $options "$trace"
	mapfile -t files < <(ls p.* | sort -R)
	merged "${files[@]}"
	check "$case.parts" diff -r one got
done <<'END'
reps 5 --interval=1000
reps 5 --interval=7 --keep-last --compat=exact
reps 3 --interval=1T --keep-last --blocks=cfg --key=module+offset
reps 4 --interval=1000 --memory=page --keep-last
reps 3 --interval=333 --from=3001 --count=20000
reps 2 --interval=100 --instr-count-only
states 30 --interval=2 --keep-last
states 9 --interval=13 --compat=exact --blocks=cfg
functions 5 --interval-mark=recorded --compat=exact
signals 6 --interval=50 --compat=exact
threads 5 --interval=1000
threads 3 --interval=500 --compat=exact --key=module+offset
threads 2 --interval=300 --thread=1 --keep-last
processes 5 --interval=1000 --keep-last
processes 4 --interval=1000 --instr-count-only --compat=exact
reps 1 --interval=100
reps 2 --interval=100
reps 9 --interval=100
END

trace=processes.trace options="--interval=1000 --keep-last"
vectors one "$BIN/trace-bbv" --format=json $options ../$trace
make_parts p 7 $options $trace
check tree.right "$BIN/trace-merge" --partial=q p.6 p.4 p.5
check tree.left "$BIN/trace-merge" --partial=r p.1 p.2
check tree.both "$BIN/trace-merge" --partial=s r q p.3
merged s p.0
check tree diff -r one got

# ---- two passes ----
# Instructions that fault count by exp-bbv's rules, so intervals end earlier than the parts assume.
trace=signals.trace options="--interval=7 --keep-last"
vectors one "$BIN/trace-bbv" --format=json $options ../$trace
vectors got "$BIN/trace-bbv" --format=json $options --jobs=3 ../$trace
check fallback diff -r one got
make_parts p 6 $options $trace
merged p.*
check_match wrong_lengths 'thread 0 do not end where the parts assumed.* --lengths=FILE' got/err
check wrong_lengths.silent [ ! -e got/bb.* ]
check first_pass make_parts c 6 $options --instr-count-only $trace
check lengths "$BIN/trace-merge" --partial=lengths c.*
check second_pass make_parts p 6 $options --lengths=lengths $trace
merged p.*
check two_passes diff -r one got

# ---- refusals ----
refused() { # refused NAME STATUS MESSAGE OPTIONS...
	check_status "$1" "$2" "$BIN/trace-bbv" "${@:4}"
	check_match "$1.says" "$3" err
}
refused caches 2 'simulates caches, which depend on everything before' --memory=miss --part=0/2 --partial=x reps.trace
refused single 2 'intervals of one instruction' --interval=1 --part=0/2 --partial=x reps.trace
refused lengths_alone 2 'lengths needs --part' --lengths=lengths signals.trace
refused lengths_foreign 1 'lengths: is not a partial result of trace-bbv for this trace' \
	--lengths=lengths --part=0/2 --partial=x reps.trace
refused lengths_gone 1 'No such file' --lengths=gone --part=0/2 --partial=x reps.trace
check untouched [ ! -e x ]
make_parts p 2 --interval=100 reps.trace
make_parts o 2 --interval=200 reps.trace
check_status options 1 "$BIN/trace-merge" p.0 o.1
check_match options.says "option text is 'interval=" err
