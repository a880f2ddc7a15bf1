#!/bin/bash
# SPDX-License-Identifier: MIT
# The reader made from FORMAT.md alone (tests/reader.py) lists traces as trace-dump does: those of
# each released version, and new ones.
. "$(dirname "$0")/../lib.sh"
agrees=$(dirname "$0")/reader_agrees.sh

check golden.there ls tests/golden/v1.0/*.trace
for trace in tests/golden/*/*.trace; do
	is_quick && [ "$(stat -c %s "$trace")" -ge 20000 ] && continue
	check "golden ${trace##*golden/}" "$agrees" "$trace"
done

"$BIN/trace-record" -q --chunk=1k --from=main -o "$work/forks.trace" --follow -- "$PROGRAMS/forks" 1 >/dev/null
check forks "$agrees" "$work/forks.trace"
for program in branches strings; do
	"$BIN/trace-record" -q -o "$work/$program.trace" --no-addresses -- "$PROGRAMS/$program"
	check "control flow $program" "$agrees" "$work/$program.trace"
done

# It notices a difference.
mkdir "$work/cli"
cp "$agrees" "$work/cli"
cp -r tests/reader.py tests/traceread "$work"
sed -i 's/"insn"/"instruction"/' "$work/traceread/listing.py"
check_status notices_a_difference 1 "$work/cli/reader_agrees.sh" "$work/branches.trace"
