#!/bin/bash
# SPDX-License-Identifier: MIT
# Parts of analyses that depend on everything before: each begins with a warm-up, the result says so in every format,
# and counts that do not depend on the past are exact. A warm-up from the beginning on gives the result of one run.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1

"$BIN/trace-record" -q --chunk=3000 -o gzip.trace --count=60k -- gzip -c "$PROGRAMS/vectors" >/dev/null 2>&1
"$BIN/trace-record" -q --chunk=3000 -o threads.trace --threads=serial --from=main --count=15k -- "$PROGRAMS/threads" >/dev/null 2>&1

make_parts() { # make_parts ANALYZER N OPTIONS... TRACE
	local analyzer=$1 n=$2
	shift 2
	rm -f p.*
	for ((i = 0; i < n; i++)); do
		"$BIN/trace-$analyzer" "$@" --part="$i/$n" --partial=p.%p >>parts.log 2>&1 || return
	done
}
# numbers FILE: everything but the labels
numbers() {
	/usr/bin/python3 - "$1" <<'END'
import json, sys
result = json.load(open(sys.argv[1]))
for label in 'approximate', 'warmup', 'warmed_borders':
    for values in [result] + [v for v in result.values() if isinstance(v, dict)]:
        values.pop(label, None)
print(json.dumps(result, indent=1))
END
}

for name in gzip threads; do
	"$BIN/trace-ppm" --format=json $name.trace >one
	check $name.all.make make_parts ppm 5 --warmup=1T $name.trace
	"$BIN/trace-merge" --format=json p.2 p.0 p.4 p.1 p.3 >got
	check $name.all cmp <(numbers one) <(numbers got)

	check $name.some.make make_parts ppm 4 --warmup=500 --warmup-check $name.trace
	"$BIN/trace-merge" --partial=q p.2 p.1
	"$BIN/trace-merge" --format=json q p.0 p.3 >got
	check_match $name.json '"approximate": *true' got
	check_match $name.borders '"warmed_borders": 3' got
	check $name.instructions cmp <(grep -E '"(mica_instructions|executions|branches)"' one | head -2) \
		<(grep -E '"(mica_instructions|executions|branches)"' got | head -2)
	"$BIN/trace-merge" p.* >got
	check_match $name.text '^approximate +yes$' got
	check_match $name.check '^number .*twice the warmup' got
	"$BIN/trace-merge" --format=csv -o csv p.* >got 2>&1
	check_match $name.csv '^approximate,true,' csv
done

# The check shows what the warm-up costs: with twice as much, the numbers of a run with that warm-up.
make_parts ppm 4 --warmup=1000 gzip.trace
"$BIN/trace-merge" --format=json p.* | grep -o '"gag_12": *[0-9]*' | head -1 | tr -dc '0-9\n' >twice
make_parts ppm 4 --warmup=500 --warmup-check gzip.trace
check_equal check.number "gag_12 $(sed 's/^12//' twice)" \
	"$("$BIN/trace-merge" p.* | awk '$1 == "gag_12" { gsub(",", ""); print $1, $3 }')"

refused() { # refused NAME MESSAGE COMMAND...
	check_status "$1" 2 "$BIN/${@:3}"
	check_match "$1.says" "$2" err
}
refused exact 'are exact without --warmup' trace-stride --warmup=9 --part=0/2 --partial=x gzip.trace
refused exact.ilp 'are exact without --warmup' trace-ilp --warmup=9 --part=0/2 --partial=x gzip.trace
refused check_alone 'needs --part=I/N and --warmup=N' trace-ppm --warmup-check gzip.trace
check untouched [ ! -e x ]
make_parts ppm 2 --warmup=100 gzip.trace
"$BIN/trace-ppm" --warmup=200 --part=1/2 --partial=other gzip.trace
check_status other 1 "$BIN/trace-merge" p.0 other
check_match other.says "option text is 'warmup=200" err
