#!/bin/bash
# Measures trace-import on files that trace-export makes of a part of gzip. Prints a table of records/s of CPU time,
# in each row the median of the rounds. The rows take turns.
# usage: import.sh BUILD-FOLDER [INSTRUCTIONS [ROUNDS]]; the default is 20000000 instructions and 3 rounds.
set -eu
cd "$(dirname "$0")/../.."
bin=$PWD/${1:?usage: import.sh BUILD-FOLDER [INSTRUCTIONS [ROUNDS]]}/bin
count=${2:-20000000}
rounds=${3:-3}
export LC_ALL=C
. tests/bench/lib.sh
work=$(roomy_folder $((count * 40)))
trap 'rm -rf "$work"' EXIT
cd "$work"

head -c 4000000 /bin/bash >input
"$bin/trace-record" -q --count="$count" -o traced -- gzip -c input >/dev/null
"$bin/trace-export" -q --to=drmemtrace -o drmemtrace.zip traced
"$bin/trace-export" -q --to=drmemtrace --no-compression -o drmemtrace.plain traced
for format in champsim sbbt xdin; do
	"$bin/trace-export" -q --to=$format -o $format.gz traced
done

names='drmemtrace.zip drmemtrace.plain champsim.gz sbbt.gz xdin.gz'
for _ in $(seq "$rounds"); do
	for name in $names; do
		read -r _ cpu < <(timed "$bin/trace-import" --force --from="${name%.*}" -o imported "$name")
		echo "$cpu" >>"$name.times"
	done
done
printf '%-18s %12s %9s %9s %12s\n' imported records CPU 'M/s' bytes
for name in $names; do
	cpu=$(median <"$name.times")
	read -r records bytes < <("$bin/trace-import" --force --format=csv --from="${name%.*}" -o imported "$name" |
		awk -F, '{ v[$1] = $2 } END { print v["records"], v["bytes"] }')
	printf '%-18s %12s %9s %9s %12s\n' "$name" "$records" "$cpu" "$(calculate %.1f "$records / $cpu / 1e6")" "$bytes"
done
