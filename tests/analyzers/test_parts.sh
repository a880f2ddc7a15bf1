#!/bin/bash
# SPDX-License-Identifier: MIT
# Analyses that are merged from parts give the result of one pass, by --jobs and by files of partial results:
# small chunks, so that a stream is cut in many places; several threads and processes. Then the files that must
# be refused, and the parts that schedulers choose.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
cd "$work" || exit 1

record() { # record NAME OPTIONS... -- PROGRAM...
	"$BIN/trace-record" -q --chunk=3000 -o "$1.trace" "${@:2}" >/dev/null 2>"$1.log"
}
make_parts() { # make_parts N ANALYZER OPTIONS... TRACE: the files p.0, p.1, ...
	local n=$1 analyzer=$2
	shift 2
	rm -f p.*
	for ((i = 0; i < n; i++)); do
		"$BIN/trace-$analyzer" "$@" --part="$i/$n" --partial=p.%p >>parts.log 2>&1 || return
	done
}

record reps -- "$PROGRAMS/reps"
record threads --threads=serial --from=main --count="$(quick_or_full 25k 1M)" -- "$PROGRAMS/threads"
record processes --follow -- sh -c "$(quick_or_full 'echo x | read -r y' 'ls /; echo x | sort')"

# ---- results ----
for trace in reps threads processes; do
	for analyzer in mix itypes footprint stride reg stackdist ilp; do
		options=()
		[ $analyzer = stackdist ] && options=(--accesses=reads,writes+fetches --block-size=64,4Ki --histogram --cache-size=4Ki,8Mi)
		[ $analyzer = footprint ] && options=(--page-size=64Ki)
		"$BIN/trace-$analyzer" "${options[@]}" $trace.trace --format=json >one 2>one.log
		check $trace.$analyzer.counts grep -qE 'instructions|executions' one
		for jobs in 2 17; do
			"$BIN/trace-$analyzer" "${options[@]}" $trace.trace --jobs=$jobs --format=json >got 2>got.log
			check $trace.$analyzer.jobs.$jobs cmp one got
		done
		for n in $(is_quick && [ $trace != reps ] || echo 1) 5; do
			check $trace.$analyzer.make.$n make_parts $n $analyzer "${options[@]}" $trace.trace
			mapfile -t files < <(ls p.* | sort -R)
			"$BIN/trace-merge" "${files[@]}" --format=json -- "${options[@]}" >got 2>got.log
			check $trace.$analyzer.parts.$n cmp one got
		done
		check $trace.$analyzer.tree.left "$BIN/trace-merge" --partial=q p.2 p.1
		check $trace.$analyzer.tree "$BIN/trace-merge" --format=json -o got p.3 q p.0 p.4 -- "${options[@]}"
		check $trace.$analyzer.tree.same cmp one got
	done
done

# More parts than chunks: some are empty. Ranges, and a thread.
"$BIN/trace-mix" reps.trace >one 2>&1
check empty_parts make_parts 8 mix reps.trace
"$BIN/trace-merge" p.* >got 2>&1
check empty_parts.same cmp one got
"$BIN/trace-stride" --from=1000 --count=20000 reps.trace >one 2>&1
check range make_parts 3 stride --from=1000 --count=20000 reps.trace
"$BIN/trace-merge" p.* >got 2>&1
check range.same cmp one got
"$BIN/trace-reg" --thread=1 threads.trace >one 2>&1
check thread make_parts 3 reg --thread=1 threads.trace
"$BIN/trace-merge" p.* >got 2>&1
check thread.same cmp one got
"$BIN/trace-mix" --by=symbol --top=3 --format=csv reps.trace >one 2>&1
make_parts 2 mix reps.trace
"$BIN/trace-merge" --format=csv p.* -- --by=symbol --top=3 >got 2>&1
check report_options cmp one got

# ilp: parts that are longer than the log of a state, a line of options each; and chains of dependences that never join.
"$BIN/trace-record" -q --chunk=10k -o long.trace --count=400k -- gzip -c "$PROGRAMS/vectors" >/dev/null 2>&1
"$BIN/trace-record" -q --chunk=10k -o chains.trace -- "$PROGRAMS/chains"
printf 'SPECIAL, mem_read, 4\nCATEGORY, BINARY, 3\n' >latencies
while read -r -a options; do
	case=ilp.${options[0]}
	"$BIN/trace-ilp" "${options[@]}" long.trace --jobs=1 --format=json >one 2>&1
	"$BIN/trace-ilp" "${options[@]}" long.trace --jobs=3 --format=json >got 2>&1
	check "$case.jobs" cmp one got
	check "$case.make" make_parts 4 ilp "${options[@]}" long.trace
	check "$case.tree.left" "$BIN/trace-merge" --partial=q p.2 p.1
	check "$case.tree" "$BIN/trace-merge" --format=json -o got p.3 q p.0
	check "$case.same" cmp one got
done <<'END'
--windows=1,32,300
--windows=64,1000,8,16,64 --block-size=1 --flags
--latency=latencies --fold-registers
END
"$BIN/trace-ilp" chains.trace --jobs=1 >one
for jobs in 2 4; do
	"$BIN/trace-ilp" chains.trace --jobs=$jobs >got
	check ilp.chains.jobs.$jobs cmp one got
done
check ilp.chains.make make_parts 4 ilp --jobs=2 chains.trace
check ilp.chains.tree.left "$BIN/trace-merge" --partial=q p.1 p.2
check ilp.chains.tree "$BIN/trace-merge" -o got p.3 q p.0
check ilp.chains.same cmp one got
for windows in unlimited 4097; do
	check_status ilp.$windows 2 "$BIN/trace-ilp" --windows=32,$windows --part=0/2 --partial=o long.trace
	check_match ilp.$windows.says "'$windows' excludes --part" err
done
check ilp.untouched [ ! -e o ]

# ---- refusals ----
refused() { # refused NAME MESSAGE FILES...
	check_status "$1" 1 "$BIN/trace-merge" "${@:3}"
	check_match "$1.says" "$2" err
	check "$1.silent" [ ! -s out ]
}
check parts make_parts 4 footprint threads.trace
refused missing 'parts are missing: --part=1/4 --part=3/4$' p.2 p.0
check_status incomplete 1 "$BIN/trace-merge" --incomplete p.2 p.0
check_match incomplete.says '^complete +no$' out
check_status analyzer.option 2 "$BIN/trace-merge" --top=3 p.2 p.0
check_match analyzer.option.says "unknown option '--top=3'; options of the analyzer stand behind --$" err
for words in '--partial=q p.0 p.1 -- --top=3' '--partial=q --output=r p.0 p.1'; do
	# shellcheck disable=SC2086
	check_status "excludes $words" 2 "$BIN/trace-merge" $words
	check_match "excludes.says $words" '--partial excludes --output and options of the analyzer' err
done
refused hole 'parts are missing: --part=0/4 --part=2/4$' --partial=q p.1 p.3
# A file may claim any number of parts; most of these are empty.
check many.make "$BIN/trace-footprint" --part=0/1073741824 --partial=many threads.trace
refused many 'parts are missing$' many
check twice "$BIN/trace-merge" p.0 p.1 p.2 p.3 p.1
"$BIN/trace-footprint" --part=0/3 --partial=other threads.trace
refused overlap 'other.* have the same instructions' p.0 p.1 p.2 p.3 other
"$BIN/trace-footprint" --part=1/4 --block-size=128 --partial=other threads.trace
refused options "option text is 'block-size=128" p.0 other p.2 p.3
"$BIN/trace-mix" --part=1/4 --partial=other threads.trace
refused analyzer "analyzer is 'trace-mix'" p.0 other p.2 p.3
"$BIN/trace-footprint" --part=1/4 --partial=other processes.trace
refused trace 'is a part of another trace' p.0 other p.2 p.3
head -c 100 p.1 >other
refused cut 'other: is cut or damaged' p.0 other p.2 p.3
cat p.1 reps.trace >other
refused longer 'other: is cut or damaged' p.0 other p.2 p.3
edited() { # edited CHANGE MESSAGE: a part that edit_partial.py has changed comes second, so that the first one is valid
	/usr/bin/python3 "$here/edit_partial.py" "$1" p.1 other
	refused edited.$1 "error: other: $2" p.0 other p.2 p.3
}
/usr/bin/python3 "$here/edit_partial.py" nothing p.1 other
check edited.nothing "$BIN/trace-merge" p.0 other p.2 p.3
edited format 'was written by a newer version of the analyzer$'
edited version 'was made by another version of trace-footprint; make the part again$'
edited uuid 'is a part of another trace'
edited layout 'is a part of another trace'
edited short 'its contents are not a state of trace-footprint; make the part again$'
edited long 'its contents are not a state of trace-footprint; make the part again$'
/usr/bin/python3 "$here/edit_partial.py" name p.1 other
refused edited.name "error: other: 'trace-/+' is not the name of an analyzer$" other p.0
refused foreign 'is not a file of partial results' reps.trace
refused gone 'No such file' p.0 gone
/usr/bin/python3 -c 'part = open("p.1", "rb").read()
for at in range(64):
    if part[at] != 255: open(f"byte.{at}", "wb").write(part[:at] + b"\xff" + part[at + 1:])'
check header_bytes.some [ -e byte.0 ]
for other in byte.*; do
	! "$BIN/trace-merge" p.0 "$other" p.2 p.3 >out 2>err || echo "$other" >>accepted
done
check header_bytes [ ! -e accepted ]
mv threads.trace moved.trace
refused moved 'threads.trace: No such file' p.*
check moved.found "$BIN/trace-merge" --trace=moved.trace p.0 p.1 p.2 p.3
mv moved.trace threads.trace
head -c 20000 threads.trace >unfinished.trace
check_status unfinished 3 "$BIN/trace-mix" --part=0/2 --partial=p.u unfinished.trace
check_match unfinished.says 'is unfinished' err
# A part that ends while it writes, and one that cannot write, leave no file; the files may have 1 KiB.
killed() (
	ulimit -f 1 -c 0
	exec "$BIN/trace-calls" --part=0/2 --partial="$1" processes.trace
)
full() (
	trap '' XFSZ
	killed "$1"
)
check_status killed 153 killed ended
check_status full 1 full ended
check_match full.says 'ended: File too large' err
check ended [ -z "$(ls | grep ended)" ]
check_status rows 2 "$BIN/trace-mix" --part=0/2 --partial=p.u --interval=1000 reps.trace
check_status intervals 2 "$BIN/trace-reg" --part=0/2 --partial=p.u --interval=1000 reps.trace
check_status no_file 2 "$BIN/trace-mix" --part=0/2 reps.trace
check_status no_part 2 "$BIN/trace-mix" --partial=p.u reps.trace
check_status no_parts 2 "$BIN/trace-merge"
check untouched [ ! -e p.u ]

# ---- schedulers ----
part_of() { # part_of NAME PART SOURCE VARIABLES...: PART is the number in the name of the file, or "none"
	rm -f s.*
	env -i "${@:4}" "$BIN/trace-mix" --part="$3" --partial=s.%p reps.trace >out 2>err
	check_equal "$1" "$2" "$(ls s.* 2>/dev/null | sed 's/^s\.//' | paste -sd' ' | sed 's/^$/none/')"
}
part_of written 03 3/12
part_of beyond none 12/12
part_of no_number none x/12
part_of step 2 slurm-step SLURM_STEP_ID=0 SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=4
part_of batch_script none slurm-step SLURM_PROCID=0 SLURM_NTASKS=2
check_match batch_script.says 'SLURM_STEP_ID is not set' err
array=(SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_MAX=40 SLURM_ARRAY_TASK_STEP=10)
part_of array 2 slurm-array "${array[@]}" SLURM_ARRAY_TASK_ID=30 SLURM_ARRAY_TASK_COUNT=4
part_of array_holes none slurm-array "${array[@]}" SLURM_ARRAY_TASK_ID=30 SLURM_ARRAY_TASK_COUNT=3
check_match array_holes.says 'ids have holes' err
part_of openmpi 1 mpi OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=3 SLURM_PROCID=0 SLURM_NTASKS=2
part_of mpich 1 mpi PMI_RANK=1 PMI_SIZE=3
part_of no_mpi none mpi SLURM_PROCID=0 SLURM_NTASKS=2
part_of pbs 05 pbs-array/16 PBS_ARRAY_INDEX=5
part_of pbs_alone none pbs-array PBS_ARRAY_INDEX=5
part_of sge 1 sge-array SGE_TASK_ID=3 SGE_TASK_FIRST=1 SGE_TASK_LAST=7 SGE_TASK_STEPSIZE=2
part_of lsf 0 lsf-array LSB_JOBINDEX=1 LSB_JOBINDEX_END=4
