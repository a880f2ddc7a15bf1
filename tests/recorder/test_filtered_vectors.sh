#!/bin/bash
# SPDX-License-Identifier: MIT
# Filtered instructions do not depend on how long threads wait for each other.
. "$(dirname "$0")/backends.sh"
agree=$tests/recorder/vectors_agree.py

# vectors NAME OPTION... -- PROGRAM ARGUMENT...: records NAME.trace, and checks the ends of its intervals, NAME.ends.
vectors() {
	local name=$1
	shift
	check_status "$name.recorded" 0 timeout $patience "$BIN/trace-record" -q --force --vectors -o "$name.trace" "$@"
	check "$name.verify" "$BIN/trace-verify" -q "$name.trace"
	check "$name.ends" "$agree" ends "$name.trace"
	cp "$work/.out" "$name.ends"
}

# loops NAME SIZE: the intervals of NAME.trace end at loops; NAME.tiers has the numbers of markers by tier.
loops() {
	check "$1.loops" "$agree" loops "$1.ends" "$2"
	cp "$work/.out" "$1.tiers"
}

filtered() { info "$1.trace" vector_filtered; }

# excluded NAME RULE: prints how many instructions the rule has excluded.
excluded() {
	"$BIN/trace-info" --format=csv "$1.trace" | grep '^vector_excluded' | grep -o "$2: [0-9]*" | grep -o '[0-9]*$'
}

# alike NAME A B PARTS: the numbers differ by at most one part in PARTS.
alike() {
	local difference=$(($2 - $3))
	check "$1" [ "$2" -gt 0 -a $((${difference#-} * $4)) -le "$2" ]
}

# ---- OpenMP, however its threads wait ----
for policy in active passive; do
	OMP_WAIT_POLICY=$policy OMP_NUM_THREADS=2 LD_BIND_NOW=1 vectors $policy --interval=1M --boundary=loop -- "$PROGRAMS/omp"
	check $policy.excluded [ "$(excluded $policy 'libgomp.so.1')" -gt 0 ]
done
alike policies "$(filtered active)" "$(filtered passive)" 100000
check_equal policies.intervals "$(info active.trace vector_intervals)" "$(info passive.trace vector_intervals)"

# ---- intervals end at heads of loops ----
for policy in active passive; do
	loops $policy 1000000
	check $policy.tiers [ "$(awk '$1 >= 1 && $1 <= 3 { n += $2 } END { print n + 0 }' $policy.tiers)" \
		= $(($(info $policy.trace vector_intervals) - 1)) ]
done
for name in one other; do
	vectors $name --interval=500k --boundary=loop -- gzip -c "$tests/README.md"
	cp out $name.gz
done
loops one 500000
for key in vector_intervals vector_instructions; do
	check_equal loops.same.$key "$(info one.trace $key)" "$(info other.trace $key)"
done
check loops.output gzip -dt one.gz
vectors recursion --interval=100k --boundary=loop -- "$PROGRAMS/recursion"
loops recursion 100000
check recursion.functions [ "$(awk '$1 == 4 { print $2 }' recursion.tiers)" -ge 2 ]
vectors libraries --interval=100k --boundary=loop --marker-images='libc.so*' -- sort "$tests/README.md"
loops libraries 100000

# ---- threads that execute only a library, whose loops come once the program's own ones do not ----
cat >work.c <<'END'
static unsigned step(unsigned x)
{
	for (int i = 0; i < 4000; i++)
		x = x * 1664525 + 1013904223;
	return x;
}
void *work(void *number)
{
	static volatile unsigned sums[2][64];
	unsigned x = 1;
	for (int i = 0; i < 200; i++)
		sums[number != 0][x >> 26] += x = step(x);
	return 0;
}
END
cat >starts.c <<'END'
#include <pthread.h>
extern void *work(void *);
int main(void)
{
	pthread_t other;
	return pthread_create(&other, 0, work, &other) || work(0) || pthread_join(other, 0);
}
END
gcc -O1 -fPIC -shared -o libwork.so work.c && gcc -O1 -o starts starts.c -pthread -L. -lwork -Wl,-rpath,"$PWD" || exit 1
for images in own main; do
	vectors $images --interval=200k --boundary=loop $([ $images = own ] || echo --marker-images=main) -- ./starts
	loops $images 200000
done
check fallback.loops [ "$(awk '$1 == 5 { n += $2 } END { print n + 0 }' own.tiers)" -ge 10 ]
check_equal fallback.none '' "$(awk '$1 == 0 || $1 > 6' own.tiers)"
check_equal fallback.main '' "$(awk '$1 >= 5' main.tiers)"
check fallback.plan "$BIN/trace-simpoint" -q --max-k=3 -o starts own.trace
check_status fallback.slices 0 "$BIN/trace-record" -q --points=starts.json --warmup=0 -o slice -- ./starts

# ---- a lock that is waited for by spinning ----
for place in inside outside; do
	vectors $place --interval=1M --boundary=loop -- "$PROGRAMS/spins" $place pause
done
check spins.excluded [ "$(excluded inside spin)" -gt 0 ]
alike spins "$(filtered inside)" "$(filtered outside)" 10000
vectors busy --interval=1M --boundary=loop -- "$PROGRAMS/spins" inside busy
check_equal busy.unknown 0 "$(excluded busy spin)"

# ---- names ----
vectors named --interval=100k --exclude=run,nothing* -- "$PROGRAMS/spins" outside pause
check named.excluded [ "$(excluded named run)" -gt 1000000 ]
check_equal named.sum "$(info named.trace vector_instructions)" \
	$(($(filtered named) + $(excluded named run) + $(excluded named 'nothing\*')))
vectors none --interval=100k --boundary=loop --exclude=none -- "$PROGRAMS/steals"
check_equal none.all "$(info none.trace vector_instructions)" "$(filtered none)"
vectors stepped --interval=10k --exclude=default,main --backend=step -- "$PROGRAMS/workers" 1 20
check stepped.excluded [ "$(excluded stepped main)" -gt 0 ]

# ---- threads that wait in the kernel, and that steal work ----
for program in pipeline steals; do
	vectors $program --interval=100k --boundary=loop -- "$PROGRAMS/$program"
done

for option in --marker-images=all --boundary=loop; do
	check_status usage$option 2 "$BIN/trace-record" $option true
done
check_status usage.images 2 "$BIN/trace-record" --vectors --marker-images=all true
check_status usage.interval 2 "$BIN/trace-record" --vectors --boundary=loop --interval=10k true
