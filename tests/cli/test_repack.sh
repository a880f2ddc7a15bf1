#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-repack: the same dump in fewer bytes, for trace-dump and for the reader made only from FORMAT.md;
# wrong input is refused.
. "$(dirname "$0")/../lib.sh"

for trace in tests/golden/*/*.trace; do
	name=${trace##*golden/}
	check "repack $name" "$BIN/trace-repack" --force -o "$work/new.trace" "$trace"
	check "verify $name" "$BIN/trace-verify" -q "$work/new.trace"
	check "dump $name" cmp <("$BIN/trace-dump" --format=jsonl "$trace") \
		<("$BIN/trace-dump" --format=jsonl "$work/new.trace")
done
check_match origin '^repacked-from ' <("$BIN/trace-info" --meta "$work/new.trace")

head -c 3000 /bin/bash >"$work/input"
"$BIN/trace-record" -q --skip=150k --count=100k -o "$work/gzip.trace" -- gzip -c "$work/input" >/dev/null
check gzip "$BIN/trace-repack" -q -o "$work/gzip.small" "$work/gzip.trace"
check gzip.smaller test "$(stat -c %s "$work/gzip.small")" -lt "$(stat -c %s "$work/gzip.trace")"
for column in flow slot-models slots; do
	check_match "gzip.$column" "^$column " <("$BIN/trace-info" --columns "$work/gzip.small")
done
check gzip.same cmp <("$BIN/trace-dump" --format=jsonl "$work/gzip.trace") \
	<("$BIN/trace-dump" --format=jsonl "$work/gzip.small")
check gzip.reader cmp <("$BIN/trace-dump" --format=jsonl "$work/gzip.trace") \
	<(/usr/bin/python3 tests/reader.py "$work/gzip.small")
check gzip.share /usr/bin/python3 -c 'import json, sys
r = json.load(sys.stdin); assert abs(r["share"] - 100 * r["bytes"] / r["bytes_before"]) < 0.01, r' \
	< <("$BIN/trace-repack" --force --format=json -o "$work/gzip.small" "$work/gzip.trace")
check gzip.many_jobs "$BIN/trace-repack" -q --jobs=1000000000 --force -o "$work/again.trace" "$work/gzip.trace"
check gzip.many_jobs.same "$BIN/../tests/compare" "$work/gzip.small" "$work/again.trace"
check gzip.pipe sh -c '"$0/trace-repack" -q -o - - <"$1" | "$0/trace-verify" -q -' "$BIN" "$work/gzip.trace"

# A recording at level 0 has more bytes, the same content, and the usual size once it is repacked.
for level in 0 1; do
	(cd "$work" && "$BIN/trace-record" -q --level=$level --count=1M -o level$level.trace -- gzip -c /bin/bash) >/dev/null
	check "level$level.verify" "$BIN/trace-verify" -q --decode "$work/level$level.trace"
	check "level$level.repack" "$BIN/trace-repack" -q -o "$work/level$level.small" "$work/level$level.trace"
done
check level0.same "$BIN/../tests/compare" "$work/level1.trace" "$work/level0.trace"
mapfile -t recorded < <(stat -c %s "$work"/level[01].trace)
mapfile -t packed < <(stat -c %s "$work"/level[01].small)
check "level0.larger: ${recorded[*]}" test "${recorded[0]}" -gt $((recorded[1] * 6 / 5))
check "level0.packed: ${packed[*]}" test $((packed[0] - packed[1])) -lt $((packed[1] / 50))

check_status exists 1 "$BIN/trace-repack" -o "$work/gzip.small" "$work/gzip.trace"
check_match exists.says 'exists, a finished trace; use --force' "$work/err"
check_status itself 1 "$BIN/trace-repack" --force -o "$work/gzip.trace" "$work/gzip.trace"
head -c 50000 "$work/gzip.trace" >"$work/cut.trace"
check_status cut 1 "$BIN/trace-repack" -o "$work/cut.small" "$work/cut.trace"
check_match cut.says 'trace-repair' "$work/err"
for command in trace-repack trace-repair "trace-cut -q --from=0"; do
	check_status "$command.full" 1 bash -c 'trap "" XFSZ; ulimit -f 8; exec "$@"' - \
		"$BIN"/$command -o "$work/full.trace" "$work/gzip.trace"
	check_match "$command.full.says" 'cannot write' "$work/err"
	check "$command.full.removed" test ! -e "$work/full.trace"
done
for command in trace-repack trace-repair; do
	check "$command.summary" sh -c '"$0" --force -o "$1" "$2" | grep -q .' "$BIN/$command" "$work/again.trace" "$work/gzip.trace"
	check "$command.quiet" sh -c '! "$0" -q --force -o "$1" "$2" | grep .' "$BIN/$command" "$work/again.trace" "$work/gzip.trace"
	check_status "$command.no_output" 2 "$BIN/$command" "$work/gzip.trace"
done
