#!/bin/bash
# SPDX-License-Identifier: MIT
# Instructions of all kinds that test suites of other tools have: results, faults, ways that control
# takes, addresses, states of the processor, code that changes.
. "$(dirname "$0")/programs.sh"

for program in faults control_flow flags_and_strings memory_faults addressing changing_code; do
	exact "$program"
done
