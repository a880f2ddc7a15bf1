#!/bin/bash
# SPDX-License-Identifier: MIT
# Profiles and tables as other programs read them: KCachegrind under Xvfb (Debian: kcachegrind, xvfb, x11-utils,
# dbus), R (r-base-core), and go's pprof (golang-go). A reader that is not installed is skipped.
here=$(cd "$(dirname "$0")" && pwd)
. "$(dirname "$0")/lib.sh"

# absent COMMAND...: prints those that are not installed
absent() {
	local command
	for command in "$@"; do
		command -v "$command" >/dev/null || echo -n "$command "
	done
}

"${recorder[@]}" -q -o t -- "$PROGRAMS/call_paths"

# ---- KCachegrind ----
# It prints a line for each fault of a file; the title of its window names the file after it has been read.

# titles: those of all its windows
titles() {
	DISPLAY=:$(cat display) LC_ALL=C.UTF-8 xwininfo -root -tree | LC_ALL=C.UTF-8 grep -o '"[^"]*KCachegrind"'
}
is_open() { titles | grep -qE "\"$1 \\[|^\"Error "; }
# open_profile FILE: lets KCachegrind read a profile; its messages are then in messages, its windows in windows
open_profile() {
	local viewer
	DISPLAY=:$(cat display) LC_ALL=C.UTF-8 HOME=$work setsid dbus-run-session -- kcachegrind "$1" >messages 2>&1 &
	viewer=$!
	eventually is_open "$1"
	titles >windows
	kill -- "-$viewer"
	wait "$viewer" 2>/dev/null
}
read_by_kcachegrind() {
	local server
	Xvfb -displayfd 1 -screen 0 1200x800x24 -nolisten tcp >display 2>/dev/null &
	server=$!
	eventually test -s display
	"$BIN/trace-calls" -q --export=callgrind -o profile t
	open_profile profile
	check_match kcachegrind.window "^\"profile \\[[^]]*/call_paths'?\\]" windows
	check_equal kcachegrind.faults '' "$(grep '^Loading' messages | head -5)"
	check_match kcachegrind.functions 'Selected +"main"' messages
	# A profile that names no functions has faults.
	sed 's/^fn=/name=/' profile >faulty
	open_profile faulty
	check_match kcachegrind.sees_faults '^Loading .*Invalid line' messages
	"$BIN/trace-calls" -q --cost=misses --export=callgrind -o misses t
	open_profile misses
	check_match kcachegrind.misses.window '^"misses \[' windows
	check_equal kcachegrind.misses.faults '' "$(grep '^Loading' messages | head -5)"
	kill "$server"
	wait "$server" 2>/dev/null
}
missing=$(absent kcachegrind Xvfb xwininfo dbus-run-session)
if [ -n "$missing" ]; then
	echo "# skipped: there is no $missing"
else
	read_by_kcachegrind
fi

# ---- R ----
# read.csv without options: each table has its rows, columns of numbers are numeric, and heads are distinct.
if [ -n "$(absent Rscript)" ]; then
	echo "# skipped: there is no Rscript"
else
	mkdir csv
	for command in bbv:--interval=1000 cache: calls:--top=1000 calls:--heap calls:--syscalls footprint: ibs: ilp: itypes: \
		mica: mix:--by=symbol mix:--by=line mix:--interval=1000 ppm: reg: slo:--min-distance=0 stackdist:--curve stride:; do
		name=${command%%:*} option=${command#*:}
		"$BIN/trace-$name" -q ${option:+"$option"} --format=csv -o "csv/$name$option/" t 2>>csv.errors
	done
	"$BIN/trace-compare" -q --format=csv -o csv/compare/ t t
	find csv -name '*.csv' | sort >tables
	check R.tables test "$(wc -l <tables)" -gt 40
	check R.reads Rscript --vanilla "$here/read_tables.R" tables found
	check R.same /usr/bin/python3 - tables found <<-'END'
		import csv, sys

		def is_number(text):
		    try:
		        float(text)
		    except ValueError:
		        return text == ""
		    return True

		expected = []
		for name in open(sys.argv[1], encoding="utf-8").read().split("\n")[:-1]:
		    head, *rows = csv.reader(open(name, newline="", encoding="utf-8"))
		    columns = list(zip(*rows)) if rows else [()] * len(head)
		    sums = [sum(float(cell or 0) for cell in column) for column in columns if column and all(map(is_number, column))]
		    expected.append((name, len(rows), len(head), sums))
		lines = open(sys.argv[2], encoding="utf-8").read().split("\n")[:-1]
		assert len(lines) == len(expected)
		for line, (name, rows, columns, sums) in zip(lines, expected):
		    found = line.split("\t")
		    assert found[:3] == [name, str(rows), str(columns)], (line, rows, columns)
		    totals = [float(total) for total in found[3:]]
		    assert len(totals) == len(sums), (line, sums)
		    assert all(abs(a - b) <= 1e-9 * abs(b) for a, b in zip(totals, sums)), (line, sums)
	END
fi

# ---- pprof ----
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
