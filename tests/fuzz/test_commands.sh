#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs every command on changed traces and other inputs, the same in each run. `make fuzz` tries others.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
cd "$work" || exit 1
check commands "$BIN/../tests/fuzz_commands" -s 1 -n "$(quick_or_full 40 3000)" "$BIN" "$BIN/../fuzz-faults" "$here"/../golden/v*/*.trace
check input_seeds "$here/make_input_seeds.sh" "$BIN" seeds
check inputs "$BIN/../tests/fuzz_inputs" -s 1 -n "$(quick_or_full 100 6000)" "$BIN" "$BIN/../fuzz-faults" "$work"/seeds/*
