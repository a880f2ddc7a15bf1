#!/bin/sh
# From a program to traces that ChampSim and DynamoRIO's tools read, and what such a trace lacks.
# usage: champsim.sh FOLDER-OF-COMMANDS [COMMAND...]
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

say 'Record a part of the program: a million instructions after the first hundred thousand.'
show trace-record --skip=100k --count=1M -o program.trace -- "$*"
"$bin/trace-record" -q --skip=100k --count=1M -o program.trace -- "$@" >/dev/null || true
say 'Write it for ChampSim, compressed as its traces usually are.'
show trace-export --to=champsim -o program.champsimtrace.xz program.trace
"$bin/trace-export" --to=champsim -o program.champsimtrace.xz program.trace
say 'The counts above name what the records lack; the note beside the file keeps them. Sizes of accesses' \
	'and code bytes are never in such records, so studies of instruction encoding need another format.' \
	'Simulate it, as ChampSim is built with 200,000 instructions to warm up:'
show champsim --warmup-instructions 200000 --simulation-instructions 800000 program.champsimtrace.xz
say 'DynamoRIO'"'"'s tools and the simulators that read drmemtrace get code bytes, sizes and system calls:'
show trace-export --to=drmemtrace -o program.drmemtrace program.trace
"$bin/trace-export" --to=drmemtrace -o program.drmemtrace program.trace
show drrun -t drmemtrace -indir program.drmemtrace -tool basic_counts
