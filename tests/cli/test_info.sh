#!/bin/bash
# SPDX-License-Identifier: MIT
# The first lines of trace-info, and the facts that it prints only with options.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1

"${recorder[@]}" -q -o chain -- sh -c 'exec sh -c "exec /bin/true one \"two words\""' >/dev/null 2>&1
"$BIN/trace-info" chain >text
check_match first "^command +sh -c 'exec sh -c" <(head -1 text)
check_match chain.1 "^ *[0-9]+  sh -c 'exec /bin/true one \"two words\"'$" <(sed -n 2,7p text)
check_match chain.2 "^ *[0-9]+  /bin/true one 'two words'$" <(sed -n 2,7p text)
check_equal totals_next instructions "$(sed -n '8,9p' text | grep -o '^instructions')"
check_equal chain.json "sh -c 'exec /bin/true one \"two words\"'|/bin/true one 'two words'" \
	"$("$BIN/trace-info" --format=json chain | /usr/bin/python3 -c '
import json, sys
print("|".join(row["command"] for row in json.load(sys.stdin)["then_executed"]))')"
check_equal chain.pid "$("$BIN/trace-info" --threads --format=csv chain | sed -n '/^# process_list/{n;n;s/^0,\([0-9]*\),.*/\1/p}')" \
	"$("$BIN/trace-info" --format=csv chain | sed -n '/^# then_executed/{n;n;s/,.*//p}')"

"${recorder[@]}" -q --follow -o tree -- sh -c '/bin/true a; /bin/true b; :' >/dev/null 2>&1
check_equal tree '/bin/true a /bin/true b' \
	"$("$BIN/trace-info" --format=csv tree | sed -n '/^# then_executed/,/^$/s/^[0-9]*,//p' | paste -sd' ')"

"${recorder[@]}" -q -o alone -- /bin/true >/dev/null 2>&1
check_equal alone 0 "$("$BIN/trace-info" alone | grep -c then)"

# Sections, opaque instructions and repetitions come with --sections; JSON and CSV have them always.
for key in sections opaque repetitions "section kinds:"; do
	check_equal "text.$key" 0 "$("$BIN/trace-info" alone | grep -c "^$key")"
	check_equal "asked.$key" 1 "$("$BIN/trace-info" --sections alone | grep -Ec "^$key( +[0-9]+|)$")"
	check "json.$key" grep -q "\"$(sed 's/ /_/; s/://' <<<"$key")\": " <("$BIN/trace-info" --format=json alone)
done
for key in instructions loads stores threads complete 'exit status' bytes recorder; do
	check_match "text.$key" "^$key " <("$BIN/trace-info" alone)
done
# Lost bytes are reported in any case.
head -c $(($(stat -c %s alone) * 2 / 3)) alone >cut
check_match lost '^bytes lost +[1-9]' <("$BIN/trace-info" cut 2>/dev/null)
