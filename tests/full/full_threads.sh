#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs with threads. With one thread at a time each recording is the same, unless the program reads the
# clock, as xz does.
. "$(dirname "$0")/lib.sh"

cat >omp.c <<'EOF'
#include <omp.h>
#include <stdio.h>
int main(void)
{
	long sum = 0, part[4] = { 0 };

	omp_set_num_threads(4);
#pragma omp parallel for reduction(+:sum) schedule(dynamic, 100)
	for (int i = 0; i < 100000; i++)
		sum += i % 7;
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < 4000; i++)
#pragma omp atomic
			part[i % 4] += i;
#pragma omp barrier
#pragma omp single
		part[0]++;
	}
	printf("%ld %ld %ld %ld %ld\n", sum, part[0], part[1], part[2], part[3]);
}
EOF
gcc -O2 -fopenmp -o omp omp.c
head -c 1500000 /bin/bash >input
seq 30000 | awk '{ print $1 * 7919 % 30011 }' >numbers

# repeatable NAME COMMAND...
repeatable() {
	local name=$1
	shift
	for i in 1 2; do
		"${recorder[@]}" -q --force --threads=serial -o "$name.$i.trace" -- "$@" >/dev/null
		"$BIN/trace-dump" --no-events --blocks "$name.$i.trace" | md5sum >"$name.$i.sum"
		rm "$name.$i.trace"
	done
	check "$name.repeatable" cmp "$name.1.sum" "$name.2.sum"
}

same omp -- ./omp
same omp.serial --threads=serial -- ./omp
same xz -- xz -T2 -1 --block-size=300KiB -c input
same sort -- sort --parallel=4 -n numbers
repeatable omp ./omp
repeatable sort sort --parallel=4 -n numbers
