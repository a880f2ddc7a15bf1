#!/bin/bash
# Programs behave the same natively and under both backends, which record the same; the translated code's own checks
# find no difference. Each argument is a program of tests/programs.
# usage: same.sh PROGRAM...
. "$(dirname "$0")/../recorder/backends.sh"

for program in "$@"; do
	same "$program" -- "$PROGRAMS/$program"
	"${fixed[@]}" "$PROGRAMS/$program" >native.out 2>/dev/null
	status=$?
	record translate "$program.checked" $status --self-check -- "$PROGRAMS/$program"
	check "$program.checked.output" cmp native.out "$program.checked.out"
	check "$program.checked.verify" "$BIN/trace-verify" -q "$program.checked.trace"
done
