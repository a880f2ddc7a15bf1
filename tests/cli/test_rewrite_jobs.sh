#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-repack and trace-cut make the same sections on any number of cores. A trace of more threads than files may be
# open is read and rewritten.
. "$(dirname "$0")/../lib.sh"
tests=$(cd "$(dirname "$0")/.." && pwd)
cd "$work" || exit 1

# sections TRACE: its sections, but for those that have its own UUID
sections() {
	PYTHONPATH=$tests /usr/bin/python3 -B - "$1" <<'END'
import sys
from traceread import encodings, sections
found, finished = sections.walked(open(sys.argv[1], 'rb').read())
for s in found:
    if s.kind not in (encodings.COPIES, encodings.END, encodings.INDEX):
        print(s.kind, s.thread, s.first, s.count, s.stored, '%x' % s.hash)
print(len(found), finished)
END
}

head -c 20000 /bin/bash >input
"$BIN/trace-record" -q --count=150k --chunk=5k -o gzip.trace -- gzip -c input >/dev/null 2>&1
"$BIN/trace-record" -q --threads=serial --from=main --count=40k --chunk=3k -o threads.trace -- "$PROGRAMS/threads" >/dev/null 2>&1
for name in gzip threads; do
	check $name.repack.one "$BIN/trace-repack" -q --force -j1 -o one.trace $name.trace
	sections one.trace >one
	check $name.repack.some test "$(wc -l <one)" -gt 20
	"$BIN/trace-cut" -q --force -j1 --from=10k --count=25k --warmup=5k -o cut.trace $name.trace
	sections cut.trace >cut
	check $name.cut.some test "$(wc -l <cut)" -gt 8
	for jobs in 2 7; do
		"$BIN/trace-repack" -q --force -j$jobs -o got.trace $name.trace
		check $name.repack.$jobs cmp one <(sections got.trace)
		"$BIN/trace-cut" -q --force -j$jobs --from=10k --count=25k --warmup=5k -o got.trace $name.trace
		check $name.cut.$jobs cmp cut <(sections got.trace)
	done
done
check verify "$BIN/trace-verify" -q got.trace

# Damage in the middle ends a rewriting by several cores.
PYTHONPATH=$tests /usr/bin/python3 -B - gzip.trace bad.trace <<'END'
import sys
from traceread import encodings, sections
data = bytearray(open(sys.argv[1], 'rb').read())
chunks = [s for s in sections.walked(bytes(data))[0] if s.kind == encodings.CHUNK]
for chunk in chunks[5], chunks[9]:
    data[data.index(chunk.payload) + len(chunk.payload) // 2] ^= 0xff
open(sys.argv[2], 'wb').write(data)
END
for jobs in 1 4; do
	check_status damaged.$jobs 1 "$BIN/trace-repack" -q -j$jobs -o none.trace bad.trace
	check damaged.$jobs.removed [ ! -e none.trace ]
	cp err damaged.$jobs.err
done
check damaged.same cmp damaged.1.err damaged.4.err

# ---- many threads, few files ----
"$BIN/../tests/many_of" turns 120 turns.trace
few() { (ulimit -n 16 && "$@"); }
for analyzer in mix stackdist itypes reg stride footprint ppm; do
	"$BIN/trace-$analyzer" -q --format=json turns.trace >expected
	check few.$analyzer few sh -c '"$0" -q -j4 --format=json turns.trace >got' "$BIN/trace-$analyzer"
	check few.$analyzer.same cmp expected got
done
for part in 0 1 2 3 4; do
	"$BIN/trace-mix" -q --part=$part/5 --partial=p.%p turns.trace
done
"$BIN/trace-mix" -q turns.trace >expected
check few.merge few sh -c '"$0" p.* >got' "$BIN/trace-merge"
check few.merge.same cmp expected got
check few.repack few "$BIN/trace-repack" -q -j4 -o small.trace turns.trace
check few.repack.same cmp <("$BIN/trace-dump" turns.trace) <("$BIN/trace-dump" small.trace)
check few.cut few "$BIN/trace-cut" -q -j4 --from=1 --count=100 -o slice.trace turns.trace
check few.verify few "$BIN/trace-verify" -q slice.trace
