#!/bin/bash
# SPDX-License-Identifier: MIT
# Checks that no two files of the project define the same external symbol: a unit test links files of several folders, and
# the linker takes the first definition without a word. The executables of MICA's analyses each define mica_tool, and test
# programs may replace a function.
. "$(dirname "$0")/../lib.sh"

# repeated OBJECT...: prints the symbols that more than one object defines.
repeated() {
	nm --defined-only --extern-only --format=posix "$@" | awk '$1 !~ /^__odr_asan\./ && $2 ~ /^[TDBR]$/ { print $1 }' | sort | uniq -d |
		grep -vxE 'main|mica_tool'
}

here=$(cd "$BIN/../obj" && pwd)
objects=()
for folder in recorder traceformat analyzers cli tests/unit; do
	while IFS= read -r -d '' object; do
		source=${object#"$here/"}
		[ -e "${source%.o}.c" ] && objects+=("$object") # it was not renamed
	done < <(find "$here/$folder" -name '*.o' ! -path '*/tests/unit/*/test_*' -print0)
done
check objects test ${#objects[@]} -gt 300
check_equal tree '' "$(repeated "${objects[@]}")"
session=$here/recorder/core/session.o
check_match twice '^session_fail$' <(repeated "$session" "$session")
