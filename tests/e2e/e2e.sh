# Functions for the end-to-end tests: source this instead of lib.sh.
. "$(dirname "$0")/../lib.sh"
tests=$(cd "$(dirname "$0")/.." && pwd)
cd "$work" || exit 1

# record TRACE [OPTION...] -- PROGRAM ARGUMENT...
record() {
	local trace=$1
	shift
	"${recorder[@]}" --quiet --force -o "$trace" "$@"
}

# listing TRACE [OPTION...]: one instruction or event a line.
listing() {
	"$BIN/trace-dump" --format=jsonl "$@"
}

# events TRACE KIND: events of that kind, as JSON lines.
events() {
	listing "$1" --events | grep "\"type\":\"event\".*\"event\":\"$2\""
}

# code TRACE [OPTION...]: only instructions, without ordinals, to be compared as a whole. CSV takes a sixth of the time.
code() {
	"$BIN/trace-dump" --format=csv --no-events "$@" | tail -n +2 | cut -d, -f3-
}

# check_whole NAME TRACE: the trace is complete, and its totals are those of its listing, unless that would be
# very long (trace-verify has counted as well).
totals='events|instructions|loads|opaque|prefetches|processes|stores|threads'
check_whole() {
	check "$1.verify" "$BIN/trace-verify" -q "$2"
	check_equal "$1.bytes" "$(stat -c %s "$2")" "$(info "$2" bytes)"
	[ "$(info "$2" instructions)" -lt 2000000 ] || return 0
	"$BIN/trace-info" --format=json "$2" |
		sed -nE 's/^  "('$totals')": ([0-9]+),?$/\1 \2/p' | sort >"$work/.totals"
	check "$1.totals" diff "$work/.totals" <("$BIN/trace-dump" --format=csv "$2" | awk -f "$tests/e2e/count.awk")
}

# check_same NAME TRACE [OPTION...] -- PROGRAM ARGUMENT...: recorded, the program prints and ends
# as it does natively. Its input is $input; its statuses are left in $native and $recorded.
input=/dev/null
check_same() {
	local name=$1 trace=$2
	local -a options command
	shift 2
	split_options "$@"
	set -- "${command[@]}"
	"$@" <$input >"$work/native.out" 2>"$work/native.err"
	native=$?
	record "$trace" "${options[@]}" -- "$@" <$input >"$work/recorded.out" 2>"$work/recorded.err"
	recorded=$?
	check_equal "$name.status" $native $recorded
	check "$name.stdout" cmp "$work/native.out" "$work/recorded.out"
	check "$name.stderr" cmp "$work/native.err" "$work/recorded.err"
}
