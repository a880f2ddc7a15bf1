# Functions for tests of the programs in programs/: source this. Programs are compiled here, as their first lines say.
. "${BASH_SOURCE%/*}/../recorder/backends.sh"
LIMIT=${LIMIT:-900}	# s, the limit of each command; most need a hundredth of it

# compiled NAME: makes ./NAME; fails if the compiler cannot.
compiled() {
	local source=$tests/full/programs/$1.c
	gcc -O1 -g -pthread -o "$1" "$source" $(sed -n 's,^/\* flags: \(.*\) \*/$,\1,p' "$source") 2>compiler.err && return
	echo "not ok $1: does not compile"
	sed 's/^/# /' compiler.err
	return 1
}

# exact NAME [ARGUMENT...]: behaves the same natively and with both backends, which record the same instructions.
exact() {
	compiled "$1" && same "$1" -- "./$1" "${@:2}"
}

# alike NAME [OPTION...] -- PROGRAM ARGUMENT...: natively and with both backends, output and status are
# the same; the traces are complete.
alike() {
	local name=$1 backend native
	local -a options command
	shift
	split_options "$@"
	timeout -k 10 "$LIMIT" "${fixed[@]}" "${command[@]}" <"$input" >native.out 2>native.err
	native=$?
	for backend in step translate; do
		timeout -k 10 "$LIMIT" "${fixed[@]}" "$BIN/trace-record" --quiet --force --backend=$backend \
			-o "$name.trace" "${options[@]}" -- "${command[@]}" <"$input" >recorded.out 2>recorded.err
		check_equal "$name.$backend.status" $native $?
		check "$name.$backend.output" cmp native.out recorded.out
		check "$name.$backend.messages" cmp native.err recorded.err
		check "$name.$backend.verify" "$BIN/trace-verify" -q "$name.trace"
		rm -f "$name.trace"
	done
}

# behaves NAME [OPTION...]: does what alike does for a program in programs/.
behaves() {
	compiled "$1" && alike "$1" "${@:2}" -- "./$1"
}
