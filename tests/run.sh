#!/bin/bash
# Runs all tests of a build folder, one more at a time than there are CPUs, as some wait, and closes
# with "N passed, N failed".
# A test is a Check program (BUILD/tests/test_*), or a script tests/*/test_*.sh that prints a line
# "ok NAME" or "not ok NAME" for each check it makes (tests/lib.sh). The logs are in BUILD/logs.
set -u
cd "$(dirname "$0")/.."
export BUILD=${1:?usage: run.sh BUILD-FOLDER [TEST...]}
shift
export BIN=$PWD/$BUILD/bin PROGRAMS=$PWD/$BUILD/tests/programs CK_DEFAULT_TIMEOUT=300 CK_TIMEOUT_MULTIPLIER=2
export UBSAN_OPTIONS=print_stacktrace=1
logs=$BUILD/logs
rm -rf "$logs" && mkdir -p "$logs"

run_one() {
	test=$1 name=${1##*/} log=$2/${1##*/}.log
	start=$SECONDS
	timeout -k 10 "${TEST_LIMIT:-900}" "$test" >"$log" 2>&1 </dev/null
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
	if [ $status -ne 0 ] && [ $failed -eq 0 ] || [ $((passed + failed)) -eq 0 ]; then
		failed=$((failed + 1))
		echo "(exit status $status)" >>"$log"
	fi
	echo "$passed $failed" >"$log.count"
	printf '%-40s %5d passed %3d failed %4d s\n' "$name" "$passed" "$failed" $((SECONDS - start))
	[ $failed -eq 0 ] || failures "$log"
}

# failures LOG: its lines that tell what failed.
failures() {
	grep -E '^not ok|:[FE]:|rror|exit status|^#' "$1" | head -40 | sed 's/^/    /'
}
export -f run_one failures

if [ $# -eq 0 ]; then
	set -- $(ls "$BUILD"/tests/test_* | grep -v '\.d$') tests/*/test_*.sh
fi
printf '%s\n' "$@" | xargs -P $(($(nproc) + 1)) -I{} bash -c 'run_one {} '"$logs"

# Once more, as nobody sees the middle of a long log.
for count in $(grep -lv ' 0$' "$logs"/*.count); do
	echo "FAILED: $(basename "$count" .log.count)"
	failures "${count%.count}"
done
cat "$logs"/*.count | awk '{ p += $1; f += $2 } END { printf "%d passed, %d failed\n", p, f; exit f > 0 || p == 0 }'
