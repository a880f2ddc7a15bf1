#!/bin/bash
# trace-ibs --by=object of samples that the kernel has taken: an object is named only where the times of its
# calls prove it. Page faults have data addresses on any machine.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1
record=$BIN/trace-record ibs=$BIN/trace-ibs

if ! "$record" -q -o probe.trace --sample=page-faults --only-samples -- true 2>err; then
	check_match not_allowed 'may not be sampled' err
	exit
fi

# System calls have times: first and second are known to live while they are walked through, third
# may be allocated and freed before or afterwards.
cat >walk.c <<'C'
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
enum { PAGE = 4096, SIZE = 256 * PAGE };
__attribute__((noinline)) void walk(volatile char *memory) { for (long i = 0; i < SIZE; i += PAGE) memory[i] = 1; }
__attribute__((noinline)) void *first(void) { void *memory = malloc(SIZE); __asm__ volatile(""); return memory; }
__attribute__((noinline)) void *second(void) { void *memory = malloc(SIZE); __asm__ volatile(""); return memory; }
__attribute__((noinline)) void *third(void) { void *memory = malloc(4 * SIZE); __asm__ volatile(""); return memory; }
static void proven(void *memory) { syscall(SYS_getppid); walk(memory); syscall(SYS_getppid); free(memory); }
int main(void)
{
	void *memory;
	proven(first());
	proven(second());
	memory = third();
	walk(memory);
	free(memory);
	return 0;
}
C
gcc -O1 -g -o walk walk.c
check record "$record" -q -o walk.trace --sample=page-faults -- ./walk
check verify "$BIN/trace-verify" -q walk.trace
"$BIN/trace-dump" walk.trace >dump
check_match times '-- time time_ns=' dump

# samples OF: prints the number of samples of objects that a function allocated
samples() { sed -n "s/^\([0-9]*\),.*$1+.*/\1/p" allocations | head -n 1; }
"$ibs" --source=hardware --by=allocation --format=csv walk.trace >allocations
for object in first second; do
	check "$object.samples" test "$(samples $object)" -gt 50
done
check uncertain test "$(sed -n 's/^object_uncertain,\([0-9]*\),.*/\1/p' allocations)" -gt 0

# Objects and the database agree, and each sample is within its object.
"$ibs" --source=hardware --by=object --format=csv walk.trace >objects
check_match object "^$(samples first),.*,1048576,.*first[+]" objects
check_match object.freed "^$(samples second),.*,1048576,[0-9]+,[0-9]+,.*second[+]" objects
"$ibs" --source=hardware --sqlite=walk.db walk.trace >/dev/null
/usr/bin/python3 - "$(samples first)" <<'P' >err 2>&1
import sqlite3, sys
rows = sqlite3.connect("walk.db").execute("""SELECT symbols.name, count(*),
	sum(dc_lin NOT BETWEEN objects.address AND objects.address + objects.size - 1) FROM ops
	JOIN objects ON object = objects.id JOIN instructions ON allocation = instructions.id
	JOIN symbols ON symbol = symbols.id GROUP BY 1""").fetchall()
assert ("first", int(sys.argv[1]), 0) in rows and not any(row[2] for row in rows), rows
P
check_equal database "" "$(cat err)"

# Without calls of malloc and free, or without those of some threads, a message reports it.
check_status thread 2 "$ibs" --source=hardware --thread=0 --by=object walk.trace
check_match thread.says 'any thread may free' err
check record.alone "$record" -q -o alone.trace --sample=page-faults --only-samples -- ./walk
check_status alone 2 "$ibs" --by=object alone.trace
check_match alone.says 'no calls of malloc and free' err
