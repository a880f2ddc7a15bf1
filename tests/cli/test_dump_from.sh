#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-dump --from=FUNCTION: the first instruction of the function, where it is executed first. trace-dump --events:
# the events of the whole listing, in its order.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1

"$BIN/trace-record" -q -o t -- "$PROGRAMS/call_paths"
"$BIN/trace-record" -q -o threads -- "$PROGRAMS/threads" >out
for function in main fib leaf; do
	"$BIN/trace-dump" --from=$function --count=1 --no-events t >out
	check_match $function.name "^$function( |\$)" out
	address=0x$(readelf -sW "$PROGRAMS/call_paths" | awk -v f=$function '$8 == f { sub("^0*", "", $2); print $2 }')
	"$BIN/trace-dump" --no-events --symbols=no --format=csv t | awk -F, -v a="$address" \
		'NR > 1 && $4 == a { print $2, $4; exit }' >first
	check_equal $function.place "$(cat first)" \
		"$("$BIN/trace-dump" --no-events --format=csv --from=$function --count=1 t | awk -F, 'NR == 2 { print $2, $4 }')"
done
check_equal thread "$("$BIN/trace-dump" --thread=1 --no-events --from=start_thread --count=1 threads | head -1 | cut -d' ' -f1)" start_thread
check_status none 3 "$BIN/trace-dump" --from=no_such_function t
check_match none.says "no function of this name is entered" err

"$BIN/trace-dump" threads | grep -e '^ *[0-9]*  t[0-9]*  -- ' >of_listing
check events.listing [ "$(grep -c thread-start of_listing)" -gt 1 ]
"$BIN/trace-dump" --events threads >only
check events cmp of_listing only
