#!/bin/sh
# Hands a trace to another laboratory: records a program, hides what identifies it, and shows that the other
# laboratory gets the same results. usage: share-trace.sh FOLDER-OF-COMMANDS PROGRAM [ARGUMENTS]
set -e
bin=${1:?usage: share-trace.sh FOLDER-OF-COMMANDS PROGRAM [ARGUMENTS]}
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo '# We record the program. The trace has its names, its paths, its code and its addresses.'
"$bin/trace-record" -q -o "$work/ours.trace" -- "$@" >"$work/output"
"$bin/trace-info" --meta "$work/ours.trace" | grep -E '^(command|exe\.path|host)'

echo '# The key stays with us. It gives a second trace of the program the same names.'
head -c32 /dev/urandom >"$work/secret"

echo '# Before anything is written, we look at what others would get.'
"$bin/trace-anonymise" --audit --preset=share --key="$work/secret" --public='/usr/lib/x86_64-linux-gnu/*' \
	"$work/ours.trace"
"$bin/trace-anonymise" -q --preset=share --key="$work/secret" --public='/usr/lib/x86_64-linux-gnu/*' \
	-o "$work/shared.trace" "$work/ours.trace"
"$bin/trace-repack" -q --mode=0644 -o "$work/theirs.trace" "$work/shared.trace"

echo '# The other laboratory checks the trace, and analyzes it.'
"$bin/trace-verify" "$work/theirs.trace"
"$bin/trace-mix" -q --by=symbol --top=5 "$work/theirs.trace"
for analyzer in itypes ppm footprint stride; do
	"$bin/trace-$analyzer" -q --format=csv "$work/ours.trace" | grep -vE '^(trace|command|file|uuid),' \
		>"$work/ours.$analyzer"
	"$bin/trace-$analyzer" -q --format=csv "$work/theirs.trace" | grep -vE '^(trace|command|file|uuid),' \
		>"$work/theirs.$analyzer"
	cmp "$work/ours.$analyzer" "$work/theirs.$analyzer"
	echo "# $analyzer: the same result as ours"
done

echo '# What the other laboratory cannot learn: the names of the program, its functions, files and source lines, its'
echo '# constants, and the arguments of its system calls. The control flow remains: whoever has the program can recognize'
echo '# it. The manual of trace-anonymise lists the results that change.'
