#!/bin/bash
# SPDX-License-Identifier: MIT
# Profiles of trace-calls as their viewers read them: go's pprof (Debian: golang-go).
. "$(dirname "$0")/lib.sh"

"${recorder[@]}" -q -o t -- "$PROGRAMS/call_paths"
"$BIN/trace-calls" -q --demangle=no --top=100000 --format=json t >result.json
"$BIN/trace-calls" -q --demangle=no --export=pprof -o t.pb.gz t
check pprof.written test -s t.pb.gz
pprof=$(command -v pprof || ls /usr/lib/go-*/pkg/tool/linux_amd64/pprof 2>/dev/null | tail -n 1)
if [ -z "$pprof" ]; then
	echo "# skipped: there is no pprof, which Debian's golang-go has"
	exit 0
fi

# flat_and_cumulative FILE: functions with both numbers, as pprof counts them in the profile
flat_and_cumulative() {
	"$pprof" -symbolize=none -top -nodecount=0 -nodefraction=0 -edgefraction=0 "$1" |
		sed '1,/flat%/d' | awk '{ flat = $1; cum = $4; $1 = $2 = $3 = $4 = $5 = ""; sub(/^ */, ""); print flat, cum, $0 }' | sort
}
# wanted FILE: the same of the functions in a result
wanted() {
	/usr/bin/python3 -c '
import collections, json, sys
result = json.load(open(sys.argv[1]))
names = collections.Counter(row["function"] for row in result["functions"])
for row in result["functions"]:
	if names[row["function"]] == 1:
		print(row["exclusive_instructions"], row["inclusive_instructions"], row["function"])' "$1" | sort
}

wanted result.json >expected
flat_and_cumulative t.pb.gz >found
check pprof.some test "$(wc -l <expected)" -gt 50
check_equal pprof.functions "" "$(comm -23 expected found | head -5)"
check_equal pprof.total "$(sed -n 's/.*"instructions": \([0-9]*\).*/\1/p' result.json | head -n 1)" \
	"$("$pprof" -symbolize=none -top t.pb.gz | sed -n 's/.* of \([0-9]*\) total.*/\1/p')"
