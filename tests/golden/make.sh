#!/bin/sh
# Makes the golden traces of the present format version, with the build of that time:
#	tests/golden/make.sh BUILD-FOLDER VERSION
# Traces of released versions are never made again: every later reader must read them.
set -e
build=$(realpath "${1:?usage: make.sh BUILD-FOLDER VERSION}")
to=$(dirname "$(realpath "$0")")/v${2:?usage: make.sh BUILD-FOLDER VERSION}
oracle=$(dirname "$(realpath "$0")")/../oracle/ibs
mkdir -p "$to" /tmp/golden
cd /tmp/golden	# traces name the folder in which they were made
cp "$build"/tests/programs/* .

"$build/examples/write-trace" "$to/by-hand.trace"
for program in branches fault operands selfmod strings vectors; do
	"$build/bin/trace-record" -q --force -o $program.trace -- ./$program || true
done
"$build/bin/trace-record" -q --force --chunk=400 -o threads.trace --from=main -- ./workers 2 3
"$build/bin/trace-record" -q --force --count=3000 --no-functions -o true.trace -- /bin/true
"$build/bin/trace-record" -q --force --count=60000 --chunk=15000 --no-functions -o sources.trace -- gzip -c vectors \
	>/dev/null
"$build/bin/trace-import" -q --force -o samples.trace "$oracle/fam19h_m11h_bff.perf.data"
"$build/bin/trace-record" -q --force --backend=step --sample=cpu-clock,period=100000 -o sampled.trace -- ./branches || true
"$build/bin/trace-record" -q --force --sample=cpu-clock,callchain,period=10000 -o sampled-chains.trace -- ./branches || true
"$build/bin/trace-record" -q --force --vectors --interval=100k --boundary=loop -o intervals.trace -- ./locks
"$build/bin/trace-record" -q --force --vectors --interval=100k --exclude=locks -o excluded.trace -- ./locks
head -c 32 /dev/zero >key
for level in facts regdeps; do
	"$build/bin/trace-anonymise" -q --force --key=key --code=$level -o withheld-$level.trace operands.trace
done
mv ./*.trace "$to"
for trace in "$to"/*.trace; do
	"$build/bin/trace-dump" --format=jsonl "$trace" | zstd -q -19 -f -o "${trace%.trace}.jsonl.zst"
done
for trace in "$to"/sample*.trace; do
	"$build/bin/trace-dump" --samples --format=jsonl "$trace" | zstd -q -19 -f -o "${trace%.trace}.samples.zst"
done
rm -r /tmp/golden
ls -l "$to"
