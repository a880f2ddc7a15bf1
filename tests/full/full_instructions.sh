#!/bin/bash
# SPDX-License-Identifier: MIT
# Instructions of all kinds in test suites of other tools: results, faults, transfers of control,
# addresses, states of the processor, code that changes.
. "$(dirname "$0")/programs.sh"

for program in faults control_flow flags_and_strings memory_faults addressing changing_code; do
	exact "$program"
done
if grep -qw avx512bw /proc/cpuinfo; then
	exact lane_faults
	behaves vector_state
	behaves vector_state --skip=20k --count=20k
else
	echo "ok lane_faults, vector_state # skipped: this processor has no AVX-512"
fi
