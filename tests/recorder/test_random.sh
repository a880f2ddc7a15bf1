#!/bin/bash
# SPDX-License-Identifier: MIT
# Random programs (tests/random) do the same natively and under both backends, which record the same.
# One program in five runs its code ten times; of another one in five only a part is recorded.
# By hand, with the variables that tests/run.sh sets: test_random.sh [SEEDS [FIRST [INSTRUCTIONS]]]
. "$(dirname "$0")/backends.sh"
seeds=${1:-$(quick_or_full 10 100)} first=${2:-1} length=${3:-2000}
[ $# -gt 0 ] || [ $other != step ] || seeds=4

for ((seed = first; seed < first + seeds; seed++)); do
	rounds=1 options=()
	case $((seed % 5)) in
	0) rounds=10 ;;
	1) rounds=4 options=(--skip=$((seed * 10 % 1000)) --count=$((1000 + seed * 7 % 2000))) ;;
	esac
	/usr/bin/python3 -B "$tests/random/generate.py" $seed "$length" $rounds >random.S &&
		gcc -nostdlib -static -Wl,-z,noexecstack -I"$tests/programs" -o random random.S || exit 1
	same $seed "${options[@]}" -- ./random
	check $seed.random [ "$instructions" -gt 500 ]
done

# Programs for other processors can be generated here as well.
for features in '' avx2 'avx2 avx512vl avx512bw'; do
	for seed in 5 10; do
		/usr/bin/python3 -B "$tests/random/generate.py" $seed 2000 10 "$features" >other.S
		check "$seed.for.${features:-sse}" gcc -c -I"$tests/programs" -o other.o other.S
	done
done
