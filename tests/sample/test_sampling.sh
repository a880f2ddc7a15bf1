#!/bin/bash
# trace-record --sample: cpu-clock samples of programs without a recording, beside one, of threads, of
# children and of a running process; events that cannot be sampled.
. "$(dirname "$0")/../lib.sh"
reader=$(cd "$(dirname "$0")/.." && pwd)/reader.py
cd "$work" || exit 1
record=$BIN/trace-record

# If users may not sample, the message says so.
if ! "$record" -q -o probe.trace --sample=cpu-clock --only-samples -- true 2>err; then
	check_match not_allowed 'may not be sampled' err
	exit
fi

cat >spin.c <<'C'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static volatile unsigned long sum;
/* A locked addition takes the time of many instructions, which would have to be verified. */
__attribute__((noinline)) void *spin(void *n)
{
	for (unsigned long i = 0; i < (unsigned long)n; i++)
		__asm__ volatile("lock addq %1, %0" : "+m"(sum) : "r"(i));
	return n;
}
int main(int argc, char **argv)
{
	void *n = (void *)strtoul(argv[2], NULL, 0);
	pthread_t thread;
	(void)argc;
	if (*argv[1] == 'f' && fork())
		return 0;
	if (*argv[1] == 't' && pthread_create(&thread, NULL, spin, n) == 0)
		return pthread_join(thread, NULL);
	spin(n);
	return 7;
}
C
gcc -O1 -g -pthread -o spin spin.c

# samples TRACE: prints how many have the place spin; others TRACE: how many have another.
samples() { "$BIN/trace-dump" --samples "$1" | grep ' sample ' | grep -c 'spin+0x.*(spin)'; }
others() { "$BIN/trace-dump" --samples "$1" | grep ' sample ' | grep -vc 'spin+0x.*(spin)'; }

# Nearly all of the time is in one function; so are nearly all samples.
for aslr in "" --aslr; do
	check_status "alone$aslr.status" 7 "$record" $aslr -o alone$aslr.trace --sample=cpu-clock,period=100000 \
		--only-samples -- ./spin - 30000000
	check_match "alone$aslr.summary" '^trace-record: alone.*[0-9]+ samples' err
	check "alone$aslr.verify" "$BIN/trace-verify" alone$aslr.trace
	check "alone$aslr.place" test "$(samples alone$aslr.trace)" -gt $((20 * $(others alone$aslr.trace) + 100))
done
check_status alone.mix 3 "$BIN/trace-mix" alone.trace
check_match alone.mix.says 'has only samples, which trace-ibs analyzes' err
/usr/bin/python3 -B "$reader" --samples alone.trace >expected
"$BIN/trace-dump" --samples --format=jsonl alone.trace >listing
check second_reader cmp expected listing
check_equal csv "$(wc -l <listing)" "$("$BIN/trace-dump" --samples --format=csv alone.trace | tail -n +2 | wc -l)"
"$BIN/trace-info" --samples --format=csv alone.trace >info
check_match info "cpu-clock,period=100000|\"cpu-clock,period=100000\",software,perf,$(grep -c '"sample"' listing),0,0" info
"$BIN/trace-info" --meta --format=csv alone.trace >info
check_match clock '^sample.clock,monotonic' info
check "repack" "$BIN/trace-repack" -q -o small.trace alone.trace
check_equal repacked "$(cat listing)" "$("$BIN/trace-dump" --samples --format=jsonl small.trace)"

# trace-ibs counts the samples, and names their source.
"$BIN/trace-ibs" --format=csv alone.trace >ibs
check_match ibs.hardware '^hardware,"?cpu-clock,period=100000' ibs
check_match ibs.samples "^samples,$(grep -c '"sample"' listing)," ibs
check_match ibs.symbol "^$(samples alone.trace),[0-9.]+,.*,spin,spin" ibs
"$BIN/trace-ibs" --source=model --format=csv alone.trace >ibs
check_match ibs.model '^model,zen4' ibs

# A thread belongs to its process; a child is sampled only if that is requested.
check_status threads 0 "$record" -q -o threads.trace --sample=cpu-clock,period=200000 --only-samples -- ./spin t 15000000
check threads.place test "$(samples threads.trace)" -gt 20
"$BIN/trace-info" --threads --format=csv threads.trace >info
check_match threads.listed '^1,0,[0-9]+,0,0,0,0' info
# fact NAME FILE: prints a fact of a CSV result
fact() { sed -n "s/^$1,\([0-9]*\),.*/\1/p" "$2"; }
"$BIN/trace-ibs" --format=csv threads.trace >ibs
for thread in 0 1; do
	"$BIN/trace-ibs" --thread=$thread --by=thread --format=csv threads.trace >ibs.$thread
	check_equal threads.of.$thread "$(fact samples ibs)" $(($(fact samples ibs.$thread) + $(fact of_other_threads ibs.$thread)))
done
check_equal threads.alone 1 "$(sed -n '/^# by_thread/,/^$/p' ibs.1 | awk -F, 'NR > 2 && NF { print $NF }')"
check_equal threads.all "$(fact samples ibs)" $(($(fact samples ibs.0) + $(fact samples ibs.1)))
check_status child 0 "$record" -q -o child.trace --sample=cpu-clock,period=200000 --only-samples -- sh -c './spin - 15000000; true'
check_equal child.left_out 0 "$(samples child.trace)"
check_status follow 0 "$record" -q -f -o follow.trace --sample=cpu-clock,period=200000,rand --only-samples -- sh -c './spin - 15000000; true'
check follow.place test "$(samples follow.trace)" -gt 20

# sampled TRACE LEAST OPTION...: records for a moment, or for longer if the process did not run often enough for
# more than LEAST samples, which happens on a busy computer.
sampled() {
	local trace=$1 least=$2 time status
	shift 2
	for time in 300ms 2 16 64; do
		"$record" -q --force -o "$trace" --time=$time "$@" 2>idle
		status=$?
		cat idle >&2
		[ $status != 125 ] || grep -q 'nothing was recorded: .* did not run' idle || break
		[ $status != 0 ] || [ "$(samples "$trace")" -le "$least" ] || break
	done
	return $status
}

# A process that runs already.
./spin - 1000000000000 &
spinner=$!
eventually grep -q spin /proc/$spinner/comm
check_status pid 0 sampled pid.trace 20 -p $spinner --sample=cpu-clock --only-samples
check pid.place test "$(samples pid.trace)" -gt 20
"$BIN/trace-ibs" --by=comm --format=csv pid.trace >ibs
check_match pid.name "^$(grep -c ' sample ' <("$BIN/trace-dump" --samples pid.trace)),.*,spin" ibs
"$BIN/trace-ibs" --where='comm == spin && mode == user' --by=mode,comm --format=csv pid.trace >ibs.user
"$BIN/trace-ibs" --where='comm == spin && mode != user' --by=mode,comm --format=csv pid.trace >ibs.rest
check_equal pid.where.all "$(fact samples ibs)" $(($(fact samples ibs.user) + $(fact samples ibs.rest)))
check_match pid.where.user "^$(fact samples ibs.user),.*,user,spin" ibs.user
"$BIN/trace-ibs" --where='comm == none' --format=csv pid.trace >ibs.none
check_equal pid.where.none "0 $(fact samples ibs)" "$(fact samples ibs.none) $(fact left_out ibs.none)"
check pid.goes_on kill -0 $spinner
# Attached to and recorded as well: the samples are of the recorded thread.
check_status pid_beside 0 sampled both.trace 0 --backend=step -p $spinner --sample=cpu-clock
check pid_beside.verify "$BIN/trace-verify" both.trace
check pid_beside.place test "$(samples both.trace)" -gt 0
check_equal pid_beside.thread 1 "$("$BIN/trace-dump" --samples --format=jsonl both.trace | grep '"sample"' |
	grep -o '"thread":[0-9]*' | sort -u | wc -l)"
kill $spinner

# Beside a recording: the trace has both, and the recording is the same.
check_status beside 7 "$record" --backend=step -o beside.trace --from=main --sample=cpu-clock,period=100000 -- ./spin - 2000
check beside.verify "$BIN/trace-verify" beside.trace
check beside.place test "$(samples beside.trace)" -gt 0
"$record" -q -o bare.trace --from=main -- ./spin - 2000
check_equal beside.recorded "$("$BIN/trace-mix" --by=total --format=csv bare.trace | grep -E '^(instructions|loads),')" \
	"$("$BIN/trace-mix" --by=total --format=csv beside.trace | grep -E '^(instructions|loads),')"

# Translated code: samples are of the program's instructions; those of added code are marked.
check_status translated 7 "$record" -q -o translated.trace --sample=cpu-clock,period=100000 -- ./spin - 50000000
check translated.verify "$BIN/trace-verify" translated.trace
check translated.place test "$(samples translated.trace)" -gt $((9 * $(others translated.trace) + 100))
"$BIN/trace-dump" --samples --format=jsonl translated.trace >listing
/usr/bin/python3 -B "$reader" --samples translated.trace >expected
check translated.second_reader cmp expected listing
"$BIN/trace-ibs" --source=hardware --format=csv translated.trace >ibs
check_match translated.by_symbol '^[1-9][0-9]*,(9[0-9][.]|100,).*,spin,spin' ibs
check_match translated.overhead "^overhead,$(grep -c '"overhead":true' listing)," ibs
"$BIN/trace-ibs" --source=hardware --overhead --format=csv translated.trace >ibs
check_match translated.with_overhead "^samples,$(grep -c '"sample"' listing)," ibs
check_status forks 0 "$record" -q -f -o forks.trace --sample=cpu-clock,period=100000 -- \
	sh -c 'for i in 1 2 3 4 5 6; do ./spin f 10000000 & done; ./spin t 37000000; wait'
check forks.verify "$BIN/trace-verify" forks.trace
check forks.place test "$(samples forks.trace)" -gt $((2 * $(others forks.trace)))

# ---- samples that are not possible ----

check_status no_event 2 "$record" --sample=cycles --only-samples -- true
check_match no_event.says 'one of cpu-clock, page-faults, ibs_op' err
check_status bad_term 2 "$record" --sample=cpu-clock,ldlat=3 --only-samples -- true
check_status bad_period 2 "$record" --sample=ibs_op,period=1000 --only-samples -- true
check_match bad_period.says 'multiple of 16' err
check_status no_sample 2 "$record" --only-samples -- true
check_status count 2 "$record" --sample=cpu-clock --only-samples --count=5 -- true
check_status no_program 127 "$record" --sample=cpu-clock --only-samples -- ./none
# An event that the kernel does not know is reported, and the kernel's timer takes its place.
if [ ! -e /sys/bus/event_source/devices/ibs_op ]; then
	check_status no_ibs 7 "$record" -o none.trace --sample=ibs_op,period=160 --only-samples -- ./spin - 25000000
	check_match no_ibs.says 'the kernel knows of no IBS.*cpu-clock is sampled in its place' err
	check no_ibs.samples test "$(samples none.trace)" -gt 10
	"$BIN/trace-info" --meta --samples --format=csv none.trace >info
	check_match no_ibs.asked '^sample.asked,"?ibs_op,period=160' info
	check_match no_ibs.refused '^sample.refused,.*the kernel knows of no IBS' info
	check_match no_ibs.instead '^0,cpu-clock,software,perf,[1-9]' info
fi

# The kernel refuses: everything, as in a container whose seccomp profile has no perf_event_open;
# or events of threads, as it does for IBS before Linux 6.2.
cat >deny.c <<'C'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int threads = !strcmp(argv[1], "threads");
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, threads ? -1u : -2u, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (threads ? EINVAL : EPERM)),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { 6, filter };
	(void)argc;
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	execv(argv[2], argv + 2);
	return 1;
}
C
gcc -o deny deny.c
check_status refused 125 ./deny all "$record" -o refused.trace --sample=cpu-clock --only-samples -- true
check_match refused.says 'perf_event_paranoid is -?[0-9].*CAP_PERFMON.*seccomp' err
check refused.no_file test ! -e refused.trace
check_status refused_both 125 ./deny all "$record" -o refused.trace --sample=ibs_op --only-samples -- true
check_match refused_both.says 'ibs_op (cannot|may not) be sampled' err
check_match refused_both.says_of_clock 'cpu-clock may not be sampled.*perf_event_paranoid' err
check_status refused_beside 0 ./deny all "$record" -o beside.trace --force --sample=cpu-clock -- true
check_match refused_beside.says 'perf_event_paranoid.*the recording has no samples' err
"$BIN/trace-info" --meta --format=csv beside.trace >info
check_match refused_beside.meta '^sample.refused,.*cpu-clock may not be sampled' info
check_match refused_beside.recorded '^instructions,[1-9]' <("$BIN/trace-mix" --by=total --format=csv beside.trace)

# The CPUs are then sampled, and samples of other programs are left out.
if ./deny threads "$record" -q -o inner.trace --sample=cpu-clock --only-samples -- true 2>/dev/null; then
	./spin - 1000000000000 &
	spinner=$!
	eventually grep -q spin /proc/$spinner/comm
	check_status by_cpu 7 ./deny threads "$record" -q -o cpus.trace --sample=cpu-clock,period=200000 --only-samples -- ./spin - 50000000
	kill $spinner
	check by_cpu.place test "$(samples cpus.trace)" -gt $((10 * $(others cpus.trace) + 20))
	check_match by_cpu.processes '^processes,1,' <("$BIN/trace-info" --format=csv cpus.trace)
	check_status by_cpu.follow 0 ./deny threads "$record" -q -f -o cpus.trace --force --sample=cpu-clock,period=200000 --only-samples -- \
		sh -c './spin - 15000000; true'
	check by_cpu.followed test "$(samples cpus.trace)" -gt 20
	check_status by_cpu.child 0 ./deny threads "$record" -q -o cpus.trace --force --sample=cpu-clock,period=200000 --only-samples -- \
		sh -c './spin - 15000000; true'
	check_equal by_cpu.child_left_out 0 "$(samples cpus.trace)"
fi
