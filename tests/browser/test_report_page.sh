#!/bin/bash
# The page of trace-report in a browser: each picture has drawn what the data say, and the page does what its reader does.
. "$(dirname "$0")/../lib.sh"

check 'a report of a program' "${recorder[@]}" -q -o "$work/trace" -- "$PROGRAMS/phases" A1B1 200000
check 'and its page' "$BIN/trace-report" -q -o "$work/report.html" "$work/trace"
/usr/bin/python3 "$(dirname "$0")/page_checks.py" "$work" "$BUILD/report/page.html" "$work/report.html" || echo "not ok page_checks.py: status $?"
