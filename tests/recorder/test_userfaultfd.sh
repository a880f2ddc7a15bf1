#!/bin/bash
# SPDX-License-Identifier: MIT
# A program whose thread provides memory for which another thread waits (tests/programs/provides.c): the recorder
# never waits for that memory while the providing thread is stopped or has to wait for its turn.
. "$(dirname "$0")/backends.sh"
provides=$PROGRAMS/provides

# recorded NAME OPTION... -- ARGUMENT...: the program's output is the native one, and the trace is good.
recorded() {
	local name=$1
	local -a options command
	shift
	split_options "$@"
	"$provides" "${command[@]}" >native.out
	timeout -s KILL $patience "$BIN/trace-record" -q --force -o trace "${options[@]}" -- "$provides" "${command[@]}" \
		>$name.out 2>$name.err
	check_equal $name.status 0 $?
	check $name.output cmp native.out $name.out
	check_equal $name.messages "" "$(cat $name.err)"
	check $name.verify "$BIN/trace-verify" -q trace
}

"$provides" read >allowed
if [ $? = 77 ]; then
	echo "ok # skipped: $(cat allowed)"
	exit 0
fi
for how in read poll; do
	recorded $how -- $how
	recorded $how.serial --threads=serial -- $how
	recorded $how.count --count=20k -- $how
	recorded $how.skip --skip=20k -- $how
	recorded $how.windows --every=5k --for=1k -- $how
	recorded $how.step --backend=step --from=use --to=write_protected -- $how
done
same backends --threads=serial -- "$provides" read
"$provides" read >native.out
# The program has registered its memory before it is recorded.
attached attached -- "$provides" read wait
attached attached.step --backend=step -- "$provides" read wait
"$provides" fork >allowed
if [ $? = 77 ]; then
	echo "# for children, $(cat allowed)"
else
	recorded fork --follow -- fork
	recorded fork.serial --follow --threads=serial -- fork
	recorded fork.step --follow --backend=step --from=fork_and_use -- fork
	recorded fork.alone --threads=serial -- fork
fi
