#!/bin/bash
# SPDX-License-Identifier: MIT
# A program prints the same and ends in the same way with and without the recorder, even if it looks for
# signs of the recorder. The recorder exits as the program does; its failures are reported and do not
# harm the program.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1

# same NAME [OPTION...] -- PROGRAM ARGUMENT...
same() {
	local name=$1 native recorded
	local -a options command
	shift
	split_options "$@"
	set -- "${command[@]}"
	"$@" >native.out 2>native.err
	native=$?
	"${recorder[@]}" -q --force -o "$name.trace" "${options[@]}" -- "$@" >recorded.out 2>recorded.err
	recorded=$?
	check_equal "$name.status" "$native" "$recorded"
	check "$name.output" cmp native.out recorded.out
	check "$name.messages" cmp native.err recorded.err
	check "$name.verify" "$BIN/trace-verify" -q "$name.trace"
}

# The recorder makes system calls in a program that has no vdso any more.
[ "${BACKEND:-}" = step ] || same novdso -- "$PROGRAMS/novdso"	# millions of instructions
same traps -- "$PROGRAMS/traps"
same pending -- "$PROGRAMS/pending"
same masks -- "$PROGRAMS/masks"
same fails_to_map -- "$PROGRAMS/fails_to_map"
same locks_memory -- "$PROGRAMS/locks_memory"
[ -n "${BACKEND:-}" ] || same random_signals --follow -- "$PROGRAMS/random_signals" 1 $(quick_or_full 30 1000)
# Signals that were sent look like faults; in windows, the recorder raises more of its own.
same sent_faults -- "$PROGRAMS/sent_faults"
same sent_faults.windows --every=20k --for=500 -- "$PROGRAMS/sent_faults"
same signals -- "$PROGRAMS/signals"
same secret -- "$PROGRAMS/secret"
# Signals have their native siginfo, also if the recorder's own come in between, and are recorded once.
rounds=300000
[ -z "${BACKEND:-}" ] || rounds=100
same siginfo -- "$PROGRAMS/siginfo" $rounds
check_match siginfo.timer 'signal 10 code -2 value 77' native.out
check_equal siginfo.events 2 "$("$BIN/trace-dump" --events siginfo.trace | grep -c -- '-- signal ')"
if [ -z "${BACKEND:-}" ]; then
	"${recorder[@]}" -q --force -o skip.trace --skip=1T -- "$PROGRAMS/siginfo" $rounds >out 2>err
	check siginfo.counted cmp native.out out
fi
# Signals that the program sends itself reach it, although they look like those of instructions and of steps.
same feigns.step --backend=step --from=main -- "$PROGRAMS/feigns"
same feigns -- "$PROGRAMS/feigns"
check_equal feigns.handled "30 handled" "$(tail -n 1 native.out)"
same badframe -- "$PROGRAMS/badframe"
same badframe.local -- "$PROGRAMS/badframe" local
same threads -- "$PROGRAMS/threads"
same popf -- "$PROGRAMS/popf"
check_equal threads.count 5 "$(info threads.trace threads)"
# The program always sees all its CPUs, however often the recorder intervenes.
cat >cpus.py <<'EOF'
def cpus():
    with open('/proc/self/status') as status:
        return [line for line in status if line.startswith('Cpus_allowed:')]
first, differ = cpus(), 0
for i in range(8):
    exec('def f%d(x): return [x * %d for x in range(%d)]\nf%d(2)' % (i, i, i + 1, i))
    differ += cpus() != first
print(differ)
EOF
if [ -z "${BACKEND:-}" ]; then
	same cpus -- /usr/bin/python3 -S -E cpus.py
	"${recorder[@]}" -q --force -o skip.trace --skip=1T -- /usr/bin/python3 -S -E cpus.py >out 2>err
	check_match cpus.counted '^0$' out
fi
# By steps, threads that compute would take too long.
for how in send fault modify restart stop end kill abort exec fork queue queue-thread among-masked; do
	[ -z "${BACKEND:-}" ] || break
	same thread-signals.$how --follow -- "$PROGRAMS/thread-signals" $how
	same thread-signals.$how.serial --threads=serial -- "$PROGRAMS/thread-signals" $how
done
same alone -- "$PROGRAMS/processes"
check_equal alone.processes 1 "$(info alone.trace processes)"
same followed --follow -- "$PROGRAMS/processes"
check_equal followed.processes 8 "$(info followed.trace processes)"
same begins --from=target -- "$PROGRAMS/begins"
check_equal begins.processes 1 "$(info begins.trace processes)"
same begins-followed --follow --from=target -- "$PROGRAMS/begins"
check_equal begins-followed.processes 3 "$(info begins-followed.trace processes)"
# rseq works if it was registered before; no registration is left in the kernel while the program is stepped.
export GLIBC_TUNABLES=glibc.pthread.rseq=0
same rseq --from=target -- "$PROGRAMS/rseq"
"${recorder[@]}" -q --force -o rseq.trace --from=target -- "$PROGRAMS/rseq" unregister >out 2>err
check_match rseq.forgotten 'unregister -1' out
"${recorder[@]}" -q --force -o rseq.trace -- "$PROGRAMS/rseq" >out 2>err
check_match rseq.refused 'rseq -1' out
unset GLIBC_TUNABLES

# The recorder's memory lies outside of sanitizers' tables, and where no sanitizer objects to mappings.
cat >sanitized.c <<'EOF'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *add(void *n)
{
	int *copy = malloc(sizeof(*copy));

	*copy = *(int *)n;
	pthread_mutex_lock(&lock);
	sum += *copy;
	pthread_mutex_unlock(&lock);
	free(copy);
	return NULL;
}

int main(void)
{
	pthread_t threads[4];
	int n = 7;

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, add, &n);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", sum);
}
EOF
export ASAN_OPTIONS=detect_leaks=0	# leak detection uses ptrace
for sanitizer in address thread memory; do
	[ -z "${BACKEND:-}" ] || break
	clang -g -pthread -fsanitize=$sanitizer sanitized.c -o "$sanitizer"
	same sanitizer.$sanitizer -- setarch -R "./$sanitizer"	# clang's thread sanitizer needs setarch -R
	check_equal sanitizer.$sanitizer.sum 28 "$(cat native.out)"
done
unset ASAN_OPTIONS

# The recording fails while the program runs: the recorder reports it, and the program goes on.
check_status full.status 125 bash -c 'ulimit -f 60; exec "$@"' - \
	"${recorder[@]}" -o full.trace --chunk=1k "$PROGRAMS/threads"
check_match full.message 'cannot write.*File too large.*went on unrecorded' err
check_match full.output '80 turns' out
check full.instructions [ "$(info full.trace instructions)" -ge 1000 ]
check_status never.status 125 "${recorder[@]}" -o /dev/full "$PROGRAMS/threads"
check never.output [ ! -s out ]
"${recorder[@]}" -o - --chunk=1k "$PROGRAMS/threads" 2>err | head -c 100 >/dev/null
check_equal pipe.status 125 "${PIPESTATUS[0]}"
check_match pipe.output '80 turns' err
check_match pipe.message 'Broken pipe.*went on unrecorded' err

# Existing files are not lost.
echo precious >threads.trace
check_status exists.status 125 "${recorder[@]}" -o threads.trace "$PROGRAMS/threads"
check_status missing.status 127 "${recorder[@]}" --force -o threads.trace ./no-such-program
check_equal precious precious "$(cat threads.trace)"
check_status missing.new 127 "${recorder[@]}" -o new.trace ./no-such-program
check new.none [ ! -e new.trace ]

# A limit on size holds, and the trace up to there is complete.
for limit in 64Ki 72Ki 80Ki; do
	"${recorder[@]}" -q --force -o size.trace --max-size=$limit "$PROGRAMS/traps" >/dev/null 2>&1
	check size.$limit [ "$(stat -c %s size.trace)" -le $((${limit%Ki} * 1024)) ]
	check_equal size.$limit.reason size "$(info size.trace stop_reason)"
	check size.$limit.verify "$BIN/trace-verify" -q size.trace
done

# The recorder is killed: the program dies, and the written part of the trace is readable.
"${recorder[@]}" -q --force -o killed.trace --flush=0.1 -- "$PROGRAMS/waits" - >waits.out 2>&1 &
tracer=$!
grown() { [ "$(info killed.trace instructions)" -gt 1000 ]; }
check killed.grows eventually grown
program=$(pgrep -P $tracer)
kill -9 $tracer
wait $tracer 2>/dev/null
check killed.gone eventually gone "$program"
check_equal killed.complete false "$(info killed.trace complete)"
check killed.instructions [ "$(info killed.trace instructions)" -gt 1000 ]
