# For tests that compare backends: source it instead of lib.sh.
. "$(dirname "$0")/../lib.sh"
tests=$(cd "$(dirname "$0")/.." && pwd)
COMPARE=$(cd "$BIN/../tests" && pwd)/compare
cd "$work" || exit 1

# Which backend is compared with step; without translate the tests are of themselves alone.
other=translate
"$BIN/trace-record" --help | grep -qw translate || other=step

# record BACKEND NAME STATUS [OPTION...] -- PROGRAM ARGUMENT...: makes NAME.trace, NAME.out and
# NAME.err; complains if the program does not end with STATUS. Its input is $input, its environment
# empty, so that it does the same each time. Python's and Perl's hashes are random unless told.
input=/dev/null
record() {
	local backend=$1 name=$2 expected=$3 status
	shift 3
	env -i PATH=/usr/bin:/bin LC_ALL=C TZ=UTC PYTHONHASHSEED=0 PERL_HASH_SEED=0 \
		"$BIN/trace-record" --quiet --force --backend="$backend" -o "$name.trace" "$@" \
		<$input >"$name.out" 2>"$name.err"
	status=$?
	[ "$expected" = any ] || [ $status = "$expected" ] ||
		check_equal "$name.status" "$expected" $status
	return $status
}

# same NAME [OPTION...] -- PROGRAM ARGUMENT...: both backends record the same of it.
same() {
	local name=$1 status
	shift
	record step "$name.step" any "$@"
	status=$?
	record "$other" "$name.other" $status "$@"
	check "$name.output" cmp "$name.step.out" "$name.other.out"
	check "$name.messages" cmp "$name.step.err" "$name.other.err"
	check "$name.trace" "$COMPARE" "$name.step.trace" "$name.other.trace"
	rm -f "$name".*
}
