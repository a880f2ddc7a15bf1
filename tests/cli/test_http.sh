#!/bin/bash
# SPDX-License-Identifier: MIT
# Traces of a web server: as copies, which go on where they ended, and by ranges of bytes; and a server that is busy,
# cuts and resets its answers, is silent, sends something else than it was asked for, or changes its file.
. "$(dirname "$0")/../lib.sh"
server=$(cd "$(dirname "$0")" && pwd)/http_server.py
cd "$work" || exit 1
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY ${!AWS_*}
export TRACELAB_STAGE=$work/copies

mkdir served
head -c 3000000 /dev/urandom >random
"$BIN/trace-record" -q --chunk=2M --count=20M -o served/loop.trace -- \
	gzip -c random >/dev/null 2>&1
: >served/empty
echo 'This is no trace, but it is longer than the header of one, which has 64 bytes.' >served/text
size=$(stat -c %s served/loop.trace)
check big [ "$size" -gt 2000000 ]
/usr/bin/python3 -B "$server" served &
pid=$!
trap 'kill $pid; rm -rf "$work"' EXIT
eventually [ -s served/port ]
url=http://127.0.0.1:$(cat served/port)/loop.trace
"$BIN/trace-mix" served/loop.trace | grep -v ^trace >plain

# Checks that wait for a limit of time run beside the rest of the test. The limits are long, as the server may be slow to answer.
# Their copies have a folder of their own, as other checks count copies.
later() { # later MODE COMMAND
	TRACELAB_STAGE=$work/later TRACELAB_HTTP_TIMEOUT=5 "$BIN/$2" "$url/$1" >"$1.out" 2>"$1.err" &
	later[$1]=$!
}
declare -A later
later silent trace-mix
later busy-for-years trace-info
later always-busy trace-mix

requests() { # requests MODE: the numbers of answers, and of bytes sent
	awk -v mode="/$1([?].*)?$" '$4 ~ mode { n++; sum += $3 } END { print n + 0, sum + 0 }' served/requests
}
same() { # same NAME MODE: the result is that of the file
	check_status "$1" 0 "$BIN/trace-mix" "$url/$2"
	check "$1.same" cmp plain <(grep -v ^trace out)
}
refused() { # refused MODE MESSAGE [REQUESTS]
	check_status "$1" 1 "$BIN/trace-mix" "$url/$1"
	check_match "$1.says" "error: http://127.0.0.1:[0-9]+/[a-z.]*/$1: $2" err
	check "$1.silent" [ ! -s out ]
	[ $# = 2 ] || check_equal "$1.requests" "$3" "$(requests "$1" | cut -d' ' -f1)"
}

# ---- copies ----
same copy good
check_equal copy.name "trace $url/good" "$(grep ^trace out | tr -s ' ')"
check_equal copy.bytes "$((65536 + size))" "$(requests good | cut -d' ' -f2)"
check_equal copy.files 1 "$(ls copies | wc -l)"
check copy.bytes.same cmp copies/*.trace served/loop.trace
check_equal copy.private 700 "$(stat -c %a copies)"
same copy.again good
check_equal copy.again.bytes "$((2 * 65536 + size))" "$(requests good | cut -d' ' -f2)"
copy=$(ls copies)
truncate -s $((size / 2)) "copies/$copy"
mv "copies/$copy" "copies/$copy.part"
same resumed good
check_equal resumed.bytes "$((3 * 65536 + size + size - size / 2))" "$(requests good | cut -d' ' -f2)"
check_equal resumed.files "$copy" "$(ls copies)"
for i in 1 2 3; do "$BIN/trace-itypes" -q "$url/together" >together.$i & pids[i]=$!; done
wait "${pids[@]}"
check together cmp together.1 together.3
check_equal together.bytes "$((3 * 65536 + size))" "$(requests together | cut -d' ' -f2)"
mkdir open && chmod 777 open
TRACELAB_STAGE=$work/open check_status open_folder 1 "$BIN/trace-mix" "$url/good"
check_match open_folder.says 'open: Operation not permitted; TRACELAB_STAGE names another folder' err
check_status verify 0 "$BIN/trace-verify" "$url/good"
check_status repack 0 "$BIN/trace-repack" -q -o repacked.trace "$url/good"

check_status repair 0 "$BIN/trace-repair" -q -o repaired.trace "$url/good"
check_status join 0 "$BIN/trace-join" -q -o joined.trace "$url/good"
head -c 32 /dev/zero >key
for from in "$url/good" served/loop.trace; do
	check_status "anonymise.${from##*/}" 0 "$BIN/trace-anonymise" -q --preset=share --key=key --force \
		-o "anonymous.${from##*/}" "$from"
done
check anonymise.same cmp anonymous.good anonymous.loop.trace
for made in repaired joined; do
	check $made.same cmp <(grep -v ^trace plain) <("$BIN/trace-mix" $made.trace | grep -v ^trace)
done

check_status simpoint 0 "$BIN/trace-simpoint" --interval=2M "$url/good"
check_match simpoint.intervals '^intervals +[1-9]' out

# ---- ranges: part of a trace needs part of its bytes ----
check_status info 0 "$BIN/trace-info" "$url/info"
check info.same cmp <(grep -v '^trace\|^file' out) <("$BIN/trace-info" served/loop.trace | grep -v '^trace\|^file')
check info.bytes [ "$(requests info | cut -d' ' -f2)" -lt 700000 ]
for i in 0 1 2 3 4 5 6 7; do "$BIN/trace-mix" -q --part=$i/8 --partial=p.$i "$url/parts$i" 2>>parts.log; done
check parts.merge "$BIN/trace-merge" --trace="$url/merged" -o merged p.*
check parts.same cmp plain <(grep -v ^trace merged)
check parts.bytes [ "$(requests parts3 | cut -d' ' -f2)" -lt $((size * 6 / 10)) ]
check_equal parts.no_copy "" "$(ls copies | grep -v "$copy" | grep part)"
check_status cut 0 "$BIN/trace-cut" --from=6M --count=100k -o cut.trace "$url/cut"
check cut.file "$BIN/trace-cut" --from=6M --count=100k -o same.trace served/loop.trace
check cut.same cmp <("$BIN/trace-mix" cut.trace | grep -v ^trace) <("$BIN/trace-mix" same.trace | grep -v ^trace)
check cut.bytes [ "$(requests cut | cut -d' ' -f2)" -lt $((size * 7 / 10)) ]
echo "$url/suite?secret=1" >list
check_status suite 0 "$BIN/trace-analyze" --all --suite=list -o results -q --only=mix
check suite.same cmp plain <(grep -v ^trace results/suite/mix.txt)
check_equal secret "trace $url/suite" "$(grep ^trace results/suite/mix.txt | tr -s ' ')"

check_equal secret.files results/suite.list "$(grep -rl secret=1 results)" # tasks need the list

# ---- failures that pass ----
same busy busy
check_equal busy.requests 6 "$(requests busy | cut -d' ' -f1)"
# The server's Retry-After is a least time, within the limit.
since=${EPOCHREALTIME/./}
TRACELAB_HTTP_TIMEOUT=5 check_status retry_after 0 "$BIN/trace-info" "$url/busy-for-2"
check retry_after.waits [ $((${EPOCHREALTIME/./} - since)) -ge 2000000 ]
check_status retry_after.years 0 wait "${later[busy-for-years]}"
same short short
same reset reset
check_status silent 0 wait "${later[silent]}"
check silent.same cmp plain <(grep -v ^trace silent.out)
check silent.was [ "$(grep -c '^silent .*/silent ' served/requests)" -ge 2 ]
same redirects redirects

# ---- failures that do not ----
check_status always-busy 1 wait "${later[always-busy]}"
check_match always-busy.says 'error: http://127.0.0.1:[0-9]+/loop.trace/always-busy: the server answers with status 500' always-busy.err
check always-busy.silent [ ! -s always-busy.out ]
check_equal always-busy.requests 6 "$(requests always-busy | cut -d' ' -f1)"
refused denied 'the server answers with status 403, access denied' 1
refused no-ranges 'the server has no ranges of files; download the file' 1
refused changes 'the file has changed since its first bytes were read' 2
refused ignores-match 'the file has changed: it has another entity tag' 2
refused grows 'the file has changed: it has another size' 2
refused other-range 'the server answers with another range' 2
refused no-range-header 'the server answers with another range' 1
refused huge 'the server answers with another range' 1
refused longer 'the server (sends more|answers with another range)'
refused endless-redirect 'the server sends endless content' 1
refused to-file '.*[Pp]rotocol'
url=${url%loop.trace}text refused good '.*not a trace'
url=${url%loop.trace}empty refused good 'is empty'
url=${url%loop.trace}gone refused good 'the server answers with status 404, not found'
TRACELAB_HTTP_TIMEOUT=1 check_status nobody_there 1 "$BIN/trace-mix" http://127.0.0.1:1/x.trace
check_match nobody_there.says 'error: http://127.0.0.1:1/x.trace: Could.?n.t connect' err
TRACELAB_HTTP_TIMEOUT=1 check_status user 1 "$BIN/trace-mix" "http://me:word@127.0.0.1:1/x.trace?key=word"
check user.hidden [ -z "$(grep -c word err | grep -v 0)" ]

# ---- https: a server that cannot prove its name ----
if command -v openssl >/dev/null && mkdir secure && cp served/text secure/loop.trace &&
	openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=elsewhere -keyout key.pem -out proof.pem 2>/dev/null; then
	cat key.pem proof.pem >both.pem
	/usr/bin/python3 -B "$server" secure both.pem &
	secure=$!
	trap 'kill $pid $secure; rm -rf "$work"' EXIT
	eventually [ -s secure/port ]
	check_status https 1 "$BIN/trace-mix" "https://127.0.0.1:$(cat secure/port)/loop.trace/good"
	check_match https.says 'error: https://127.0.0.1:[0-9]+/loop.trace/good: SSL .*certificate' err
	check https.nothing_read [ ! -e secure/requests ]
else
	echo '# openssl is not installed: the server of https is skipped'
fi

# ---- credentials: only for the host that they are for ----
export AWS_ACCESS_KEY_ID=name AWS_SECRET_ACCESS_KEY=secret AWS_REGION=here
"$BIN/trace-info" "$url/signed" >/dev/null
check_equal unsigned unsigned "$(grep /signed served/requests | head -1 | cut -d' ' -f1)"
AWS_ENDPOINT_URL=${url%/loop.trace} "$BIN/trace-info" "$url/signed?v=2" >/dev/null
check_equal signed name/here/s3/aws4_request:no-token "$(grep -F signed?v=2 served/requests | head -1 | cut -d' ' -f1 | sed 's,/[0-9]*/,/,')"
AWS_SESSION_TOKEN=word AWS_ENDPOINT_URL=${url%/loop.trace} "$BIN/trace-info" "$url/signed?v=3" >/dev/null
check_equal signed.token 'name/here/s3/aws4_request:host;x-amz-content-sha256;x-amz-date;x-amz-security-token' \
	"$(grep -F signed?v=3 served/requests | head -1 | cut -d' ' -f1 | sed 's,/[0-9]*/,/,')"
