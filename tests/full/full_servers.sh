#!/bin/bash
# SPDX-License-Identifier: MIT
# Servers under load from their own benchmark clients, on loopback.
. "$(dirname "$0")/lib.sh"

# serve NAME OPTIONS -- COMMAND...: starts a recorded server in the background; $server is the recorder.
serve() {
	local name=$1
	local -a options command
	shift
	split_options "$@"
	set -- "${command[@]}"
	timeout -k 10 "$LIMIT" "${recorder[@]}" -q --force -o "$name.trace" "${options[@]}" -- "$@" \
		>"$name.server.out" 2>&1 &
	server=$!
}

# until_it COMMAND...: repeats the command each second until it succeeds.
until_it() {
	for _ in $(seq "$LIMIT"); do
		"$@" >/dev/null 2>&1 && return
		sleep 1
	done
	return 1
}

# ended NAME: the recorder has ended with status 0, after the server was asked to end.
ended() {
	wait $server
	check_equal "$1.status" 0 $?
	whole "$1"
}

# attached NAME PID OPTION...: a process that serves is recorded for a while, and goes on natively.
attached() {
	local name=$1 pid=$2
	shift 2
	timeout -k 10 "$LIMIT" "${recorder[@]}" -q --force -o "$name.trace" -p "$pid" "$@"
	check_equal "$name.status" 0 $?
	let_go "$name" "$pid"
}

# interrupted NAME PID: like attached, but Ctrl-C ends the recording.
interrupted() {
	timeout --preserve-status -s INT -k "$LIMIT" 3 "${recorder[@]}" -q --force -o "$1.trace" -p "$2"
	check_equal "$1.status" 0 $?
	let_go "$@"
}

# let_go NAME PID: the process has neither a tracer nor the recorder's memory.
let_go() {
	local name=$1 pid=$2
	check_equal "$name.tracers" 0 "$(sed -n 's/^TracerPid:\t//p' "/proc/$pid/task/"*/status | sort -u)"
	check "$name.mapped" eval '! has_recorder "$pid"'
	check "$name.long_enough" [ "$("$BIN/trace-info" --format=json "$name.trace" |
		sed -n 's/^ *"instructions": \([0-9]*\).*/\1/p')" -ge 1000 ]
	whole "$name"
}

redis=(redis-cli -s "$work/redis.sock")
serve redis -- redis-server --port 0 --unixsocket "$work/redis.sock" --save ''
check redis.up until_it "${redis[@]}" ping
check redis.load timeout "$LIMIT" redis-benchmark -s "$work/redis.sock" -q -n 3000 -c 10 -t set,get,lpush,lrange_100
"${redis[@]}" mset a 1 b 2 >/dev/null
check_equal redis.data 3 "$("${redis[@]}" eval 'return redis.call("get", "a") + redis.call("get", "b")' 0)"
"${redis[@]}" shutdown nosave
ended redis

redis-server --port 0 --unixsocket "$work/redis.sock" --save '' >/dev/null &
server=$!
check redis.native.up until_it "${redis[@]}" ping
(until [ -e rest ]; do
	timeout "$LIMIT" redis-benchmark -s "$work/redis.sock" -q -n 3000 -c 10 -t set,get,incr,lrange_100 || exit
done) >load.out 2>&1 &
load=$!
attached redis.time $server --time=2
attached redis.count $server --count=3M
attached redis.checked $server --self-check --count=1M
attached redis.serial $server --threads=serial --count=1M
interrupted redis.interrupted $server
touch rest
wait $load
check_equal redis.native.load 0 $?
check_equal redis.native.data 0 $(($("${redis[@]}" get counter:__rand_int__) % 3000))
"${redis[@]}" shutdown nosave
wait $server
check_equal redis.native.status 0 $?

programs=$(echo /usr/lib/postgresql/*/bin)
if [ "$(id -u)" = 0 ]; then
	as=(setpriv --reuid=postgres --regid=postgres --clear-groups)
else
	as=()
fi
mkdir database
[ ${#as[@]} -eq 0 ] || { chmod 755 "$work" && chown postgres database; }
"${as[@]}" "$programs/initdb" -D "$work/database" -A trust -U bench >init.log 2>&1
client=(-h "$work/database" -U bench)
serve postgres --follow -- "${as[@]}" "$programs/postgres" -D "$work/database" -k "$work/database" -h '' \
	-c fsync=off -c shared_buffers=16MB
check postgres.up until_it psql "${client[@]}" -c 'select 1' postgres
check postgres.fill timeout "$LIMIT" "$programs/pgbench" "${client[@]}" -q -i -s 1 postgres
check postgres.load timeout "$LIMIT" "$programs/pgbench" "${client[@]}" -n -c 3 -t 20 postgres
check_equal postgres.data '60|100000' "$(psql "${client[@]}" -At -c \
	'select (select count(*) from pgbench_history), (select count(*) from pgbench_accounts)' postgres)"
"${as[@]}" "$programs/pg_ctl" -D "$work/database" -m fast stop >/dev/null
ended postgres

# ask SQL: prints the answer of the database.
ask() {
	psql "${client[@]}" -At -c "$1" postgres
}

# A server, a process of it that serves one client, and the processes that it begins for other clients.
"${as[@]}" "$programs/postgres" -D "$work/database" -k "$work/database" -h '' -c fsync=off >native.out 2>&1 &
server=$!
check postgres.native.up until_it ask 'select 1'
timeout "$LIMIT" "$programs/pgbench" "${client[@]}" -n -T 3600 -c 2 postgres >/dev/null 2>&1 &
load=$!
timeout "$LIMIT" "$programs/pgbench" "${client[@]}" -n -T 3600 -C postgres >/dev/null 2>&1 &
connections=$!
is_busy() {
	[ "$(ask 'select count(*) from pgbench_history')" -ge $((done + 100)) ]
}
done=0
check postgres.busy until_it is_busy
process=$(ask "select min(pid) from pg_stat_activity where application_name = 'pgbench'")
attached postgres.count $process --count=5M
attached postgres.checked $process --self-check --count=1M
attached postgres.time $server --follow --time=4
interrupted postgres.interrupted $process
done=$(ask 'select count(*) from pgbench_history')
check postgres.still_busy until_it is_busy
kill $load $connections
wait $load $connections
check_equal postgres.native.data t "$(ask 'select (select sum(abalance) from pgbench_accounts) =
	(select sum(delta) from pgbench_history)')"
"${as[@]}" "$programs/pg_ctl" -D "$work/database" -m fast stop >/dev/null
wait $server
check_equal postgres.native.status 0 $?
