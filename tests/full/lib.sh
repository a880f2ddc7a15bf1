# Functions for the transparency suite: source this. Big programs behave the same natively and recorded.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1
LIMIT=${LIMIT:-600}	# s, the limit of each command; most need a tenth of it

# run NAME COMMAND...: writes its output to NAME.out and NAME.err; prints its exit status.
run() {
	local name=$1
	shift
	timeout -k 10 "$LIMIT" "$@" >"$name.out" 2>"$name.err" </dev/null
	echo $?
}

# recorded NAME OPTIONS -- COMMAND...: like run, but records the command to NAME.trace.
recorded() {
	local name=$1
	local -a options command
	shift
	split_options "$@"
	set -- "${command[@]}"
	run "$name.recorded" "${recorder[@]}" -q --force -o "$name.trace" "${options[@]}" -- "$@"
}

# same NAME [OPTION...] -- COMMAND...: natively and recorded, output, messages and exit status are the same.
same() {
	local name=$1 native
	local -a options command
	split_options "${@:2}"
	native=$(run "$name" "${command[@]}")
	check_equal "$name.status" "$native" "$(recorded "$@")"
	check "$name.output" cmp "$name.out" "$name.recorded.out"
	check "$name.messages" cmp "$name.err" "$name.recorded.err"
	whole "$name"
}

# passes NAME [OPTION...] -- COMMAND...: the recorded command succeeds; its output differs from run to run.
passes() {
	local name=$1
	check_equal "$name.status" 0 "$(recorded "$@")"
	tail -n 3 -q "$name.recorded.out" "$name.recorded.err" | sed 's/^/# /'
	whole "$name"
}

# whole NAME: its trace is complete; removes the trace.
whole() {
	check "$1.verify" "$BIN/trace-verify" -q "$1.trace"
	rm -f "$1.trace"
}
