#!/bin/bash
# Measures trace-export on recorded programs: M instructions a second of CPU time, without compression. The formats
# take turns. usage: exports.sh BUILD-FOLDER [INSTRUCTIONS]; INSTRUCTIONS of each program, 20 M if not given
set -eu
cd "$(dirname "$0")/../.."
folder=$PWD/tests/bench
bin=$PWD/${1:?usage: exports.sh BUILD-FOLDER [INSTRUCTIONS]}/bin
count=${2:-20000000}
export LC_ALL=C
. "$folder/lib.sh"
. "$folder/programs.sh"
work=$(roomy_folder 4000000000)
trap 'rm -rf "$work"' EXIT
cd "$work"

formats="champsim sbbt bt9 sift cbp2025 gem5-packets gem5-elastic drmemtrace xdin"

# speed FORMAT: the speed of the faster of two runs
speed() {
	for _ in 1 2; do
		timed "$bin/trace-export" -q --force --no-compression --to="$1" -o out window.trace
		rm -rf out out.json
	done | sort -n -k2 | awk -v n="$(field window.trace instructions)" 'NR == 1 { printf "%.0f\n", n / $2 / 1e6 }'
}

# line NAME COMMAND...
line() {
	local name=$1 speeds=() format
	shift
	"$bin/trace-record" -q --force --count="$count" -o window.trace -- "$@" >/dev/null 2>&1 || true
	for format in $formats; do
		speeds+=("$(speed "$format")")
		echo "${speeds[-1]}" >>"means.$format"
	done
	# shellcheck disable=SC2059
	printf "$row" "$name" "${speeds[@]}"
}

row='%-12s %9s %9s %9s %9s %9s %12s %12s %10s %9s\n'
make_programs
# shellcheck disable=SC2059,SC2086
printf "$row" 'M/s' $formats
while IFS='|' read -r name command; do
	# shellcheck disable=SC2086
	[ -z "$name" ] || line ${name// /} $command
done <<<"$programs"
means=()
for format in $formats; do
	means+=("$(printf %.0f "$(geometric_mean <"means.$format")")")
done
# shellcheck disable=SC2059
printf "$row" 'geom. mean' "${means[@]}"
