#!/bin/bash
# Runs the fuzzers for a short time, most of which goes into building them; `make fuzz` runs them longer.
. "$(dirname "$0")/../lib.sh"
# Code that checks each access for its alignment, and for NULL, at which the fuzzers die anyway, takes a third of the
# time that the compiler takes.
check fuzz.reader "$(dirname "$0")/run.sh" "$(quick_or_full 5 60)" "$(quick_or_full "-O0 -fno-sanitize=null,alignment" -O1)"
