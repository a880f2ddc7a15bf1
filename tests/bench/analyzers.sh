#!/bin/bash
# Measures analyzers on recorded programs: M instructions a second of CPU time, decoding included; for
# trace-mica with all analyses and cores, for trace-report, and for trace-compare with the trace itself, a second of
# elapsed time. Takes 10 minutes.
# usage: analyzers.sh BUILD-FOLDER [INSTRUCTIONS]; INSTRUCTIONS of each program, 200 M if not given
set -eu
cd "$(dirname "$0")/../.."
folder=$PWD/tests/bench
bin=$PWD/${1:?usage: analyzers.sh BUILD-FOLDER [INSTRUCTIONS]}/bin
count=${2:-200000000}
export LC_ALL=C
. "$folder/lib.sh"
. "$folder/programs.sh"
work=$(roomy_folder 1000000000)
trap 'rm -rf "$work"' EXIT
cd "$work"

# ibs/MACHINE: trace-ibs on a machine. cache: three levels of LRU; an instruction makes about 1.4 accesses.
analyzers="itypes footprint ilp ppm reg stride mica stackdist cache slo calls ibs/zen4 ibs/simple"

# speed COLUMN COMMAND...: the speed of the faster of two runs, by a column that timed prints
speed() {
	local column=$1
	shift
	for _ in 1 2; do
		timed "$@" window.trace
	done | sort -n -k"$column" | awk -v n="$(field window.trace instructions)" -v column="$column" \
		'NR == 1 { speed = n / $column / 1e6; printf speed < 10 ? "%.1f\n" : "%.0f\n", speed }'
}

# analyzer_speed NAME
analyzer_speed() {
	case $1 in
	ibs/*) speed 2 "$bin/trace-ibs" -q --machine="${1#*/}" ;;
	cache) speed 2 "$bin/trace-cache" -q --levels=32Ki/8,1Mi/16,32Mi/16 ;;
	*) speed 2 "$bin/trace-$1" -q ;;
	esac
}

# line NAME COMMAND...
line() {
	local name=$1 speeds=() analyzer
	shift
	"$bin/trace-record" -q --force --count="$count" -o window.trace -- "$@" >/dev/null 2>&1 || true
	for analyzer in $analyzers; do
		speeds+=("$(analyzer_speed "$analyzer")")
		echo "${speeds[-1]}" >>"means.${analyzer//\//-}"
	done
	speeds+=("$(speed 1 "$bin/trace-mica" -q --jobs="$(nproc)")")
	echo "${speeds[-1]}" >>means.cores
	speeds+=("$(speed 1 "$bin/trace-report" -q --force -o page.html)")
	echo "${speeds[-1]}" >>means.report
	speeds+=("$(speed 1 "$bin/trace-compare" -q window.trace)")
	echo "${speeds[-1]}" >>means.compare
	# shellcheck disable=SC2059
	printf "$format" "$name" "${speeds[@]}"
}

format='%-12s %9s %9s %9s %9s %9s %9s %9s %9s %9s %9s %9s %9s %10s %9s %9s %9s\n'
make_programs
printf 'analysis_type: all\ninterval_size: full\n' >mica.conf
# shellcheck disable=SC2059,SC2086
printf "$format" 'M/s' $analyzers "mica/$(nproc)" report compare
while IFS='|' read -r name command; do
	# shellcheck disable=SC2086
	[ -z "$name" ] || line ${name// /} $command
done <<<"$programs"
means=()
for column in $analyzers cores report compare; do
	means+=("$(geometric_mean <"means.${column//\//-}" | awk '{ printf $1 < 10 ? "%.1f" : "%.0f", $1 }')")
done
# shellcheck disable=SC2059
printf "$format" 'geom. mean' "${means[@]}"
