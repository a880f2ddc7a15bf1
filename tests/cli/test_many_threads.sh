#!/bin/bash
# SPDX-License-Identifier: MIT
# A trace of 120 threads: no command opens a file or begins a thread for each. Commands give their results with few
# file descriptors, and count their own threads.
. "$(dirname "$0")/../lib.sh"
if grep -q __asan "$BIN/trace-dump"; then
	echo "ok the sanitizer must be the first library"
	exit
fi
cd "$work" || exit 1
MOST_FILES=24	# descriptors of a command, the standard streams among them
MOST_THREADS=12 # at a time, with --jobs=2

cat >count_threads.c <<'END'
/* Writes the greatest number of threads of pthread_create() at a time to the file THREADS. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned now, most;

struct start {
	void *(*routine)(void *);
	void *argument;
};

static void *run(void *opaque)
{
	struct start start = *(struct start *)opaque;
	void *result;

	free(opaque);
	result = start.routine(start.argument);
	__atomic_fetch_sub(&now, 1, __ATOMIC_SEQ_CST);
	return result;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *), void *argument)
{
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
	struct start *start = malloc(sizeof(*start));
	unsigned n = __atomic_add_fetch(&now, 1, __ATOMIC_SEQ_CST), old = most;

	*start = (struct start){ routine, argument };
	while (old < n && !__atomic_compare_exchange_n(&most, &old, n, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
	return create(thread, attributes, run, start);
}

__attribute__((destructor)) static void report(void)
{
	const char *name = getenv("THREADS");
	FILE *file = name ? fopen(name, "a") : NULL;

	if (file)
		fprintf(file, "%u\n", most + 1);
}
END
check counter gcc -D_GNU_SOURCE -shared -fPIC -o count_threads.so count_threads.c -ldl

# bounded NAME COMMAND...
bounded() {
	local name=$1
	shift
	rm -f threads
	check_status "$name" 0 prlimit --nofile=$MOST_FILES env THREADS=threads LD_PRELOAD=./count_threads.so "$@"
	check_equal "$name.threads" '' "$(awk -v most=$MOST_THREADS '$1 > most { print "threads: " $1 }' threads)"
	check "$name.counted" test -s threads
}

"${recorder[@]}" -q --chunk=2000 -o many.trace -- "$PROGRAMS/workers" 120 500 >/dev/null 2>&1
check threads [ "$(info many.trace threads)" -ge 120 ]
for analyzer in mix itypes footprint stride reg stackdist ppm ilp ibs slo calls mica cache; do
	bounded $analyzer "$BIN/trace-$analyzer" -q --jobs=2 many.trace
done
bounded bbv "$BIN/trace-bbv" -q --jobs=2 --interval=1000 --bb-out-file=vectors many.trace
check bbv.files [ "$(ls vectors* | wc -l)" -ge 120 ]
bounded each "$BIN/trace-mix" -q --threads=each --jobs=2 many.trace
bounded heap "$BIN/trace-calls" -q --per=thread many.trace
bounded simpoint "$BIN/trace-simpoint" --interval=1000 many.trace
bounded info "$BIN/trace-info" --threads many.trace
bounded dump "$BIN/trace-dump" --count=100 many.trace
bounded verify "$BIN/trace-verify" -q many.trace
bounded repack "$BIN/trace-repack" -q --jobs=2 -o repacked.trace many.trace
bounded cut "$BIN/trace-cut" -q --from=1000 -o cut.trace many.trace
bounded repair "$BIN/trace-repair" -q -o repaired.trace many.trace
bounded join "$BIN/trace-join" -q -o joined.trace many.trace
bounded filter "$BIN/trace-filter" -q -o filtered.trace many.trace
bounded anonymise "$BIN/trace-anonymise" -q --preset=share --jobs=2 -o anonymous.trace many.trace
for i in 0 1 2; do
	bounded part.$i "$BIN/trace-mix" -q --part=$i/3 --partial=p.$i many.trace
done
bounded merge "$BIN/trace-merge" p.0 p.1 p.2
