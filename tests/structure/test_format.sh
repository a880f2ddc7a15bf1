#!/bin/bash
# The tree's C files have the layout of .clang-format, except the programs that are traced. Comments, which it does not
# divide, have no more columns.
. tests/lib.sh

unformatted() {
	find analyzers cli examples recorder tests traceformat \
		\( -path tests/programs -o -path tests/full/programs \) -prune -o -name '*.[ch]' -print |
		sort |
		xargs -d '\n' -n 60 clang-format --style=file --dry-run 2>&1 | sed -n 's/^\([^:]*\):[0-9].*warning.*/\1/p' | sort -u
}

find analyzers cli examples recorder traceformat -name '*.[ch]' -exec awk \
	'length > 100 && /^[ \t]*(\/\*| \*)/ { print FILENAME ":" FNR }' {} + >"$work/long"
check comments [ ! -s "$work/long" ]
sed 's/^/# longer than 100 columns: /' "$work/long"

if ! command -v clang-format >/dev/null; then
	echo "ok format: skipped, there is no clang-format"
	exit
fi
unformatted >"$work/unformatted"
check format [ ! -s "$work/unformatted" ]
sed 's/^/# clang-format -i /' "$work/unformatted"
