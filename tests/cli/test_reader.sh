#!/bin/bash
# SPDX-License-Identifier: MIT
# tests/reader.py, made only from FORMAT.md, lists traces as trace-dump does: those of
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

# The comparison notices a difference.
mkdir "$work/cli"
cp "$agrees" "$work/cli"
cp -r tests/reader.py tests/traceread "$work"
sed -i 's/"insn"/"instruction"/' "$work/traceread/listing.py"
check_status notices_a_difference 1 "$work/cli/reader_agrees.sh" "$work/branches.trace"

# The reader takes damaged sections from their copies, as trace-dump does: each that has one, and the file header.
"$(dirname "$BIN")/examples/write-trace" "$work/hand.trace"
"$BIN/trace-dump" --format=jsonl "$work/hand.trace" >"$work/hand"
# The file header, the header and the payload of META and of BLOCKS, and END.
for at in 9 72 160 640 618 2209; do
	cp "$work/hand.trace" "$work/damaged.trace"
	printf '\252\252' | dd of="$work/damaged.trace" bs=1 seek=$at conv=notrunc status=none
	check "copies.at_$at" cmp <(/usr/bin/python3 tests/reader.py "$work/damaged.trace" 2>&1) "$work/hand"
	check "copies.dump_at_$at" cmp <("$BIN/trace-dump" --format=jsonl "$work/damaged.trace" 2>/dev/null) "$work/hand"
done
