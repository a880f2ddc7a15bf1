#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-ibs with several jobs, whose threads hand batches to each other, against one job.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1
ibs=$BIN/trace-ibs

"${recorder[@]}" -q --threads=serial -o workers.trace -- "$PROGRAMS/workers"
"${recorder[@]}" -q -o objects.trace -- "$PROGRAMS/objects"
"${recorder[@]}" -q -o kernels.trace -- "$PROGRAMS/model_kernels"
"${recorder[@]}" -q --follow -o processes.trace -- /bin/sh -c '/bin/true; /bin/echo x; /bin/true' >/dev/null

# agree NAME OPTION...: the result does not depend on the jobs, and has samples.
agree() {
	"$ibs" -q --period=144 --format=csv --jobs=1 "${@:2}" >one 2>&1
	check "$1.samples" grep -q '^samples,[1-9]' one
	for jobs in 2 3; do
		"$ibs" -q --period=144 --format=csv --jobs=$jobs "${@:2}" >got 2>&1
		check "$1.$jobs" cmp one got
	done
}

for name in workers objects kernels processes; do
	for machine in zen4 simple k10; do
		agree "$name.$machine" --machine=$machine --packets $name.trace
	done
	agree "$name.fetches" --mode=fetches --packets $name.trace
	agree "$name.stack" --by=stack --top=1000 $name.trace
	agree "$name.object" --by=object,thread --top=1000 $name.trace
	"$BIN/trace-cut" -q --from=12000 --count=12000 --warmup=6000 -o $name.warmed.trace $name.trace
	agree "$name.warmed" --by=stack --packets $name.warmed.trace
done
agree observers --compare-modes --wrong-paths --mode=cycles-wait workers.trace
agree thread --thread=1 --packets workers.trace
agree region --region=simulation --packets kernels.warmed.trace
