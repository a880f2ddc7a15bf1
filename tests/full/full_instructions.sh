#!/bin/bash
# SPDX-License-Identifier: MIT
# Instructions of all kinds in test suites of other tools: results, faults, transfers of control,
# addresses, states of the processor, code that changes.
. "$(dirname "$0")/programs.sh"

for program in faults control_flow flags_and_strings memory_faults addressing changing_code; do
	exact "$program"
done
