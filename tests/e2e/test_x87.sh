#!/bin/bash
# SPDX-License-Identifier: MIT
# The program finds addresses of its own in the x87 instruction pointer.
. "$(dirname "$0")/e2e.sh"

for options in "" --skip=1; do
	record pointers.trace $options -- "$PROGRAMS/pointers"
	check_equal "pointers.status$options" 0 $?
	check "pointers.verify$options" "$BIN/trace-verify" -q pointers.trace
done
# A stop behind each instruction: 0 where the processor does not keep the pointer over it.
record stepped.trace --backend=step -- "$PROGRAMS/pointers"
check "pointers.stepped" [ $(($? & 3)) = 0 ]
