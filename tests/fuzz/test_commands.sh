#!/bin/bash
# SPDX-License-Identifier: MIT
# Every command that reads traces on changed ones: some, always the same. `make fuzz` tries others.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
cd "$work" || exit 1
check commands "$BIN/../tests/fuzz_commands" -s 1 -n "$(quick_or_full 60 3000)" "$BIN" "$BIN/../fuzz-faults" "$here"/../golden/v*/*.trace
