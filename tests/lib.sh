# Functions for test scripts: source this. Checks print "ok NAME", or "not ok NAME" and the observed values.
# tests/run.sh sets BIN (folder of commands) and PROGRAMS (folder of programs to trace).
# BACKEND, if set, is the backend of "${recorder[@]}".
set -u
recorder=("$BIN/trace-record" ${BACKEND:+--backend="$BACKEND"})
patience=300	# s: a command that takes longer hangs, even on the busiest computer
work=$(mktemp -d) || exit
trap 'report_broken; rm -rf "$work"' EXIT
export LC_ALL=C TRACELAB_CACHE=no # a recording does not depend on earlier ones

# Programs get only the variables that they need: for each variable a program that begins executes some hundred
# instructions, and the step backend takes 20 ms for those. The scripts still see the others.
for variable in $(compgen -e); do
	case $variable in
	PATH | HOME | TMPDIR | TEMP | BIN | PROGRAMS | BUILD | FULL | BACKEND | LC_ALL | TRACELAB_CACHE | *SAN_OPTIONS) ;;
	LD_* | FAKE* | CCACHE_* | CC | CFLAGS | LDFLAGS | CI) ;; # for commands that tests build
	SHLVL) ;; # bash exports it anyway, though not to every program
	*) export -n "$variable" ;;
	esac
done

# make check-full sets FULL. quick_or_full QUICK FULL: prints QUICK under make check, FULL under make check-full.
is_quick() {
	[ -z "${FULL:-}" ]
}
quick_or_full() {
	is_quick && echo "$1" || echo "$2"
}

# report_broken: an error in an expression of bash ends the check that evaluates the expression, the functions and
# loops around this check, and no more; the script goes on. Prints that the check had no result.
checking=
report_broken() {
	[ -z "$checking" ] || {
		echo "not ok $checking: ended by an error of bash"
		sed 's/^/# /' "$work/.out"
	}
	checking=
}

# check NAME COMMAND...: the command succeeds.
check() {
	local name=$1
	report_broken
	shift
	checking=$name
	if "$@" >"$work/.out" 2>&1; then
		echo "ok $name"
	else
		echo "not ok $name: status $? from: $*"
		head -20 "$work/.out" | sed 's/^/# /'
	fi
	checking=
}

# eventually COMMAND...: the command succeeds before long; some minutes are enough for anything, and
# no test waits for ever.
eventually() {
	local since=$SECONDS
	until "$@" >/dev/null 2>&1; do
		[ $((SECONDS - since)) -lt 240 ] || return 1
		pause 0.05
	done
}

# with_memory MIB COMMAND...: the command may use so much memory. AddressSanitizer takes terabytes of addresses for
# itself: with it the limits are on single allocations, and on four times as much memory in use.
with_memory() {
	local most=$1
	shift
	if grep -q __asan "$BIN/trace-record"; then
		local options=allocator_may_return_null=1:max_allocation_size_mb=$most:hard_rss_limit_mb=$((most * 4))
		ASAN_OPTIONS=${ASAN_OPTIONS:-}:$options "$@"
	else
		prlimit --as=$((most << 20)) "$@"
	fi
}

# start_phases_late: sets the environment so that 95,000 to 99,500 instructions precede main() of the program phases.
# The C library takes some hundred instructions for each variable, so the caller's environment would decide where the
# phases begin in intervals of 100,000 instructions.
start_phases_late() {
	local name before most=20
	while [ $((most--)) -gt 0 ]; do
		"$BIN/trace-record" -q --force --no-addresses -o "$work/.phases" -- "$PROGRAMS/phases" A1 100000 || return
		before=$(($(info "$work/.phases" instructions) - 100000))
		[ $before -lt 95000 ] || return
		for name in $(seq $(((97000 - before) / 1000 + 1))); do
			export "PADDING_${most}_$name="
		done
	done
}

# pause SECONDS: waits without starting a process, as pauses are short. No process writes to that pipe.
pause() {
	[ -p "$work/.silent" ] || mkfifo "$work/.silent"
	read -rt "$1" <>"$work/.silent"
	:
}

# cmp OPTION... FILE FILE: does not start a process for two empty files, as most compared messages are.
cmp() {
	[ $# = 2 ] && [ -f "$1" ] && [ -f "$2" ] && [ ! -s "$1" ] && [ ! -s "$2" ] || command cmp "$@"
}

# info TRACE KEY: prints one fact from trace-info's JSON, a string without its quotes.
info() {
	local line
	while IFS= read -r line; do
		[[ $line =~ ^'  "'"$2"'": '\"?([^\"]*[^\",])\"?,?$ ]] && echo "${BASH_REMATCH[1]}" && return
	done < <("$BIN/trace-info" --format=json "$1" 2>/dev/null)
}

# gone PID: the process has ended, whether or not its parent has waited for it.
gone() {
	[ ! -e "/proc/$1" ] || grep -q '^State:.*Z' "/proc/$1/status" 2>/dev/null
}

# has_recorder PID: the recorder's memory is mapped in the process (SPACE_OWN in recorder/program/space.h).
has_recorder() {
	grep -qE '^([^ ]+ +){5}/memfd:tracelab \(deleted\)$' "/proc/$1/maps"
}

# let_nobody: defines as_nobody COMMAND..., which runs a command as a user without rights: ourselves, unless we
# have some. That user may not reach the checkout: $work/open is for that user, and has trace-record. Fails if that
# user may not reach $work either.
let_nobody() {
	nobody=()
	mkdir -m 777 "$work/open" && cp "$BIN/trace-record" "$work/open" && chmod 755 "$work" "$work/open/trace-record"
	[ "$(id -u)" != 0 ] || nobody=("$(type -P setpriv)" --reuid=65534 --regid=65534 --clear-groups)
	as_nobody test -x "$work/open/trace-record" || {
		echo "# $work is out of reach for users without rights: what they see is not tested"
		return 1
	}
}
as_nobody() {
	"${nobody[@]}" "$@"
}

# split_options [OPTION...] -- COMMAND...: puts the arguments before -- into ${options[@]}, those behind it into
# ${command[@]}.
split_options() {
	options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	command=("${@:2}")
}

# check_equal NAME EXPECTED ACTUAL
check_equal() {
	if [ "$2" = "$3" ]; then
		echo "ok $1"
	else
		echo "not ok $1"
		printf '# expected: %s\n# actual:   %s\n' "$2" "$3" | head -20
	fi
}

# check_status NAME STATUS COMMAND...: the command exits with STATUS; its output is in $work/out and err.
check_status() {
	local name=$1 expected=$2 status
	report_broken
	shift 2
	checking=$name
	"$@" >"$work/out" 2>"$work/err"
	status=$?
	checking=
	if [ $status -eq "$expected" ]; then
		echo "ok $name"
	else
		echo "not ok $name: status $status, expected $expected, from: $*"
		head -q -n 20 "$work/err" "$work/out" | sed 's/^/# /'
	fi
}

# matches REGEX: a line of the standard input matches. Starting a process takes longer than matching some lines.
matches() {
	local line lines
	mapfile -t -n 100 lines
	for line in "${lines[@]}"; do
		[[ $line =~ $1 ]] && return
	done
	[ ${#lines[@]} = 100 ] && grep -qE -- "$1"
}

# check_match NAME REGEX FILE: a line of the file matches.
check_match() {
	if matches "$2" <"$3"; then
		echo "ok $1"
	else
		echo "not ok $1: no line matches $2"
		head -20 "$3" | sed 's/^/# /'
	fi
}
