# Functions for the benchmarks: source this. Times are in seconds.

export TRACELAB_CACHE=no # a recording does not depend on earlier ones

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# calculate FORMAT EXPRESSION
calculate() { awk "BEGIN { printf \"$1\", $2 }"; }

# geometric_mean <NUMBERS
geometric_mean() { awk '{ s += log($1); n++ } END { if (n) printf "%.4f", exp(s / n) }'; }

# field TRACE NAME: a number that trace-info prints.
field() { "$bin/trace-info" --format=json "$1" | sed -n "s/.*\"$2\": *\([0-9]*\).*/\1/p" | head -1; }

# timed COMMAND...: prints the elapsed seconds and those of CPU time.
timed() {
	local TIMEFORMAT='%R %U %S'
	{ time "$@" >/dev/null 2>&1 </dev/null || true; } 2>&1 | awk '{ print $1, $2 + $3 }'
}
seconds_of() {
	local seconds
	read -r seconds _ < <(timed "$@")
	echo "$seconds"
}

# watched FILE COMMAND...: appends to FILE the most memory, in MB, that the command itself (not its
# children) has had; reads it at short intervals.
watched() {
	local file=$1 pid key value most=0
	shift
	"$@" &
	pid=$!
	while [ -e /proc/$pid/status ]; do
		while read -r key value _; do
			[ "$key" != VmHWM: ] || most=$value
		done </proc/$pid/status
		echo $((most / 1000))
		sleep 0.1
	done 2>/dev/null | tail -1 >>"$file" &
	wait $pid
}

# roomy_folder BYTES: prints a folder in memory, if there is room, since disks stall.
roomy_folder() {
	local folder=/dev/shm
	if ! [ -w $folder ] || [ "$(df --output=avail -B1 $folder | tail -1)" -lt "$1" ]; then
		folder=${TMPDIR:-/tmp}
	fi
	mktemp -d -p "$folder"
}
