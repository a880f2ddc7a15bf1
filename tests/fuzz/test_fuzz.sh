#!/bin/bash
# Runs the fuzzers for a short time, most of which goes into building them; `make fuzz` runs them longer.
. "$(dirname "$0")/../lib.sh"
check fuzz.reader "$(dirname "$0")/run.sh" "$(quick_or_full 5 60)" "$(quick_or_full -O0 -O1)"
