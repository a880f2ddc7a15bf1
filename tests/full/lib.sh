# For the transparency suite: source it. Big programs behave natively and recorded alike.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1
LIMIT=${LIMIT:-600}	# s, for anything; most need a tenth of it

# run NAME COMMAND...: its output is in NAME.out and NAME.err; prints its exit status.
run() {
	local name=$1
	shift
	timeout -k 10 "$LIMIT" "$@" >"$name.out" 2>"$name.err" </dev/null
	echo $?
}

# recorded NAME OPTIONS -- COMMAND...: the same, recorded; the trace is checked and removed.
recorded() {
	local name=$1
	local -a options command
	shift
	split_options "$@"
	set -- "${command[@]}"
	run "$name.recorded" "${recorder[@]}" -q --force -o "$name.trace" "${options[@]}" -- "$@"
}

# same NAME [OPTION...] -- COMMAND...: the same output, the same messages, the same exit status.
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

# passes NAME [OPTION...] -- COMMAND...: where the output differs from run to run: it succeeds.
passes() {
	local name=$1
	check_equal "$name.status" 0 "$(recorded "$@")"
	tail -n 3 -q "$name.recorded.out" "$name.recorded.err" | sed 's/^/# /'
	whole "$name"
}

# whole NAME: its trace is; it is removed.
whole() {
	check "$1.verify" "$BIN/trace-verify" -q "$1.trace"
	rm -f "$1.trace"
}
