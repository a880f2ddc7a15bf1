#!/bin/bash
# SPDX-License-Identifier: MIT
# The views of trace-ibs: groups, latencies, objects and databases, against packets.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
checker=("/usr/bin/python3" -B "$here/ibs_views_check.py")
ibs=$BIN/trace-ibs
manual=$BIN/../man/trace-ibs.1
cd "$work" || exit 1

"${recorder[@]}" -q -o t -- "$PROGRAMS/objects" >shown 2>/dev/null

# result NAME OPTION...: the result with all samples, as JSON
result() { "$ibs" --period=144 --packets --top=1000000 --format=json "${@:2}" t >"$1"; }

result all
check latencies "${checker[@]}" latencies all
"$ibs" --period=144 --packets=lines t >/dev/null
check packet_file "${checker[@]}" lines all lines
check_status packet_file.nowhere 1 "$ibs" --packets=none/lines t
for by in instruction page cacheline brn_misp ld,dc_miss,mem_width cacheline,brn_misp,dc_miss; do
	result by --by=$by
	check "by.$by" "${checker[@]}" $by by
done
"$ibs" --mode=fetches --period=144 --packets --by=ic_miss --format=json t >by
check fetches "${checker[@]}" fetches by
for by in region object allocation; do
	result by --by=$by
	check "by.$by" "${checker[@]}" data by shown
done

# Two keys can have the same columns, which a table has once.
for by in symbol,instruction instruction,symbol; do
	"$ibs" --period=144 --by=$by --top=10 --table=by_${by/,/_} --format=csv t >both
	"$ibs" --period=144 --by=instruction --top=10 --table=by_instruction --format=csv t >one
	check "by.$by.once" cmp one both
done

# Names are shown to their end, however long they are.
name=$(printf 'ab%.0s' {1..1000})
"${recorder[@]}" -q -o long -- "$PROGRAMS/long_name"
for by in region:long_name:data_ allocation:allocates_; do
	"$ibs" -q --by="${by%%:*}" --period=144 --format=csv long >out
	check "long_name.${by%%:*}" grep -q ",${by#*:}$name" out
done

# Without samples there is neither a mean nor a percentile; data outside of heaps has no allocation.
"$ibs" --period=144 --count=2000 --format=json t >few
check no_samples.unknown /usr/bin/python3 -c '
import json
rows = [r for r in json.load(open("few"))["branches"] if not r["samples"]]
assert rows and all(r[name] is None for r in rows for name in (
    "misprediction_rate", "tag_to_ret_mean", "tag_to_ret_p50", "tag_to_ret_p90")), rows'
for by in object allocation; do
	check_match "by.$by.none" ',\[no heap object\]$' <("$ibs" --period=144 --by=$by --top=1000 --format=csv t)
done

# A part of the trace does not show what was mapped before it.
"$ibs" --period=144 --from=200000 --by=region --format=csv t >part
check_match part.heap '^[1-9].*,\[heap\]$' part
check_equal part.all_known 0 "$(grep -c ',\[unknown\]$' part)"

# A child has the objects of its parent; the parent's objects then have one more process that uses them.
"${recorder[@]}" -q --follow -o forked -- "$PROGRAMS/objects" fork >shown 2>/dev/null
kept=$(sed -n 's/^kept \(0x[0-9a-f]*\) .*/\1/p' shown)
check_equal objects.forked "0 1" "$("$ibs" --period=144 --by=object --top=100000 --format=csv forked |
	awk -F, -v kept="$kept" '$16 == kept && $17 == 40000 && $1 > 3 { print $15 }' | sort | tr '\n' ' ' | sed 's/ $//')"

# sum TABLE COLUMN FILE: the sum of a column of a CSV result
sum() { sed -n "/^# $1\$/,/^\$/p" "$3" | awk -F, -v column="$2" 'NR > 2 { n += $column } END { print n + 0 }'; }

# Symbols and lines are those of the code, as trace-mix names them.
"$ibs" --period=144 --by=line --top=100000 --format=csv t >lines
walks=$(sed -n '/sum += memory/=' "$here/../programs/objects.c")
check_match by.line "^[1-9].*,objects,.*objects\\.c:$walks\$" lines
check_match by.line.mix "^[1-9].*,objects,.*objects\\.c:$walks\$" <("$BIN/trace-mix" --by=line --format=csv t)
check_equal all_lines "$(sed -n 's/^samples,\([0-9]*\),.*/\1/p' lines)" "$(sum by_line 1 lines)"

# The histogram of a group has as many samples as the group, and its percentiles.
"$ibs" --period=144 --by=source --latency=dc_miss_lat --histogram=groups --format=csv t >groups
misses=$(sed -n '/^# latencies/,/^$/s/^load miss,\([0-9]*\),.*/\1/p' groups)
check_equal histogram.groups "$misses" "$(sum histogram_by_source 4 groups)"
check_match latency_of_groups 'dc_miss_lat_p99' groups
"$ibs" --period=144 --where='lat > 20 && lat < 300' --format=csv t >narrow
check where.lat test "$(sed -n 's/^samples,\([0-9]*\),.*/\1/p' narrow)" -lt "$misses"

# ---- databases ----

"$ibs" --period=144 --sqlite=db --events --format=csv t >out
query() { sqlite3 db "$1"; }
check_equal sqlite.model 'zen4' "$(query "SELECT value FROM run WHERE name = 'model'")"
check_equal sqlite.samples "$(sed -n 's/^samples,\([0-9]*\),.*/\1/p' out)" "$(query 'SELECT count(*) FROM ops')"
for event in 'IBS_LD_L1_DC_MISS_LAT|sum(dc_miss_lat)' 'IBS_BR_MISP|sum(brn_misp)' 'IBS_LOAD|sum(ld)' 'IBS_ALL_OPS|count(*)'; do
	check_equal "sqlite.${event%|*}" "$(sed -n "s/^${event%|*},\([0-9]*\),.*/\1/p" out)" "$(query "SELECT ${event#*|} FROM ops")"
done
check_equal sqlite.null "$(query 'SELECT count(*) FROM ops WHERE NOT ld AND NOT st')" \
	"$(query 'SELECT count(*) FROM ops WHERE dc_lin IS NULL AND region IS NULL AND dc_miss IS NULL')"
check_equal sqlite.pc "" "$(query 'SELECT pc, rip FROM ops JOIN instructions ON instruction = instructions.id WHERE pc <> rip LIMIT 3')"
"$ibs" --period=144 --by=symbol --top=100000 --format=csv t >out
check_equal sqlite.symbols "$(sum by_symbol 1 out) $(sed -n '/^# by_symbol/,/^$/p' out | grep -c ',walk$')" \
	"$(query 'SELECT count(*) FROM ops') $(query "SELECT count(DISTINCT name) FROM symbols WHERE name = 'walk'")"
check_equal sqlite.walk "$(sed -n '/^# by_symbol/,/^$/p' out | awk -F, '$NF == "walk" { print $1 }')" \
	"$(query "SELECT count(*) FROM ops JOIN instructions ON instruction = instructions.id
		JOIN symbols ON symbol = symbols.id WHERE name = 'walk'")"

# Two objects of one place, one after the other at the same address.
check_equal sqlite.objects '40000|2|2' "$(query "SELECT max(objects.size), count(*), count(freed) FROM objects
	JOIN instructions ON allocation = instructions.id JOIN symbols ON symbol = symbols.id WHERE symbols.name = 'allocate'")"
check_equal sqlite.lines objects.c "$(query "SELECT DISTINCT file FROM lines WHERE file LIKE '%objects.c'" | sed 's,.*/,,')"

# Each query of the manual has a result.
awk '/^\.Sh/ { text = on = /DATABASE/ } on && /^\.Ed/ { text = 0 } text > 1 { print >"query." n } on && /^\.Bd/ { text = 2; n++ }' "$manual"
check_equal manual.queries 4 "$(ls query.* | wc -l)"
for one in query.*; do
	sqlite3 db <"$one" >rows 2>errors
	check "manual.$one" test -s rows -a ! -s errors
done

# Samples of hardware have the same views, under the names of the events of their family.
"$BIN/trace-import" -q -o hardware "$here/../oracle/ibs/fam19h_m11h_bff.perf.data" >out 2>&1 || cat out
"$ibs" --sqlite=db.hardware --events --by=source --format=csv hardware >out
check_equal sqlite.hardware '4 1' "$(sqlite3 db.hardware 'SELECT count(*) FROM ops') $(sqlite3 db.hardware 'SELECT count(*) FROM fetches')"
check_match sqlite.hardware.note 'family 19h' <(sqlite3 db.hardware "SELECT value FROM run WHERE name = 'hardware'")
check_match hardware.source ',extension memory$' out
check_match hardware.events '^IBS_ALL_OPS,4,0$' out
check_equal hardware.zen_alone 0 "$(grep -c '^IBS_OP_ALL' out)"
check_match hardware.classic '^IBS_OP_ALL,4,0$' <("$ibs" --events=classic --format=csv hardware)

check_status sqlite.exists 1 "$ibs" --sqlite=db t
check_match sqlite.exists.says 'exists' err
check_status sqlite.no_folder 1 "$ibs" --sqlite=none/db t
# The samples are so many that rows are written, and fail, long before the last object ends.
"$BIN/trace-record" -q --count=1M -o many -- perl -e '@x = map { "x$_" } 1 .. 9000'
check_status sqlite.no_room 1 bash -c 'trap "" XFSZ; exec "$@"' - prlimit --fsize=100000 "$ibs" --period=144 --sqlite=db.cut many
check_match sqlite.no_room.says 'db\.cut: ' err
check sqlite.no_room.removed test ! -e db.cut
for bad in 'nothing' 'symbol,' 'ld,ld,ld,ld,ld' ''; do
	check_status "by.bad.$bad" 2 "$ibs" --by="$bad" t
done
for by in cpu mode comm symbol,comm; do
	check_status "by.$by.model" 2 "$ibs" --by=$by t
	check_match "by.$by.model.says" 'samples of hardware' err
done
for condition in 'mode == user' 'ld || comm != a' 'cpu < 9'; do
	check_status "where.$condition.model" 2 "$ibs" --where="$condition" t
	check_match "where.$condition.model.says" 'samples of hardware' err
done
check_status where.not_known 0 "$ibs" --where='phy_valid && dc_phys > 1' t
check_match where.not_known.says 'warning: --where: not true of any sample' err
check_status latency.bad 2 "$ibs" --latency=rip t
# fields that no sample has, neither the model's nor those of a processor; and fields that one has
"$ibs" -q --period=144 --by=symbol --format=json t | sed 's/"symbol"/"function"/; s/by_symbol/by_function/' >by_symbol
"$ibs" -q --period=144 --by=function --format=json t >by_function
check function.key grep -q '"function": ' by_function
check function cmp by_symbol by_function
"$ibs" --period=144 --by=symbol,dc_page_size --latency=itlb_refill_lat t 2>err >out
check_equal not_known.says "trace-ibs: warning: --by=dc_page_size: not known of any sample
trace-ibs: warning: --latency=itlb_refill_lat: not known of any sample" "$(cat err)"
"$ibs" --by=ld_resync hardware 2>err >out
check_match not_known.of_hardware 'warning: --by=ld_resync: not known of any sample' err
"$ibs" --period=144 --by=ld,dc_miss_lat --latency=dc_miss_lat t 2>err >out
check known.says_nothing test ! -s err
