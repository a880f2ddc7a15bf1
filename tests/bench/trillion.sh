#!/bin/bash
# Measures sampling of one very long program: natively, its vectors (trace-record --vectors), the
# choice of 20 points (trace-simpoint) and the recording of their slices (--points), in wall time and
# in CPU time of the recorder and the program together. Exits 1 if slices are missing or differ from
# run 1, if the vectors need 50 MB, or the recorder 300 MB.
# usage: trillion.sh BUILD-FOLDER [INSTRUCTIONS]; 10^12 if not given, or about that: 8 minutes on an
# idle machine.
set -eu
cd "$(dirname "$0")/../.."
folder=$PWD/tests/bench
bin=$PWD/${1:?usage: trillion.sh BUILD-FOLDER [INSTRUCTIONS]}/bin
wanted=${2:-1000000000000}
export LC_ALL=C
. "$folder/lib.sh"
work=$(roomy_folder 1000000000)
trap 'rm -rf "$work"' EXIT
cd "$work"

# instructions_of N: those of the program that counts primes below N.
instructions_of() {
	"$bin/trace-record" -q --force --vectors -o part.trace -- ./interpreter "$1" >/dev/null
	field part.trace vector_instructions
}

# primes: prints the N of the wanted number of instructions, which grow with a power of N.
primes() {
	local few=100000 many=1600000
	awk -v few=$few -v many=$many -v few_insns="$(instructions_of $few)" -v many_insns="$(instructions_of $many)" -v wanted="$wanted" \
		'BEGIN { printf "%d", many * exp(log(wanted / many_insns) * log(many / few) / log(many_insns / few_insns)) }'
}

# row NAME COMMAND...: runs it, and prints its times and its memory. The status is the command's.
native=
row() {
	local name=$1 TIMEFORMAT='%R %U %S' status=0
	shift
	{ time watched "$name.memory" "$@" >out 2>messages </dev/null; } 2>time || status=$?
	read -r wall user system <time
	wait
	native=${native:-$wall $(calculate %.3f "$user + $system")}
	awk -v name="$name" -v wall="$wall" -v cpu="$(calculate %.3f "$user + $system")" -v native="$native" -v memory="$(<"$name.memory")" 'BEGIN {
		split(native, n)
		printf "%-8s %9.2f %9.2f %8.3f %8.3f %8s\n", name, wall, cpu, wall / n[1], cpu / n[2], memory }'
	return $status
}

gcc -O2 -o interpreter "$folder/programs/interpreter.c"
program=(./interpreter "$(primes)")
printf '%-8s %9s %9s %8s %8s %8s\n' trillion 'wall s' 'CPU s' /native /native 'MB'
failed=0
row native "${program[@]}"
row vectors "$bin/trace-record" --force --vectors --boundary=loop -o vectors.trace -- "${program[@]}"
row points "$bin/trace-simpoint" -q -k 20 -o plan vectors.trace
row slices "$bin/trace-record" --force --points=plan.json -o slice -- "${program[@]}" || failed=1
grep '^trace-record:' messages || true

size=$(stat -c %s vectors.trace)
echo "$(field vectors.trace vector_instructions) instructions in $(field vectors.trace vector_intervals) intervals," \
	"vectors in $(calculate %.1f "$size / 1e6") MB, $(ls slice.*.trace | wc -l) slices in $(du -cm slice.*.trace | tail -1 | cut -f1) MB"
[ "$size" -lt 50000000 ] || failed=1
[ "$(sort -n vectors.memory slices.memory | tail -1)" -lt 300 ] || failed=1
exit $failed
