#!/bin/bash
# SPDX-License-Identifier: MIT
# Syscall user dispatch: the kernel judges system calls by their addresses in the program.
. "$(dirname "$0")/../e2e/e2e.sh"

for backend in step translate; do
	check_same $backend x.trace --backend=$backend -- "$PROGRAMS/dispatch"
	check $backend.verify "$BIN/trace-verify" -q x.trace
	mv x.trace $backend.trace
done
# The instruction counts, though no call is made.
check_equal same.instructions "$(info step.trace instructions)" "$(info translate.trace instructions)"
check_equal same.calls "$(events step.trace syscall | wc -l)" "$(events translate.trace syscall | wc -l)"
check_same follow x.trace --follow --self-check -- "$PROGRAMS/dispatch"
check_same serial x.trace --threads=serial -- "$PROGRAMS/dispatch"
check_same skip x.trace --skip=40000 --count=15000 -- "$PROGRAMS/dispatch"
check_same windows x.trace --every=10000 --for=2000 -- "$PROGRAMS/dispatch"
