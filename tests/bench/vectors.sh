#!/bin/bash
# Measures what basic block vectors cost: each program natively and with --vectors, which take turns, by the least wall time
# of the rounds. Also prints the recorder's own memory, and the size of the vectors of 1,000 intervals in the trace.
# usage: vectors.sh BUILD-FOLDER [ROUNDS [PROGRAM...]]; 1 round and all programs if not given: 3 minutes on an idle machine.
# SECONDS_EACH is the native time of each program, about (5 if not given). omp has two threads that wait passively, and
# is not in the mean.
set -eu
cd "$(dirname "$0")/../.."
folder=$PWD/tests/bench
bin=$PWD/${1:?usage: vectors.sh BUILD-FOLDER [ROUNDS [PROGRAM...]]}/bin
rounds=${2:-1}
[ $# -lt 2 ] || shift
shift
export LC_ALL=C OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive OMP_SCHEDULE=static
. "$folder/lib.sh"
. "$folder/programs.sh"
work=$(roomy_folder 1000000000)
trap 'rm -rf "$work"' EXIT
cd "$work"

least() { sort -n | head -1; }

# vector_bytes TRACE: those of the sections that grow with the number of intervals
vector_bytes() {
	"$bin/trace-info" --sections "$1" | awk '/^(VECTORS|INTERVALS)/ { gsub(",", "", $3); sum += $3 } END { print sum }'
}

# vectors_line NAME COMMAND...
vectors_line() {
	local name=$1 native ratio
	shift
	for _ in $(seq "$rounds"); do
		seconds_of "$@" >>"$name.native"
		seconds_of watched "$name.memory" "$bin/trace-record" -q --force --vectors --interval=100M -o "$name.trace" -- "$@" \
			>>"$name.vectors"
	done
	native=$(least <"$name.native")
	ratio=$(calculate %.3f "$(least <"$name.vectors") / $native")
	[ "$name" = omp ] || echo "$ratio" >>ratios
	# shellcheck disable=SC2059
	printf "$format" "$name" "$native" "$ratio" "$(sort -n "$name.memory" | tail -1)" "$(field "$name.trace" vector_intervals)" \
		"$(calculate %.0f "$(vector_bytes "$name.trace") / $(field "$name.trace" vector_intervals)")"
	rm "$name.trace"
}

SCALE=
make_programs
SCALE=$((${SECONDS_EACH:-5} * scale))
make_programs
gcc -O2 -g -fopenmp -o omp "$folder/programs/omp.c"
programs+="
omp         | ./omp $(calculate %d "${SECONDS_EACH:-5} * 5000 / $(seconds_of ./omp 5000)")"

format='%-11s %8s %8s %7s %10s %10s\n'
# shellcheck disable=SC2059
{
	printf "$format" vectors native vectors memory intervals size
	printf "$format" '' s /native MB '' 'KB/1000'
}
while IFS='|' read -r name command; do
	name=${name// /}
	# shellcheck disable=SC2086
	if [ -n "$name" ] && { [ $# -eq 0 ] || [[ " $* " = *" $name "* ]]; }; then
		vectors_line "$name" $command
	fi
done <<<"$programs"
# shellcheck disable=SC2059
[ ! -s ratios ] || printf "$format" 'geom. mean' '' "$(printf %.3f "$(geometric_mean <ratios)")" '' '' ''
