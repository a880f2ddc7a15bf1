#!/bin/bash
# SPDX-License-Identifier: MIT
# The zmm and mask registers of AVX-512 keep their values in every kind of recording: across signals, faults,
# code that changes, forks, a seccomp filter and exec, while the recorder attaches and detaches.
. "$(dirname "$0")/backends.sh"
if ! grep -qw avx512bw /proc/cpuinfo; then
	echo "ok wide_registers # skipped: this processor has no AVX-512"
	exit
fi
keeps=$PROGRAMS/keeps512
rounds=$(quick_or_full 160 2000)

# keeps NAME [OPTION...] -- ARGUMENT...: no register has another value.
keeps() {
	local name=$1
	local -a options command
	shift
	split_options "$@"
	timeout -k 10 "$patience" "$BIN/trace-record" -q --force -o wide.trace "${options[@]}" -- \
		"$keeps" "${command[@]}" >out 2>err
	check_equal "$name.values" "0 wrong 0 wrong" "$(xargs <out)"
	[ ! -e wide.trace ] || check "$name.verify" "$BIN/trace-verify" -q wide.trace
	rm -f wide.trace
}

check_equal natively "0 wrong 0 wrong" "$("$keeps" $rounds | xargs)"
keeps whole -- $rounds
keeps followed --follow -- $rounds
keeps checked --self-check -- $rounds
keeps serial --threads=serial -- $rounds
keeps steps --backend=step --from=keep --follow --count=$(quick_or_full 40k 10M) -- 8 calm
keeps windows.time --follow --every=3ms --for=1ms -- $((rounds * 2))
keeps windows.count --every=30k --for=1k -- $rounds
keeps between --from=compute --count=20k -- $rounds
keeps skipped --skip=300k -- $rounds
keeps no_addresses --no-addresses -- $rounds
keeps vectors --vectors --follow --interval=100k -- $rounds
keeps points --points=online --interval=100k -- $rounds
keeps sampled --sample=cpu-clock -- $rounds
keeps level --cpu=x86-64-v4 -- $rounds
keeps function --function=compute/1 -- $rounds

# The recorder attaches before the rounds. It detaches after a part of them, and the program goes on natively.
"$keeps" $rounds calm >native.out
attached attached -- "$keeps" $rounds wait
attached attached.windows --follow --every=2ms --for=1ms -- "$keeps" $rounds wait
# A time limit may be over before anybody looks.
attached_or_ended() {
	gone $recorder_pid || grep -q 'TracerPid:.[1-9]' /proc/$program/status
}
for limit in --count=200k --time=0.05; do
	rm -f input && mkfifo input
	"$keeps" $((rounds * 4)) wait <input >kept &
	program=$!
	exec 5>input
	check detached$limit.begun eventually test -s kept
	"$BIN/trace-record" -q --force -o wide.trace $limit --pid=$program 2>err &
	recorder_pid=$!
	check detached$limit.attached eventually attached_or_ended
	echo >&5
	exec 5>&-
	wait $program
	check_equal detached$limit.status 0 $?
	check detached$limit.values cmp native.out <(sed 1d kept)
	wait $recorder_pid
done
