# For test scripts: source it. Checks print "ok NAME" or "not ok NAME" and what they saw.
# Given by tests/run.sh: BIN (folder of commands), PROGRAMS (folder of programs to trace).
# BACKEND, if set, is what "${recorder[@]}" records with.
set -u
recorder=("$BIN/trace-record" ${BACKEND:+--backend="$BACKEND"})
work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT
export LC_ALL=C

# make check-full sets FULL. quick_or_full QUICK FULL: how much is done under make check, and then.
is_quick() {
	[ -z "${FULL:-}" ]
}
quick_or_full() {
	is_quick && echo "$1" || echo "$2"
}

# check NAME COMMAND...: the command succeeds.
check() {
	local name=$1
	shift
	if "$@" >"$work/.out" 2>&1; then
		echo "ok $name"
	else
		echo "not ok $name: status $? from: $*"
		head -20 "$work/.out" | sed 's/^/# /'
	fi
}

# eventually COMMAND...: it succeeds before long; some minutes are enough for anything, and
# nothing waits for ever.
eventually() {
	local since=$SECONDS
	until "$@" >/dev/null 2>&1; do
		[ $((SECONDS - since)) -lt 240 ] || return 1
		pause 0.05
	done
}

# pause SECONDS: without a process, as all that is short here. Nobody writes to that pipe.
pause() {
	[ -p "$work/.silent" ] || mkfifo "$work/.silent"
	read -rt "$1" <>"$work/.silent"
	:
}

# cmp OPTION... FILE FILE: most messages that are compared are none.
cmp() {
	[ $# = 2 ] && [ -f "$1" ] && [ -f "$2" ] && [ ! -s "$1" ] && [ ! -s "$2" ] || command cmp "$@"
}

# info TRACE KEY: one fact as trace-info tells it in JSON, a string without its quotes.
info() {
	local line
	while IFS= read -r line; do
		[[ $line =~ ^'  "'"$2"'": '\"?([^\"]*[^\",])\"?,?$ ]] && echo "${BASH_REMATCH[1]}" && return
	done < <("$BIN/trace-info" --format=json "$1" 2>/dev/null)
}

# gone PID: it has ended, whether or not anybody has waited for it.
gone() {
	[ ! -e "/proc/$1" ] || grep -q '^State:.*Z' "/proc/$1/status" 2>/dev/null
}

# has_recorder PID: what the recorder maps in a process is there (SPACE_OWN in recorder/program/space.h).
has_recorder() {
	grep -qE '^([^ ]+ +){5}/memfd:tracelab \(deleted\)$' "/proc/$1/maps"
}

# let_nobody: from then on as_nobody COMMAND... runs a command as a user without rights: ourselves, unless we have
# some. That user may not reach the checkout: $work/open is for it, and has trace-record. False where that user may
# not reach $work either.
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

# split_options [OPTION...] -- COMMAND...: what is before -- to ${options[@]}, what is behind it to
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

# check_status NAME STATUS COMMAND...: the command exits so; its output is in $work/out and err.
check_status() {
	local name=$1 expected=$2 status
	shift 2
	"$@" >"$work/out" 2>"$work/err"
	status=$?
	if [ $status -eq "$expected" ]; then
		echo "ok $name"
	else
		echo "not ok $name: status $status, expected $expected, from: $*"
		head -5 "$work/err" | sed 's/^/# /'
	fi
}

# matches REGEX: a line of the standard input does. A process takes longer than some lines.
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
