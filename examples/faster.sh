#!/bin/sh
# From one recording to a faster program, and to the proof that it is faster.
# usage: faster.sh FOLDER-OF-COMMANDS
set -e
bin=$(cd "${1:-build/bin}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
show() { printf '\n$ %s\n' "$*"; }
say() { printf '\n# %s' "$@"; }

say 'A program makes a picture brighter, and then smoother. Record it once.'
show 'cc -O1 -g -o brighten brighten.c'
cc -O1 -g -o brighten "$here/brighten.c"
show trace-record -o before.trace -- ./brighten
"$bin/trace-record" -o before.trace -- ./brighten
say 'Where are its instructions?'
show trace-calls --threshold=5 --top=5 before.trace
"$bin/trace-calls" --threshold=5 --top=5 before.trace
say 'Which loops keep data from being found in a cache? The inner loop of brighten() goes down a column: it touches' \
	'another cache line each time, and comes back to a line only when it has touched all others of a column.'
show trace-slo --top=2 before.trace
"$bin/trace-slo" --top=2 before.trace
say 'What is allocated? smooth() takes a row of memory for each row, and gives it back at once.'
show trace-calls --heap --top=3 before.trace
"$bin/trace-calls" --heap --top=3 before.trace
say 'So both are changed: the two loops of brighten() change places, and one row of memory is enough for all' \
	'(-DFASTER in brighten.c). Record the new version, and compare.'
show 'cc -O1 -g -DFASTER -o faster brighten.c; trace-record -o after.trace -- ./faster'
cc -O1 -g -DFASTER -o faster "$here/brighten.c"
"$bin/trace-record" -o after.trace -- ./faster
show trace-compare --metric=instructions,calls,misses:32Ki,misses:1Mi,cycles before.trace after.trace
"$bin/trace-compare" -q --metric=instructions,calls,misses:32Ki,misses:1Mi,cycles before.trace after.trace
say 'The counts are exact, so a test can keep them: save what the new version costs, and let the test fail if' \
	'a later version costs more. Here the old version plays the later one.'
show trace-compare --save=costs.json --metric=instructions,misses:32Ki after.trace
"$bin/trace-compare" -q --save=costs.json --metric=instructions,misses:32Ki after.trace
show 'trace-compare --threshold=0.5%,misses:32Ki:5% costs.json before.trace >changes; echo "status $?"'
status=0
"$bin/trace-compare" -q --metric=instructions,misses:32Ki --threshold=0.5%,misses:32Ki:5% costs.json before.trace >changes ||
	status=$?
echo "status $status"
[ "$status" = 1 ]
