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
check_status folder.text 2 "$BIN/trace-mix" -o csv/ t t
check_equal folder.text.says "trace-mix: error: --output=csv/: a folder receives tables only with --format=csv" \
	"$(grep error: err)"
check_status folder.json 2 "$BIN/trace-mix" --format=json -o csv t
check_status folder.new 2 "$BIN/trace-mix" -o no_folder/ t
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
check_equal width.rows "$(sed -n '/^symbols/,/^$/p' piped | wc -l)" "$(sed -n '/^symbols/,/^$/p' out | grep -vc '^(\|also\|^ *percent\b')"
# Nothing of any result is wider than 80 columns: tables, remarks, definitions.
for name in $analyzers cache cache-kinds cache-cores; do
	case $name in
	cache-kinds) with='--kinds --by=function' ;;
	cache-cores) with='--cores=2' ;;
	*) with=$(options $name) ;;
	esac
	[ $name = mica ] || "$BIN/trace-${name%-*}" -q --width=80 $with t >out 2>>err
	check "width.$name" test "$(grep -v '^\(trace\|command\) ' out | widest)" -le 80
done
"$BIN/trace-compare" -q --width=80 t t >out
"$BIN/trace-stackdist" -q --curve --width=80 t >out
check_equal width.curve_is_whole "" "$(grep also out)"
"$BIN/trace-cache" -q --by=function --levels=32Ki/8 --width=80 t >out
check_match width.name_behind_level "^level  symbol  *misses " out
check width.compare test "$(grep -vF -e "$work" -e "$PROGRAMS" out | widest)" -le 80

# The curve in text: the powers of two of the curve in data, and the last row is that of all blocks.
"$BIN/trace-stackdist" -q --curve --histogram --table=miss_ratio_curve t | awk 'NR > 1 { gsub(",", ""); print $3, $5 }' >text
"$BIN/trace-stackdist" -q --curve --format=csv --table=miss_ratio_curve t | tail -n +2 | cut -d, -f3,5 | tr , ' ' >data
awk 'NR == FNR { misses[$1] = $2; next }
	{ for (n = $1 + 0; n > 0 && !(n in misses); n--); if ($2 != (n ? misses[n] : "")) print "not", $0; if ($1 != 2 ^ (FNR - 1)) print "no power", $0 }' \
	data text >faults
check_equal curve.powers "" "$(cat faults)"
check_equal curve.end "$(tail -n 1 data | cut -d' ' -f2)" "$(tail -n 1 text | cut -d' ' -f2)"
check curve.short test "$(wc -l <text)" -lt 20

# Several traces: the facts and tables of each, with the trace's name.
"$BIN/trace-record" -q -o other -- "$PROGRAMS/allocation_paths"
"$BIN/trace-mix" -q --by=symbol --top=3 --format=json t other >several.json
for trace in t other; do "$BIN/trace-mix" -q --by=symbol --top=3 --format=json $trace >$trace.json; done
cat >several.py <<'END'
import json
both = json.load(open("several.json"))
parts = {t: json.load(open(t + ".json")) for t in ("t", "other")}
traces = {r["trace"]: r for r in both["traces"]}
for name, one in parts.items():
    facts = {k: v for k, v in one.items() if not isinstance(v, (list, dict))}
    if {**traces[name]} != facts: print(name, traces[name], facts)
    rows = [{k: v for k, v in r.items() if k != "trace"} for r in both["symbols"] if r["trace"] == name]
    if rows != one["symbols"]: print(name, rows)
if [r["trace"] for r in both["traces"]] != ["t", "other"]: print("not in order")
if both["units"]["traces"] != parts["t"]["units"]: print(both["units"])
END
check_equal several "" "$(/usr/bin/python3 several.py 2>&1)"
check_equal several.text 2 "$("$BIN/trace-mix" -q --by=total t other | grep -cE '^(t|other) .* [0-9,]+ ')"
check_equal several.csv "trace,instructions,share_percent" \
	"$("$BIN/trace-mix" -q --by=symbol --format=csv t other | head -n 1 | cut -d, -f1-3)"
check_status several.one_is_missing 1 "$BIN/trace-mix" -q --by=total --format=csv t none other
check_match several.one_is_missing.says 'none: No such file' err
check_equal several.others 3 "$("$BIN/trace-mix" -q --by=total --format=csv t none other 2>/dev/null | wc -l)"
check_status several.bbv 2 "$BIN/trace-bbv" t other
check_status several.export 2 "$BIN/trace-calls" -q --export=folded t other
cp other kept
check_status several.overwrites 1 "$BIN/trace-mix" -o other t other
check several.unchanged cmp other kept

# One process, one function, and rows for processes.
"$BIN/trace-record" -q --follow -o tree -- sh -c "'$PROGRAMS/call_paths'; '$PROGRAMS/allocation_paths'; true" >out
"$BIN/trace-mix" -q --by=process --format=json tree >tree.json
/usr/bin/python3 -c 'import json
for r in json.load(open("tree.json"))["processes"]: print(r["process"], r["instructions"], r["loads"])' >rows
check_equal processes "$("$BIN/trace-info" --format=json tree | grep -o '"processes": [0-9]*' | grep -o '[0-9]*$')" "$(wc -l <rows)"
check_equal processes.sum "$("$BIN/trace-mix" -q --by=total --format=csv tree | sed -n 's/^instructions,\([0-9]*\),/\1/p')" \
	"$(awk '{ n += $2 } END { print n }' rows)"
while read -r pid instructions loads; do
	"$BIN/trace-mix" -q --by=total --format=csv --process=$pid tree >one
	echo $pid "$(sed -n 's/^instructions,\([0-9]*\),/\1/p' one)" "$(sed -n 's/^loads,\([0-9]*\),.*/\1/p' one)"
done <rows >ones
check process cmp rows ones
check_equal process.stackdist "$(sed -n '2s/[0-9]* \([0-9]*\) .*/\1/p' rows)" \
	"$("$BIN/trace-stackdist" -q --process="$(sed -n '2s/ .*//p' rows)" --format=csv --table=facts tree | sed -n 's/^instructions,\([0-9]*\),/\1/p')"
# Each of these processes has one thread.
check_equal threads.processes "$("$BIN/trace-itypes" -q --threads=each --format=csv tree | tail -n +2 | cut -d, -f3-)" \
	"$("$BIN/trace-itypes" -q --threads=processes --format=csv tree | tail -n +2 | cut -d, -f3-)"
check_equal threads.processes.names "$(cut -d' ' -f1 rows)" \
	"$("$BIN/trace-itypes" -q --threads=processes --format=csv tree | tail -n +2 | cut -d, -f1)"
check_status process.none 3 "$BIN/trace-mix" --process=99999999 tree
check_match process.none.says "tree has no process with the pid 99999999; trace-info --threads lists the pids" err
"$BIN/trace-mix" -q --by=symbol --top=100000 --format=csv t | awk -F, '$NF == "fib" { print $1, $3 }' >fib
check_equal function "$(cat fib)" "$("$BIN/trace-mix" -q --function=fib --by=total --format=csv t |
	awk -F, '{ v[$1] = $2 } END { print v["instructions"], v["loads"] }')"
check_status function.none 3 "$BIN/trace-mix" --function=no_such t
check_match function.none.says "no code of a function 'no_such'" err
check_status function.calls 2 "$BIN/trace-calls" --function=fib t

# trace-info, too.
on_terminal "$BIN/trace-info" --modules t >out
check info.fits test "$(sed -n '/^module list/,$p' out | widest)" -le 70
check_equal info.table "$("$BIN/trace-info" --modules --format=json t | grep -c '"build_id"')" \
	"$("$BIN/trace-info" --modules --table=module_list --format=csv t | tail -n +2 | wc -l)"
check_status info.no_table 2 "$BIN/trace-info" --table=none t
