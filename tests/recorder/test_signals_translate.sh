#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs that block, ignore or handle SIGTRAP and SIGSEGV do not see those that the translate
# backend raises for itself; all other signals are as natively.
OTHER=translate
. "$(dirname "$0")/backends.sh"
ulimit -c 0

is_quick || same faults -- "$PROGRAMS/faults"
same faults.later --from=jumps -- "$PROGRAMS/faults"
stepped=$(quick_or_full "blocked reset trap-ignored divide-blocked" \
	"ignored blocked reset trap-ignored trap-blocked divide-blocked")
for how in $stepped; do
	same faults.$how --from=main -- "$PROGRAMS/faults" $how
done
for how in ignored trap-blocked; do
	"$PROGRAMS/faults" $how >native.out 2>/dev/null
	record translate faults.$how.whole $? -- "$PROGRAMS/faults" $how
	check faults.$how.whole.output cmp native.out faults.$how.whole.out
	check faults.$how.whole.verify "$BIN/trace-verify" -q faults.$how.whole.trace
done

# Under single steps the program would hardly do anything but handle the timer.
"$PROGRAMS/timers" >native.out
record translate timers 0 -- "$PROGRAMS/timers"
check timers.output cmp native.out timers.out
check timers.verify "$BIN/trace-verify" -q timers.trace

# No new chunk begins where a handler is entered, by a fault or a system call, nor behind it, nor
# around instructions that are stepped.
for program in faults signals odd non_canonical; do
	"$PROGRAMS/$program" >native.out
	record translate $program $? -- "$PROGRAMS/$program"
	check $program.output cmp native.out $program.out
	check_equal $program.chunks 1 "$(info $program.trace chunks)"
done
