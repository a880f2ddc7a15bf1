#!/bin/bash
# SPDX-License-Identifier: MIT
# Answers of a hostile web server, changed by seeds: a command gives the result of the file, or an error; it never
# crashes, hangs, or reads anything else. SEED=N repeats one.
server=$(cd "$(dirname "$0")" && pwd)/http_mutations.py
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY ${!AWS_*}
export TRACELAB_STAGE=$work/copies TRACELAB_HTTP_TIMEOUT=1 MALLOC_PERTURB_=85
"$BIN/trace-record" -q -o file -- "$PROGRAMS/call_paths" >/dev/null 2>&1
/usr/bin/python3 -B "$server" file port &
pid=$!
trap 'kill $pid; rm -rf "$work"' EXIT
eventually [ -s port ]
port=$(cat port)
"$BIN/trace-mix" -q file | grep -v ^trace >mix.expected
"$BIN/trace-info" file | grep -v '^trace\|^file' >info.expected

# one SEED: prints the outcome, "ok", "cut", "error", or what is wrong
one() {
	local command=info status
	[ $(($1 % 3)) -ne 0 ] || command=mix
	timeout 250 "$BIN/trace-$command" "http://127.0.0.1:$port/$1" >"out.$1" 2>"err.$1"
	status=$?
	if [ $status = 0 ]; then
		# A server that always says the same wrong size has another file: one that was not closed.
		grep -v '^trace\|^file' "out.$1" | cmp -s - $command.expected && echo ok ||
			{ grep -q '^complete  *no' "out.$1" && grep -q 'trace was not closed' "err.$1" && echo cut; } ||
			echo "seed $1: another result"
	elif [ $status != 1 ] || ! grep -q "^trace-$command: error: " "err.$1"; then
		echo "seed $1: status $status: $(head -c 300 "err.$1")"
	elif grep -q 'root:' "out.$1" "err.$1"; then
		echo "seed $1: another file was read"
	else
		echo error
	fi
	rm -f "out.$1" "err.$1"
}
export -f one
export BIN port
one 0 >outcomes.0
one 0 >>outcomes.0
check_equal unchanged $'ok\nok' "$(cat outcomes.0)"
if [ -n "${SEED:-}" ]; then
	echo "$SEED"
else
	seq 1 "$(quick_or_full 60 3000)"
fi | xargs -P 12 -I{} bash -c 'one {}' >outcomes
check_equal changed '' "$(grep '^seed' outcomes)"
check some.failed [ -n "${SEED:-}" -o "$(grep -c error outcomes)" -gt 10 ]
check some.passed [ -n "${SEED:-}" -o "$(grep -c ok outcomes)" -gt 5 ]
