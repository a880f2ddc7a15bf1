#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-analyze --all --suite in parts and by other engines: the same results by --part-size, by the commands of
# --submit=commands, and by Slurm's sbatch, in whose place a script runs each array of jobs at once.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1
export PATH=$work/path:$PATH
mkdir path "it's a folder"
cd "it's a folder" || exit 1

suite() { # suite FOLDER OPTION...
	"$BIN/trace-analyze" --all --suite=list -o "$1" -q --only=mix,itypes,footprint,stride,reg,stackdist,bbv,calls,ppm,report "${@:2}"
}
same() { # same NAME FOLDER: the results are those of one run, byte for byte
	diff -r -x '*.slurm.*' -x report.html -x suite.html -x '*.job' whole "$2" >"$work/differences" && ! ls "$2"/*/*.part 2>/dev/null
	check_equal "$1" 0 $?
	head "$work/differences"
}
"$BIN/trace-record" -q --chunk=1000 --count=5500 -o reps.trace -- "$PROGRAMS/reps" >/dev/null 2>&1
"$BIN/trace-record" -q --chunk=1000 --count=3900 -o calls.trace -- "$PROGRAMS/calls" >/dev/null 2>&1
printf 'reps.trace\ncalls.trace\n' >list
check_status whole 0 suite whole

# ---- parts ----
check_status parts 0 suite parts --part-size=1500
same parts.same parts

# ---- commands ----
suite commands --part-size=1500 --submit=commands >lines
# 4 parts of the first trace and 3 of the second for each of seven analyzers, and ppm of each trace.
check_equal commands.first 58 "$(wc -l <lines)"
check_match commands.quoted "^'?[^']*/trace-analyze'? --all '--suite=.*it'\\\\''s a folder/commands/suite.list'" lines
check_status commands.part 0 sh -c "$(grep reps/mix:1/4 lines)"
check commands.part.file [ "$(ls commands/reps)" = mix.1of4.part ]
suite commands --part-size=1500 --submit=commands >lines
check_equal commands.left 57 "$(wc -l <lines)"
check_status commands.early 1 sh -c "$(sed -n 's,reps/mix:0,reps/mix:merge,p' lines)"
check_match commands.early.says 'error: reps/mix: some of the 4 parts have no result$' "$work/err"
rounds=0
while suite commands --part-size=1500 --submit=commands >lines && [ -s lines ] && [ $((rounds++)) -lt 9 ]; do
	tr '\n' '\0' <lines | xargs -0 -n 1 -P 2 sh -c || break
done
check_equal commands.stages 3 $rounds
check_status commands.collect 0 suite commands --collect
same commands.same commands
rm commands/reps/mix.json
check_status commands.again 0 suite commands --submit=commands
check_equal commands.again.lines 1 "$(grep -c 'task=reps/mix$' "$work/out")$(sed 1d "$work/out")"
for name in nobody/mix reps/ham reps/mix:4/4 reps/mix:x/2 reps/mix:1/2x reps/mix:merge reps/report:0/2 reps/mix:0/99999; do
	check_status "task.$name" 1 suite commands --task="$name"
	check_match "task.$name.says" "error: the suite has no job '$name'" "$work/err"
done

# ---- Slurm ----
# Runs all tasks at once, in another folder, and keeps its arguments. Jobs of a dependency have ended by then.
cat >"$work/path/sbatch" <<'END'
#!/bin/bash
set -e
printf '%s\n' "$*" >>"$FAKE/calls"
number=$(($(cat "$FAKE/number") + 1))
[ "$number" != "${FAIL_AT:-}" ] || exit 1
echo $number >"$FAKE/number"
while [[ $1 = --* ]]; do
	[[ $1 != --array=0-* ]] || array=${1#--array=0-}
	[[ $1 != --output=* ]] || output=${1#--output=}
	shift
done
cd /
for ((i = 0; i <= ${array:-0}; i++)); do
	SLURM_ARRAY_TASK_ID=$i bash "$@" >"${output//%a/$i}" 2>&1 || true
done
echo "$number;cluster"
END
printf '#!/bin/sh\necho "$@" >>"$FAKE/cancelled"\n' >"$work/path/scancel"
chmod +x "$work"/path/*
export FAKE=$work/fake
mkdir "$FAKE"
echo 100 >"$FAKE/number"
check_status slurm.dry 0 suite slurm --part-size=1500 --submit=slurm --dry-run
cp "$work/out" script
check slurm.dry.nothing [ ! -e "$FAKE/calls" -a -z "$(ls -d slurm/suite.slurm.* 2>/dev/null)" ]
check_match slurm.dry.script '^submit --job-name=trace-analyze --array=0-57 ' script
check slurm.dry.shell sh -n script
check_status slurm 0 suite slurm --part-size=1500 --submit=slurm
check_equal slurm.says "$(printf '%s\n' 'analyze: 58 tasks, jobs :101' 'merge: 16 tasks, jobs :102' \
	'pages: 2 tasks, jobs :103' 'collect: job :104')" "$(cat "$work/out")"
check_equal slurm.dependencies "none afterany:101 afterany:101:102 afterany:101:102:103" "$(
	sed 's/.*--dependency=\([^ ]*\).*/\1/; /^--/s/.*/none/' "$FAKE/calls" | paste -sd' ')"
check slurm.script cmp script slurm/suite.slurm.1/submit.sh
same slurm.same slurm
check_match slurm.summary '^done +20 jobs$' slurm/suite.slurm.1/collect.log
# Only what is missing is submitted again, and its lists are others.
rm slurm/calls/reg.job
check_status slurm.again 0 suite slurm --submit=slurm
check_match slurm.again.says '^analyze: 1 task, jobs :105$' "$work/out"
check_equal slurm.again.list 1 "$(wc -l <slurm/suite.slurm.2/analyze)"
same slurm.again.same slurm
rm slurm/calls/reg.job
FAIL_AT=109 check_status slurm.fails 1 suite slurm --submit=slurm
check_match slurm.fails.says 'submit.sh: the jobs could not be submitted' "$work/err"
check_equal slurm.cancelled 108 "$(cat "$FAKE/cancelled")"
# More tasks than an array may have.
check_status slurm.many 0 "$BIN/trace-analyze" --all --suite=list -o many --only=mix --part-size=5 --submit=slurm --dry-run
check_equal slurm.many.arrays '0-999 0 0-879 1000 0-1 0' "$(sed -n \
	's/^submit .* --array=\([0-9-]*\) .* \([0-9]*\)$/\1 \2/p' "$work/out" | paste -sd' ')"
check_status dry_run.alone 2 suite x --dry-run
check_status exclude 2 suite x --collect --submit=slurm
check_status how 2 suite x --submit=pbs
check_match how.says 'commands or slurm is expected' "$work/err"
