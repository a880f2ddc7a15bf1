#!/bin/bash
# Runs all tests of a build folder, one more at a time than there are CPUs, as some wait, and ends
# with "N passed, N failed".
# A test is a Check program (BUILD/tests/test_*), or a script tests/*/test_*.sh that prints a line
# "ok NAME" or "not ok NAME" for each check it makes (tests/lib.sh). The logs are in BUILD/logs.
set -u
unset CDPATH
cd "$(dirname "$0")/.." || exit
export BUILD=${1:?usage: run.sh BUILD-FOLDER [TEST...]}
shift
build=$(realpath "$BUILD") || exit
export BIN=$build/bin PROGRAMS=$build/tests/programs CK_DEFAULT_TIMEOUT=300 CK_TIMEOUT_MULTIPLIER=2
export UBSAN_OPTIONS=print_stacktrace=1
logs=$BUILD/logs
rm -rf "$logs" && mkdir -p "$logs"

# The user's settings do not change what a test sees, and tests do not change the user's files.
umask 022
export LC_ALL=C TRACELAB_CACHE=no
unset BASH_ENV ENV POSIXLY_CORRECT GREP_OPTIONS DEBUGINFOD_URLS MAKEFLAGS MAKEOVERRIDES MFLAGS
unset XDG_CACHE_HOME
unset GZIP BZIP2 BZIP XZ_OPT XZ_DEFAULTS ZSTD_CLEVEL PYTHONPATH PYTHONHOME PYTHONSTARTUP PERL5LIB PERL5OPT

# usable FOLDER: makes $scratch, a new folder in FOLDER in which programs may be written and executed.
usable() {
	scratch=$(mktemp -d "$1/tests.XXXXXX" 2>/dev/null) || return
	printf '#!/bin/sh\n' >"$scratch/program" && chmod 755 "$scratch" "$scratch/program" &&
		"$scratch/program" 2>/dev/null && rm "$scratch/program" && return
	rm -rf "$scratch"
	return 1
}
usable "${TMPDIR:-/tmp}" || usable /var/tmp || usable "$build" || {
	echo "run.sh: no folder for the tests: neither TMPDIR nor /var/tmp nor $build may be written to and executed from" >&2
	exit 1
}
export TMPDIR=$scratch TEMP=$scratch HOME=$scratch/home # TEMP is for libcheck
mkdir "$HOME"

# bash ends the loops and functions around such an error, or takes another branch, and the script goes on.
export errors_of_bash='^([^#]*/)?tests/[^:]+: line [0-9]+: .*(error token is|syntax error|bad array subscript|'\
'bad substitution|(integer|integer expression|unary operator|binary operator) expected$|command not found$)'

# Output without a line break at its end hides the result behind it.
export hidden_results='^[^#].*(not ok|[^a-z]ok) [A-Za-z0-9_.]'

run_one() {
	export -nf run_one failures
	test=$1 name=${1##*/} log=$2/${1##*/}.log
	start=$SECONDS
	TIMEFORMAT='%U + %S'
	cpu=$({ time timeout -k 10 "${TEST_LIMIT:-1800}" "$test" >"$log" 2>&1 </dev/null; } 2>&1)
	status=$?
	read -r passed failed < <(awk '
		match($0, /%: Checks: [0-9]+, Failures: [0-9]+, Errors: [0-9]+/) {
			split(substr($0, RSTART), n, /[^0-9]+/)
			passed += n[2] - n[3] - n[4]
			failed += n[3] + n[4]
		}
		/^ok / { passed++ }
		/^not ok / { failed++ }
		END { print passed + 0, failed + 0 }' "$log")
	broken=$(grep -acE "$errors_of_bash" "$log")
	hidden=$(grep -aE "$hidden_results" "$log" | grep -acvE '^(not )?ok ')
	failed=$((failed + broken + hidden))
	if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ] || [ $((passed + failed)) -eq 0 ]; then
		failed=$((failed + 1))
		echo "(exit status $status)" >>"$log"
	fi
	echo "$passed $failed" >"$log.count"
	printf '%-40s %5d passed %3d failed %4d s (%s s CPU)\n' "$name" "$passed" "$failed" $((SECONDS - start)) "$cpu"
	[ "$failed" -eq 0 ] || failures "$log"
}

# failures LOG: prints its lines about failures.
failures() {
	grep -av '^ok ' "$1" | grep -aE "^not ok|:[FE]:|rror|exit status|^#|$errors_of_bash|$hidden_results" | head -40 | sed 's/^/    /'
}
export -f run_one failures

if [ $# -eq 0 ]; then
	for test in "$BUILD"/tests/test_* tests/*/test_*.sh; do
		[[ $test == *.d ]] || set -- "$@" "$test"
	done
fi
printf '%s\0' "$@" | xargs -0 -P $(($(nproc) + 1)) -I{} bash -c 'run_one "$1" "$2"' - {} "$logs"

# Failures are printed once more, as the middle of a long log is easily missed.
for count in "$logs"/*.count; do
	read -r _ failed <"$count"
	[ "$failed" -ne 0 ] || continue
	echo "FAILED: $(basename "$count" .log.count)"
	failures "${count%.count}"
done
# Files that a failed test has left are kept.
rm -rf "$HOME"
find "$scratch" -depth -type d -empty -delete
[ ! -e "$scratch" ] || echo "left in $scratch: $(ls "$scratch" | xargs)"
processor=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)
echo "on ${processor:-an unknown processor}, $(nproc) CPUs, $(uname -sr), as $([ "$(id -u)" = 0 ] && echo root || echo a user)"
cat "$logs"/*.count | awk '{ p += $1; f += $2 } END { printf "%d passed, %d failed\n", p, f; exit f > 0 || p == 0 }'
