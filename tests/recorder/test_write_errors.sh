#!/bin/bash
# SPDX-License-Identifier: MIT
# Wherever writing the trace fails, the program prints and ends as it does without the recorder.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1
record=$BIN/trace-record

# failed NAME: whether the last recording (output in recorded.out, messages in err) has changed the program,
# whose native output is native.out and status $native, or lacks the message. Prints the reason.
failed() {
	if ! grep -q '^trace-record: error: .*went on unrecorded' err; then
		why="no message"
	elif ! cmp -s native.out recorded.out; then
		why="other output"
	elif [ "$native" = 0 ] && grep -q 'unrecorded .*ended' err; then
		why="another status"
	elif [ "$native" != 0 ] && ! grep -q "and ended with status $native$" err; then
		why="another status"
	else
		return 1
	fi
	echo "# $1: $why; $(tail -1 err)"
}

# record_limited LIMIT ARGUMENT...: no file may be larger, in bytes.
record_limited() {
	prlimit --fsize="$1" "$record" --force -o x.trace "${@:2}" 2>err | cat >recorded.out
}

# record_closed LIMIT ARGUMENT...: the reader of the trace goes away after so many bytes; the
# program's own output is in standard error. The pipe holds a page, as a short trace would fit into a usual one before
# the reader goes away.
record_closed() {
	/usr/bin/python3 -S -E -c 'import fcntl, os, sys
fcntl.fcntl(1, 1031, 4096)  # F_SETPIPE_SZ
os.execv(sys.argv[1], sys.argv[1:])' "$record" -o - "${@:2}" 2>both | head -c "$1" >/dev/null
	grep '^trace-record: ' both >err
	grep -v '^trace-record: ' both >recorded.out
}

# With --flush, the program may end before the recorder has written, on a busy computer often.
failed_after_the_end() {
	grep -q 'cannot write' err && ! grep -q 'went on unrecorded' err
}

# wherever NAME WAY LIMITS OPTION... -- COMMAND...: records by record_WAY with each of the limits.
wherever() {
	local name=$1 way=$2 limits=$3 limit try bad=0 n=0
	local -a options command
	shift 3
	split_options "$@"
	set -- "${command[@]}"
	"$@" >native.out 2>/dev/null
	native=$?
	for limit in $limits; do
		for ((try = 0; try < 50; try++)); do
			"record_$way" "$limit" "${options[@]}" -- "$@"
			failed_after_the_end || break
		done
		n=$((n + 1))
		failed "$name.$limit" && bad=$((bad + 1))
	done
	check_equal "$name" "0 of $n failed" "$bad of $n failed"
}

# One or two chunks at a time, failing at each place where one is written, or at some of them.
step=$(quick_or_full 9 1)
wherever blocks limited "$(seq 700 $((step * 100)) 5400)" --chunk=20 -- "$PROGRAMS/blocks-signals"
wherever strings limited "$(seq 700 $((step * 150)) 4200)" --chunk=1 -- "$PROGRAMS/strings"
wherever branches limited "$(seq 700 $((step * 150)) 4300)" --chunk=1 -- "$PROGRAMS/branches"
wherever selfmod limited "$(seq 700 $((step * 150)) 3900)" --chunk=1 -- "$PROGRAMS/selfmod"
wherever handlers limited "$(quick_or_full 260000 "200000 240000 260000 280000")" --chunk=100 -- "$PROGRAMS/handlers"
wherever traps limited "$(quick_or_full 270000 "240000 250000 260000 270000 280000")" --chunk=100 -- "$PROGRAMS/traps"
wherever processes limited "$(quick_or_full 200000 "200000 400000")" --chunk=1k --follow -- "$PROGRAMS/processes"
for program in handlers traps signals processes threads; do
	wherever "translate.$program" closed "$(seq 1000 $((step * 20000)) 240000)" --backend=translate --chunk=50 --follow -- \
		"$PROGRAMS/$program"
done

# With --flush, writing fails in the midst of the program's work. Natively nobody traces the program; recorded, it works
# until nobody does.
untraced='until [ "$traced" = 0 ]; do
	while read -r key value; do
		[ $key = TracerPid: ] && traced=$value
	done </proc/$$/status
done
echo untraced'
wherever fills limited "1024 1100 1200" --flush=0.01 -- "$PROGRAMS/fills"
wherever untraced limited "$(seq 11000 $((step * 2000)) 45000)" --flush=0.05 -- sh -c "$untraced"
wherever translate.fills closed "900 1100 1200" --backend=translate --flush=0.01 -- "$PROGRAMS/fills"

# A program that is killed after the failure: the message reports the signal.
limit=20000
prlimit --fsize=$limit "$record" -o dies.trace --chunk=1k -- sh -c 'kill -9 $$' 2>err
check_equal dies.status 125 $?
check_match dies.message 'went on unrecorded until signal 9 \(Killed\) ended it$' err
