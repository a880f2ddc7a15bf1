#!/bin/bash
# SPDX-License-Identifier: MIT
# Tables of results: as wide as a terminal, one by one as CSV, with units. pandas reads the CSV files of all
# analyzers without options; tables_check.py has what R's read.csv needs.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
cd "$work" || exit 1
analyzers="bbv calls calls-heap calls-syscalls footprint ibs ilp itypes mica mix ppm reg slo stackdist stride"

"$BIN/trace-record" -q -o t -- "$PROGRAMS/call_paths"
# options NAME: the options of a case that is named like an analyzer, or after one.
options() {
	case $1 in
	calls-*) echo "--${1#calls-} --top=1000000" ;;
	calls) echo "--top=50" ;;
	bbv) echo "--interval=1000 --bb-out-file=$work/bb" ;;
	mix) echo "--by=symbol" ;;
	stackdist) echo "--histogram --curve --cache-size=32Ki" ;;
	slo) echo "--histogram --min-distance=0" ;;
	esac
}
mkdir csv json
for name in $analyzers; do
	"$BIN/trace-${name%-*}" -q $(options $name) --format=csv -o csv/$name/ t 2>>err || echo "not ok $name"
	"$BIN/trace-${name%-*}" -q $(options $name) --format=json t >json/$name 2>>err
done
"$BIN/trace-mix" -q --interval=1000 --format=csv -o csv/intervals/ t
"$BIN/trace-mix" -q --interval=1000 --format=json t >json/intervals
check tables /usr/bin/python3 "$here/tables_check.py" csv json

# One table of several, on standard output.
"$BIN/trace-calls" --format=csv --table=functions --top=50 t >functions 2>err
check table.plain cmp functions csv/calls/functions.csv
check_equal table.no_message "" "$(cat err)"
"$BIN/trace-calls" -q --format=csv --table=facts t >facts 2>err
check table.facts cmp facts csv/calls/facts.csv
"$BIN/trace-mix" -q --by=symbol --format=csv --table=facts t >facts
check_match table.facts.beside_one_table '^instructions,[1-9][0-9]*,$' facts
"$BIN/trace-calls" --format=csv t >out 2>err
check_match tables.named 'the result has the tables facts, functions and call_paths; --table=NAME' err
check_equal tables.units "exclusive_bytes_loaded [bytes]" "$(tr , '\n' <functions | grep -m 1 loaded)"
check_status table.wrong 2 "$BIN/trace-calls" --format=csv --table=none t
check_match table.wrong.says "no table 'none'; it has facts, functions and call_paths" err
check_equal table.text "exclusive percent" "$("$BIN/trace-calls" -q --table=functions --top=1 t | grep -o '^exclusive percent')"

# A terminal of 70 columns, an option, and neither.
on_terminal() { /usr/bin/python3 "$here/terminal.py" 70 "$@"; }
widest() { awk '{ if (length > n) n = length } END { print n + 0 }' "$@"; }
on_terminal "$BIN/trace-mix" -q --by=symbol t >out
check terminal.fits test "$(sed -n '/^symbols/,$p' out | widest)" -le 70
check_match terminal.note 'wide also shows:' out
check_match terminal.name_second '^instructions  symbol ' out
"$BIN/trace-mix" -q --by=symbol t >piped
on_terminal "$BIN/trace-mix" -q --by=symbol --wide t >out
check terminal.wide cmp piped out
check pipe cmp piped out
COLUMNS=50 "$BIN/trace-mix" -q --by=symbol t >out
check pipe.in_any_terminal cmp piped out
"$BIN/trace-mix" -q --by=symbol --width=90 t >out
check width test "$(sed -n '/^symbols/,$p' out | widest)" -le 90
check_equal width.rows "$(sed -n '/^symbols/,/^$/p' piped | wc -l)" "$(sed -n '/^symbols/,/^$/p' out | grep -vc '^(\|also')"

# The curve in text: the powers of two of the curve in data, and the last row is that of all blocks.
"$BIN/trace-stackdist" -q --curve --histogram --table=miss_ratio_curve t | awk 'NR > 1 { gsub(",", ""); print $3, $5 }' >text
"$BIN/trace-stackdist" -q --curve --format=csv --table=miss_ratio_curve t | tail -n +2 | cut -d, -f3,5 | tr , ' ' >data
awk 'NR == FNR { misses[$1] = $2; next }
	{ for (n = $1 + 0; n > 0 && !(n in misses); n--); if ($2 != (n ? misses[n] : "")) print "not", $0; if ($1 != 2 ^ (FNR - 1)) print "no power", $0 }' \
	data text >faults
check_equal curve.powers "" "$(cat faults)"
check_equal curve.end "$(tail -n 1 data | cut -d' ' -f2)" "$(tail -n 1 text | cut -d' ' -f2)"
check curve.short test "$(wc -l <text)" -lt 20
