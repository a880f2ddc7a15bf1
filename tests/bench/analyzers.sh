# Analyzers on recorded programs: M instructions a second of CPU time, decoding included. For
# run.sh: source it, in the folder of its programs' inputs. usage: analyzer_table INSTRUCTIONS

analyzers="itypes footprint ilp ppm reg stride mica stackdist ibs"

# speed TRACE COMMAND...: of the faster one of two runs
speed() {
	local trace=$1
	shift
	for _ in 1 2; do
		timed "$@" "$trace"
	done | sort -n -k2 | awk -v n="$(field "$trace" instructions)" 'NR == 1 { printf "%.0f\n", n / $2 / 1e6 }'
}

# analyzer_line NAME INSTRUCTIONS COMMAND...
analyzer_line() {
	local name=$1 count=$2 speeds=() analyzer speed
	shift 2
	"$bin/trace-record" -q --force --count="$count" -o window.trace -- "$@" >/dev/null 2>&1 || true
	for analyzer in $analyzers; do
		speed=$(speed window.trace "$bin/trace-$analyzer" -q)
		echo "$speed" >>"means.$analyzer"
		speeds+=("$speed")
	done
	# shellcheck disable=SC2059
	printf "$format" "$name" "${speeds[@]}"
	rm -f window.trace
}

analyzer_table() {
	local count=$1 name command analyzer means=()
	local format='%-12s %9s %9s %9s %9s %9s %9s %9s %9s %9s\n'
	printf 'analysis_type: all\ninterval_size: full\n' >mica.conf
	echo
	# shellcheck disable=SC2059,SC2086
	printf "$format" 'M/s' $analyzers
	while IFS='|' read -r name command; do
		# shellcheck disable=SC2086
		[ -z "$name" ] || analyzer_line ${name// /} "$count" $command
	done <<<"$programs"
	for analyzer in $analyzers; do
		means+=("$(printf %.0f "$(geometric_mean <"means.$analyzer")")")
	done
	# shellcheck disable=SC2059
	printf "$format" 'geom. mean' "${means[@]}"
}
