#!/bin/bash
# SPDX-License-Identifier: MIT
# A signal during a write leaves no partial file. The signal is SIGXFSZ, as it comes
# at an exact byte; tests/unit/cli/test_unfinished.c has the others.
. "$(dirname "$0")/../lib.sh"
oracle=$PWD/tests/oracle/ibs
cd "$work" || exit 1

head -c 3000 /bin/bash >input
"$BIN/trace-record" -q --skip=150k --count=100k -o trace -- gzip -c input >/dev/null
"$BIN/trace-verify" -q trace || echo "not ok recording"

# leaves_nothing NAME COMMAND...: the signal ends it, and leaves no file in the folder made.
leaves_nothing() {
	local name=$1
	shift
	mkdir made
	check_status "$name.dies" 153 bash -c 'ulimit -c 0; ulimit -f 1; exec "$@"' - "$@"
	check_equal "$name.leaves_nothing" '' "$(ls -A made)"
	rm -r made
}
leaves_nothing repack "$BIN/trace-repack" -q -o made/out trace
leaves_nothing repair "$BIN/trace-repair" -q -o made/out trace
leaves_nothing cut "$BIN/trace-cut" -q --from=10k -o made/out trace
leaves_nothing import "$BIN/trace-import" -q -o made/out "$oracle/fam19h_m11h_bff.perf.data"
leaves_nothing sqlite "$BIN/trace-ibs" -q --period=512 --sqlite=made/out trace
leaves_nothing packets "$BIN/trace-ibs" -q --period=512 --packets=made/out trace
leaves_nothing bbv "$BIN/trace-bbv" -q --interval=1k --bb-out-file=made/out trace
leaves_nothing result "$BIN/trace-mix" -q --by=symbol -o made/out trace
leaves_nothing results "$BIN/trace-mix" -q --by=symbol --results=made/out trace

# A write that fails leaves no file either.
fails_and_leaves_nothing() {
	local name=$1
	shift
	mkdir made
	check_status "$name.fails" 1 bash -c 'trap "" XFSZ; ulimit -f 1; exec "$@"' - "$@"
	check_match "$name.says" 'error: .*made/out' err
	check_equal "$name.left_nothing" '' "$(ls -A made)"
	rm -r made
}
fails_and_leaves_nothing import "$BIN/trace-import" -q -o made/out "$oracle/fam19h_m11h_bff.perf.data"
fails_and_leaves_nothing packets "$BIN/trace-ibs" -q --period=512 --packets=made/out trace
fails_and_leaves_nothing bbv "$BIN/trace-bbv" -q --interval=1k --bb-out-file=made/out trace
fails_and_leaves_nothing result "$BIN/trace-mix" -q --by=symbol -o made/out trace
fails_and_leaves_nothing results "$BIN/trace-mix" -q --by=symbol --results=made/out trace

# an existing file stays, unless an option says to replace it
echo old >old
check_status exists 1 "$BIN/trace-repack" -o old trace
check_equal exists.stays old "$(cat old)"
