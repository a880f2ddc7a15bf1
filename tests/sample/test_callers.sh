#!/bin/bash
# Callers in samples: names of threads, call chains, functions of the kernel and of JIT
# compilers, from perf.data as perf reports them, and from trace-record.
. "$(dirname "$0")/../lib.sh"
reader=$(cd "$(dirname "$0")/.." && pwd)/reader.py
cd "$work" || exit 1
record=$BIN/trace-record
export PERF_CONFIG=/dev/null

cat >calls.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
static volatile unsigned long sum;
__attribute__((noinline)) void inner(void) { for (unsigned long i = 0; i < 40000000; i++) sum += i; }
__attribute__((noinline)) void outer(void) { inner(); sum++; }
__attribute__((noinline)) void other(void) { inner(); sum--; }
static void *work(void *name) { prctl(PR_SET_NAME, name); other(); return NULL; }
/* for (i = 400000000; --i; ); */
static const unsigned char code[] = { 0xb8, 0x00, 0x84, 0xd7, 0x17, 0xff, 0xc8, 0x75, 0xfc, 0xc3 };
static void generated(void)
{
	unsigned char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	FILE *map;
	memcpy(at + 16, code, sizeof(code));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	fprintf(map, "%lx %zx LazyCompile:~loop\n", (unsigned long)at + 16, sizeof(code));
	fclose(map);
	puts(path);
	((void (*)(void))(at + 16))();
}
int main(int argc, char **argv)
{
	pthread_t thread;
	(void)argv;
	if (argc > 1) {
		generated();
		return 0;
	}
	pthread_create(&thread, NULL, work, "a worker");
	outer();
	other();
	return pthread_join(thread, NULL);
}
C
gcc -O0 -pthread -o calls calls.c

# groups KEY TRACE: prints "SAMPLES NAME" of each group, by name.
groups() {
	"$BIN/trace-ibs" --by="$1" --top=100000 --format=csv "$2" | sed -n "/^# by_$1/,/^\$/p" | tail -n +3 |
		awk -F, '$1 { print $1, $NF }' | sort -k 2
}
count() { groups "$1" "$2" | awk -v name="$3" '$2 == name { print $1 }'; }

# may_generate: compilers may write the names of generated code, which perf looks for in no other folder.
may_generate() {
	[ -w /tmp ] || { echo "# /tmp may not be written: the names of generated code are not tested" && false; }
}

# ---- samples of trace-record ----

if "$record" -q -o own.trace --sample=cpu-clock,callchain,period=200000 --only-samples -- ./calls 2>err; then
	check own.verify "$BIN/trace-verify" own.trace
	"$BIN/trace-dump" --samples --format=jsonl own.trace >listing
	/usr/bin/python3 -B "$reader" --samples own.trace >expected
	check own.second_reader cmp expected listing
	groups stack own.trace >stacks
	check_match own.outer '^[0-9]+ .*;main;outer;inner$' stacks
	check_match own.other '^[0-9]+ .*;main;other;inner$' stacks
	check_match own.worker '^[0-9]+ .*;work;other;inner$' stacks
	check own.all test "$(awk '/;inner$/ { n += $1 } END { print n }' stacks)" -gt 100
	check_match own.comm '^[1-9][0-9]* "?a worker' <(groups comm own.trace)
	"$BIN/trace-ibs" --sqlite=own.db --format=csv own.trace >/dev/null
	check_equal own.sqlite "$(groups comm own.trace | grep worker | cut -d' ' -f1)" \
		"$(sqlite3 own.db "SELECT count(*) FROM ops WHERE comm = 'a worker'")"
	check own.sqlite_stack test "$(sqlite3 own.db "SELECT count(*) FROM ops WHERE stack LIKE '%;main;outer;inner'")" -gt 20
	# The program's stack is its own in translated code, too.
	"$record" -q -o beside.trace --sample=cpu-clock,callchain,period=200000 -- ./calls
	"$BIN/trace-ibs" --source=hardware --by=stack --format=csv beside.trace >out
	check_match beside.stack ';main;outer;inner$' out
	objcopy --redefine-sym other=_ZN4deep5otherEv calls calls-mangled
	"$record" -q -o mangled.trace --sample=cpu-clock,callchain,period=200000 --only-samples -- ./calls-mangled
	check_match own.mangled ';main;_ZN4deep5otherEv;inner$' <("$BIN/trace-ibs" --by=stack --demangle=no --format=csv mangled.trace)
	check_match own.demangled ';main;deep::other\(\);inner$' <("$BIN/trace-ibs" --by=stack --format=csv mangled.trace)
	# Generated code has the names that its compiler gives it.
	if may_generate; then
		"$record" -q -o jit.trace --sample=cpu-clock,period=200000 --only-samples -- ./calls jit >map
		check jit.symbol test "$(count symbol jit.trace 'LazyCompile:~loop')" -gt 50
		rm -f "$(cat map)"
		"$record" -q -o jit.trace --force --sample=cpu-clock,period=200000 -- ./calls jit >map
		"$BIN/trace-ibs" --source=hardware --format=csv jit.trace >out
		check_match jit.beside '^[1-9][0-9]+,.*,LazyCompile:~loop' out
		rm -f "$(cat map)"
	fi
else
	check_match not_allowed 'may not be sampled' err
fi

# ---- samples of perf ----

perf record -q -e cpu-clock -o probe.data -- true 2>/dev/null || exit
perf record -q -g -e cpu-clock -F 5000 -o calls.data -- sh -c './calls; ./calls; true'
check import "$BIN/trace-import" -q -o calls.trace calls.data
perf script -i calls.data -F comm 2>/dev/null | sed 's/ *$//' | grep . | sort | uniq -c | awk '{ $1 = $1; print }' |
	sort -k 2 >expected
groups comm calls.trace | tr -d '"' >actual
check comm cmp expected actual
"$BIN/trace-dump" --samples --format=jsonl calls.trace >listing
for mode in user kernel; do
	check_equal "mode.$mode" "$(grep -c "\"mode\":\"$mode\"" listing)" "$(($(count mode calls.trace $mode)))"
done
for cpu in 0 1; do
	check_equal "cpu.$cpu" "$(grep -c "\"cpu\":$cpu," listing)" "$(($(count cpu calls.trace $cpu)))"
done
for stack in 'main;outer;inner' 'main;other;inner' 'work;other;inner'; do
	perf script -i calls.data -F ip,sym 2>/dev/null | awk -v RS= '{ print $6 ";" $4 ";" $2 }' | grep -cx "$stack" >expected
	groups stack calls.trace | grep ";$stack\$" | awk '{ n += $1 } END { print n + 0 }' >actual
	check "stack.$stack" cmp expected actual
done
check stack.some grep -q '[1-9]' expected
if [ "$(awk '$3 == "_text" { print $1; exit }' /proc/kallsyms | tr -d 0)" ]; then
	perf report -i calls.data --stdio --no-children -g none -F sample,sym -w 10,200 2>/dev/null |
		awk '$2 == "[k]" { print $1, $3 }' | sort -k 2 >expected
	"$BIN/trace-ibs" --top=100000 --format=csv calls.trace | awk -F, '/\[kernel/ { print $1, $NF }' | sort -k 2 >actual
	check kernel cmp expected actual
	check kernel.some test -s expected
	check_match kernel.module '^[0-9]+ [[]kernel[.]kallsyms[]]$' <(groups module calls.trace)
fi
may_generate || exit 0
perf record -q -e cpu-clock -F 5000 -o jit.data -- ./calls jit >map
check jit.import "$BIN/trace-import" -q --here -o jit2.trace jit.data
check_equal jit.same "$(perf script -i jit.data -F ip,sym 2>/dev/null | grep -c 'LazyCompile:~loop')" \
	"$(count symbol jit2.trace 'LazyCompile:~loop')"
check jit.elsewhere "$BIN/trace-import" -q -o jit3.trace jit.data
check_equal jit.not_believed "" "$(count symbol jit3.trace 'LazyCompile:~loop')"
rm -f "$(cat map)"
