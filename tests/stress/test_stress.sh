#!/bin/bash
# SPDX-License-Identifier: MIT
# Random programs, and kill -9 at random moments: RUNS of them (20).
. "$(dirname "$0")/../lib.sh"
/usr/bin/python3 "$(dirname "$0")/stress.py" "$BIN" "$PROGRAMS" "${RUNS:-20}"
