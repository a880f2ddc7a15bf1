#!/bin/bash
# A short run of the reader's fuzzer; `make fuzz` runs it longer.
. "$(dirname "$0")/../lib.sh"
check fuzz.reader "$(dirname "$0")/run.sh" 20
