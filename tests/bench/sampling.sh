#!/bin/bash
# Measures how far the selection of simulation points is off for programs with threads, and prints a table.
# usage: sampling.sh BUILD-FOLDER [PROGRAM...]	# of the programs at the end; default: all
#
# The points are chosen from one run, which records basic block vectors (trace-record --vectors), and their slices
# recorded in another one (--points). A third run is recorded whole. Estimates are sums over the slices of a metric
# times the multiplier; the truth is the metric of the third run. Code that synchronizes threads is left out of both, as
# of the vectors. Errors are in percent:
#   mix      half the sum of the differences of the shares of the classes of instructions
#   loads, branches (taken)
#   misses (of an LRU cache of 32 KiB), mispred (of a GAg predictor of 12 branches), cycles (of trace-ilp's window of 64):
#              each thread has a cache, a predictor and a window of its own, as a recording of all changes how threads
#              take turns. They learn from the warm-up of a slice, the two intervals before.
#   footprint  data blocks that a thread touches in 100,000 instructions
# If slices are missing, because the second run did not reach their places, the others count for them.
# ROUNDS makes the programs so many times as long (default 1: some minutes on an idle machine).
set -eu
cd "$(dirname "$0")/../.."
build=${1:?usage: sampling.sh BUILD-FOLDER [PROGRAM...]}
shift
folder=$PWD/tests/bench
bin=$PWD/$build/bin
scale=${ROUNDS:-1}
export LC_ALL=C OMP_NUM_THREADS=2 OMP_DYNAMIC=false OMP_SCHEDULE=static
. tests/bench/lib.sh
work=$(roomy_folder 2000000000)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Serves a fixed load, recorded with these options. Its I/O threads, if there were any, would spin without `pause`: nine
# tenths of all instructions.
serve_redis() {
	local port=$((20000 + $$ % 20000)) server
	"$bin/trace-record" "$@" -- redis-server --port $port --save '' --daemonize no >redis.log 2>&1 &
	server=$!
	for _ in $(seq 100); do
		redis-cli -p $port ping >/dev/null 2>&1 && break
		sleep 0.2
	done
	redis-benchmark -p $port -c 8 -n $((10000 * scale)) -t set,get,lpush,zadd -q >/dev/null 2>&1
	redis-cli -p $port shutdown nosave >/dev/null 2>&1 || true
	wait $server || true
}

# record NAME OPTION...: runs the program.
record() {
	local name=$1
	shift
	case $name in
	omp-passive) OMP_WAIT_POLICY=passive "$bin/trace-record" "$@" -- ./omp $((160 * scale)) ;;
	omp-active) OMP_WAIT_POLICY=active "$bin/trace-record" "$@" -- ./omp $((160 * scale)) ;;
	xz) "$bin/trace-record" "$@" -- xz -T2 --block-size=100KiB -2 -c input ;;
	sort) "$bin/trace-record" "$@" -- sort --parallel=2 -S 64M lines ;;
	redis) serve_redis "$@" ;;
	esac >/dev/null
}

# measure NAME INTERVAL: prints the row of a program.
measure() {
	local name=$1 interval=$2 status=0
	rm -f ./*.trace
	record "$name" -q --force --vectors --interval="$interval" --boundary=loop -o vectors.trace 2>messages || true
	"$bin/trace-simpoint" -q -o plan vectors.trace 2>messages &&
		record "$name" -q --force --points=plan.json -o slice 2>messages || status=$?
	if [ $status -ne 0 ] && [ $status -ne 4 ]; then # 4: a slice is missing, or differs
		printf '%-12s %s\n' "$name" "$(tail -n 1 messages)"
		return
	fi
	record "$name" -q --force --exclude=default -o whole.trace 2>messages || true
	/usr/bin/python3 "$folder/sampling_errors.py" "$bin" "$name" plan.json whole.trace
}

gcc -O2 -g -fopenmp -o omp "$folder/programs/omp.c"
cat /usr/bin/[a-m]* 2>/dev/null | head -c $((1200000 * scale)) >input || true
awk -v n=$((400000 * scale)) 'BEGIN { for (i = 0; i < n; i++) print (i * 7919) % 1000003, i }' >lines
/usr/bin/python3 "$folder/sampling_errors.py" head
for program in omp-passive:6M omp-active:6M xz:4M sort:20M redis:4M; do
	if [ $# -gt 0 ] && [[ " $* " != *" ${program%:*} "* ]]; then
		continue
	fi
	if [ ${program%:*} = redis ] && ! command -v redis-benchmark >/dev/null; then
		echo 'redis        is not installed'
		continue
	fi
	measure ${program%:*} ${program#*:}
done
