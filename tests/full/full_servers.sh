#!/bin/bash
# SPDX-License-Identifier: MIT
# Servers under load from their own benchmark clients, on loopback.
. "$(dirname "$0")/lib.sh"

# serve NAME OPTIONS -- COMMAND...: starts it recorded, in the background; $server is the recorder.
serve() {
	local name=$1 options=()
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	timeout -k 10 "$LIMIT" "${recorder[@]}" -q --force -o "$name.trace" "${options[@]}" -- "$@" \
		>"$name.server.out" 2>&1 &
	server=$!
}

# until_it COMMAND...: it succeeds in the end.
until_it() {
	for _ in $(seq "$LIMIT"); do
		"$@" >/dev/null 2>&1 && return
		sleep 1
	done
	return 1
}

# ended NAME: the server has, as it was asked to.
ended() {
	wait $server
	check_equal "$1.status" 0 $?
	whole "$1"
}

redis=(redis-cli -s "$work/redis.sock")
serve redis -- redis-server --port 0 --unixsocket "$work/redis.sock" --save ''
check redis.up until_it "${redis[@]}" ping
check redis.load timeout "$LIMIT" redis-benchmark -s "$work/redis.sock" -q -n 3000 -c 10 -t set,get,lpush,lrange_100
"${redis[@]}" mset a 1 b 2 >/dev/null
check_equal redis.data 3 "$("${redis[@]}" eval 'return redis.call("get", "a") + redis.call("get", "b")' 0)"
"${redis[@]}" shutdown nosave
ended redis

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
