#!/bin/sh
# From a program to simulation points, to small traces of them, to a number for the whole program, and
# how far that is off.
# usage: simpoint.sh FOLDER-OF-COMMANDS [COMMAND...]
set -e
bin=$(cd "${1:-build/bin}" && pwd)
[ $# -eq 0 ] || shift
here=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || set -- gzip -c "$here/traceformat/FORMAT.md"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
show() { printf '\n$ %s\n' "$*"; }
say() { printf '\n# %s' "$@"; }

say 'Record the program once, whole.'
show trace-record -o program.trace -- "$*"
"$bin/trace-record" -o program.trace -- "$@" >/dev/null
say 'Which intervals of 500,000 instructions stand for all? Each cluster of intervals that execute the same' \
	'code the same number of times has one, near its centre. vector error: the part of the' \
	'instructions that they place in other code; radius and stability: where to be careful.'
show trace-simpoint --interval=500k --max-k=8 -o points program.trace
"$bin/trace-simpoint" --interval=500k --max-k=8 -o points program.trace
say 'The same points for SimPoint users (points.simpts, points.weights), for Pin (points.csv), and with' \
	'bounds that do not drift from run to run (points.pc.csv):'
show 'ls points.*; head -n 2 points.pc.csv'
ls points.*
head -n 2 points.pc.csv
say 'Cut them out, each with 100,000 instructions before it to warm up caches. A slice is a whole trace:' \
	'send it to a colleague, or to a simulator.'
show trace-cut --simpoints=points.json --warmup=100k -o slice program.trace
"$bin/trace-cut" --simpoints=points.json --warmup=100k -o slice program.trace
"$bin/trace-verify" -q slice.*.trace
say 'What do the slices alone say of the whole program? As the whole is at hand, also how wrong that is: the' \
	'first line of the errors is of the totals, the second of the classes.' \
	'Any analyzer will do, or the results of a simulator (man trace-extrapolate).'
show "trace-extrapolate --run='mix --by=class' --whole=program.trace slice.*.trace"
"$bin/trace-extrapolate" --run='mix --by=class' --whole=program.trace slice.*.trace
say 'Less to simulate? Shorter intervals in more clusters (--max-k) often tell as much with fewer' \
	'instructions.'
show 'trace-simpoint --interval=100k --max-k=20 ...; trace-cut ...; trace-extrapolate ...'
"$bin/trace-simpoint" -q --interval=100k --max-k=20 -o finer program.trace
"$bin/trace-cut" -q --simpoints=finer.json --warmup=100k -o finer program.trace
"$bin/trace-extrapolate" --run='mix --by=class' --whole=program.trace finer.*.trace |
	sed '/^counts:/,$d'
