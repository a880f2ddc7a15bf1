#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs the tests of signals and of transparency with the step backend; make check runs them with the
# default backend.
. "$(dirname "$0")/../lib.sh"
tests=$(cd "$(dirname "$0")/.." && pwd)
export BACKEND=step

for test in e2e/test_signals recorder/test_transparent; do
	"$tests/$test.sh" | sed "s,^\(ok\|not ok\) ,&${test#*/test_}.,"
	check_equal "${test#*/test_}.ends" 0 "${PIPESTATUS[0]}"
done
