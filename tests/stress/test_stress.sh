#!/bin/bash
# SPDX-License-Identifier: MIT
# Random programs, and kill -9 at random moments: RUNS runs.
. "$(dirname "$0")/../lib.sh"
# The process that looks for leaks would be killed, too, and waited for.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
/usr/bin/python3 "$(dirname "$0")/stress.py" "$BIN" "$PROGRAMS" "${RUNS:-$(quick_or_full 20 500)}"
