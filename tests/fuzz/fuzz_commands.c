/* SPDX-License-Identifier: MIT */
/*
 * Runs every command that reads traces on traces whose sections, records and fields were changed,
 * with right hashes. The fuzzer reports these faults: a signal ends a command, a sanitizer reports
 * an error, no manual names the exit code, a command needs more time or memory than such a file
 * can need, or another command cannot read a trace in which trace-verify finds no fault.
 *
 *	fuzz_commands [-s SEED] [-n TRACES | -t SECONDS] [-c COMMANDS] [-w TEXT] BIN SAVE TRACE...
 *
 * BIN is the folder of the commands, SAVE a folder for the traces that fail, and TRACE... are the
 * traces that are changed. -c: the number of commands for each trace, in turns (default 8; 0: all).
 * -w: only the commands whose words contain TEXT. Equal seeds give equal traces and commands.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/limited_run.h"
#include "tests/fuzz/mutate_trace.h"

enum { MOST_SEED_BYTES = 1 << 20 };

/* ---- commands ---------------------------------------------------------------------------- */

/*
 * '@' stands for the trace, before.trace is the trace before the changes. If trace-verify finds no
 * fault in the trace, a command that begins with '+' must succeed, and one that begins with '>' must
 * leave `out` without a fault. A command that begins with '/' is run for each half of the trace, and
 * trace-merge must succeed if both runs have.
 */
/* clang-format off */
static const char *const commands[] = {
	"+trace-info @", "+trace-info --format=json -t -m -r -s --meta --columns @",
	"trace-info --format=csv -t -m -r -s --meta --columns @",
	"+trace-dump -c 3000 @", "trace-dump -c 500 --format=jsonl --bytes @",
	"trace-dump -c 500 --format=csv --blocks --intel @", "trace-dump --samples @",
	"trace-dump -t 0 -c 100 -f 10 @", "trace-dump -f main -c 100 @",
	"trace-dump -f _start -t 0 --format=jsonl -c 50 @",
	"trace-verify --decode -q @", ">trace-repair -q --force -o out @", ">trace-repack -q --force -o out @",
	">trace-join -q --force -o out @",
	">trace-filter -q --force --accesses=loads --thread=0 -o out @",
	">trace-filter -q --force --cache=128/2/16 --function=main -o out @", ">trace-filter -q --force --cache=1Ki/4/64 -o out @",
	"trace-export -q --force --to=champsim --thread=0 -o out.gz @",
	"trace-export -q --force --to=cloudsuite --operands=drop --rep=once --split-lines=64 -o out @",
	"trace-export -q --force --to=bt9 -o out @", "trace-export -q --force --to=sbbt --from=3 -o out @",
	"trace-export -q --force --to=gem5-packets -o out @", "trace-export -q --force --to=lackey -o out.xz @",
	"trace-export -q --force --to=ramulator2-o3 -o out @",
	">trace-anonymise -q --force --preset=share -o out @",
	">trace-anonymise -q --force --preset=public --code=no-constants --jobs=3 -o out @",
	">trace-anonymise -q --force --names=hash --samples=keep -o out @",
	">trace-anonymise -q --force --preset=share --addresses=drop --extras=drop --granule=4Ki -o out @",
	"trace-export -q --force --to=drmemtrace --chunk=1000 --rep=once -o folder @",
	"trace-export -q --force --to=drmemtrace --no-compression --rep=once --regdeps --functions "
	"--synthetic-v2p=1 --syscall-args --blocking-syscalls -o folder @",
	"trace-export -q --force --to=sift --rep=once -o out @",
	"trace-export -q --force --to=cbp2025 --rep=once -o out.gz @",
	"trace-export -q --force --to=gem5-elastic --rep=once -o out @",
	">trace-cut -q --force --from=3 --count=20 --warmup=2 -o out @",
	">trace-cut -q --force --from-symbol=main --count=20 -o out @",
	"trace-cut -q --force --simpoints=points.json -o out @",
	"+trace-mix -q @", "trace-mix -q --by=mnemonic --jobs=3 --format=csv @",
	"trace-mix -q --by=symbol --format=json @", "trace-mix -q --by=line @", "trace-mix -q --by=module @",
	"trace-mix -q --by=thread --threads=each @", "trace-mix -q --by=total --interval=7 @",
	"trace-mix -q --from=5 --count=30 --thread=0 @", "trace-mix -q --region=recorded @",
	"trace-bbv -q --interval=50 @", "trace-bbv -q --interval=50 --pc-out-file=pc --compat=exact @",
	"trace-bbv -q --interval=20 --blocks=cfg --memory=page @", "trace-bbv -q --instr-count-only @",
	"trace-ibs -q --period=144 @", "trace-ibs -q --period=16 --by=object,page --format=json @",
	"trace-ibs -q --period=144 --by=line,thread --machine=zen5 --jobs=2 @",
	"trace-ibs -q --period=144 --by=instruction --where=ld --histogram @",
	"trace-ibs -q --source=hardware --by=stack @", "trace-ibs -q --period=144 --packets=packets @",
	"+trace-calls -q --threshold=0 @", "trace-calls -q --per=thread --fold-recursion --format=json @",
	"trace-compare -q --no-phases @ @", "trace-compare -q --no-advice --format=json --metric=instructions,calls @ @",
	"trace-compare -q --jobs=1 --top=3 before.trace @",
	"trace-compare -q --no-phases --metric=misses:L1,cycles --levels=1Ki/2,4Ki/4 --format=csv @ before.trace",
	"trace-compare -q --no-phases --no-paths --threshold=5 --function-threshold=5 --region=recorded before.trace @",
	"trace-compare -q --no-phases --filtered --save=compared @",
	"trace-calls -q --code --format=json @", "trace-calls -q --syscalls @", "trace-calls -q --heap @", "trace-calls -q --export=callgrind @", "trace-calls -q --export=pprof @",
	"trace-calls -q --cost=misses --levels=1Ki/2,4Ki/4 --level=2 @",
	"trace-calls -q --cost=cycles --machine=zen5 --per=process --format=json @",
	"trace-calls -q --cost=misses --export=speedscope --depth=2 @", "trace-calls -q --heap --filtered --format=csv @",
	"trace-calls -q --export=firefox @", "trace-calls -q --export=folded --demangle=no @",
	"trace-slo -q --min-distance=1 --histogram --misses @",
	"trace-slo -q --min-distance=0 --data --html=page.html --cache-size=64 --miss-cycles=1 @",
	"trace-cache -q @", "trace-cache -q --levels=1Ki/2:drrip,4Ki/4/128:inclusive --interval=20 --format=json @",
	"trace-cache -q --levels=1Ki/2:opt,4Ki/4:stride --tlb=4/full,8/2 --jobs=2 @",
	"trace-cache -q --by=symbol,line --levels=1Ki/2,4Ki/4 --top=5 @",
	"trace-cache -q --by=path,object --jobs=2 --format=json @", "trace-cache -q --by=instruction,thread --accesses=data --format=csv @",
	"trace-cache -q --kinds --levels=1Ki/2/32,4Ki/4/64:inclusive --from=5 --count=50 @",
	"trace-cache -q --kinds --levels=128/full,1Ki/2:exclusive @",
	"trace-cache -q --cores=2 --levels=1Ki/2,4Ki/4:inclusive --format=json @",
	"trace-cache -q --cores=3 --map=2,0,0,1 --by=line,object --levels=1Ki/2/128:stride,4Ki/4/128 @",
	"trace-mix -q --threads=processes --interval=7 --jobs=2 @", "trace-ppm -q --threads=each --jobs=2 @",
	"trace-ilp -q --threads=each --interval=9 --jobs=3 @", "trace-ilp -q --jobs=2 @",
	"trace-slo -q --min-distance=1 --data --jobs=3 @", "trace-calls -q --jobs=2 @",
	"trace-cache -q --threads=each --jobs=2 @", "trace-cache -q --sizes=1Ki,2Ki,4Ki,8Ki --jobs=3 @",
	"trace-cache -q --sizes=1Ki,8Ki --region=recorded @", "trace-cache -q --filtered --warmup=10 --threads=processes @",
	"/trace-mix -q --by=symbol", "/trace-mix -q --by=line --from=3 --thread=0", "/trace-footprint -q", "/trace-itypes -q",
	"/trace-reg -q", "/trace-stride -q", "/trace-stackdist -q --histogram --curve",
	"+trace-report -q --force --jobs=1 --only=mix,calls,heap,syscalls,cache,slo -o page.html @",
	"trace-report -q --force --jobs=1 -o page.html @",
	"trace-report -q --force --jobs=1 --only=stackdist,ibs,mica,phases,compare -o page.html @ before.trace",
	"trace-report -q --force --jobs=1 --only=compare,mix -o page.html before.trace @",
	"trace-stackdist -q @",
	"trace-stackdist -q --accesses=reads,writes,fetches --block-size=1,64 --histogram --curve --jobs=2 @",
	"trace-itypes -q @", "trace-itypes -q --interval=10 --format=csv @", "trace-ppm -q @",
	"trace-reg -q @", "trace-reg -q --fold-registers --threads=each @", "trace-stride -q @",
	"+trace-footprint -q @", "trace-footprint -q --jobs=2 --interval=9 --block-size=16 @",
	"trace-ilp -q @", "trace-ilp -q --windows=8,unlimited --flags --exact-intervals @",
	"trace-mica -q --directory=. @", "trace-mica -q --dialect=0.40 --directory=. @",
	"trace-simpoint -q --interval=20 --max-k=3 @",
	"trace-analyze --all -q -o all @"
};
/* clang-format on */
enum { N_COMMANDS = sizeof(commands) / sizeof(*commands) };

/* ---- traces ------------------------------------------------------------------------------ */

static void make_trace(struct limited_run *f, const char *from, uint64_t *state)
{
	struct buffer bytes = { 0 }, file = { 0 };
	struct loose_trace t = { 0 };

	fuzz_read(from, &bytes, MOST_SEED_BYTES);
	limited_run_write(f, "before.trace", bytes.data, bytes.size);
	if (loose_trace_take(&t, bytes.data, bytes.size, MOST_SEED_BYTES)) {
		mutate_trace(&t, state);
		loose_trace_put(&t, &file);
	} else {
		put_bytes(&file, bytes.data, bytes.size);
	}
	mutate_file(&file, state);
	limited_run_write(f, f->input, file.data, file.size);
	f->input_bytes = file.size > bytes.size ? file.size : bytes.size;
	loose_trace_free(&t);
	buffer_free(&bytes);
	buffer_free(&file);
}

static void try_halves(struct limited_run *f, uint64_t seed, const char *command)
{
	bool good = true;

	for (unsigned part = 0; part < 2 && good; part++) {
		char words[256];
		struct outcome o;

		snprintf(words, sizeof(words), "%s --part=%u/2 --partial=out.%u @", command, part,
			 part);
		o = limited_run(f, seed, words, false);
		good = outcome_good(&o);
	}
	if (good)
		limited_run(f, seed, "trace-merge out.0 out.1", true);
}

static void try_command(struct limited_run *f, uint64_t seed, const char *command, bool verified)
{
	bool must = *command == '+', writes = *command == '>';
	struct outcome o;

	if (*command == '/') {
		try_halves(f, seed, command + 1);
		return;
	}
	o = limited_run(f, seed, command + (must || writes), must && verified);
	if (writes && verified && outcome_good(&o))
		limited_run(f, seed, "trace-verify -q out", true);
}

/* The number of commands with the text that -w asks for, and these. */
static unsigned choose_commands(const struct limited_run *f, const char **chosen)
{
	unsigned n = 0;

	for (unsigned i = 0; i < N_COMMANDS; i++)
		if (strstr(commands[i], f->with))
			chosen[n++] = commands[i];
	return n;
}

static void try_trace(struct limited_run *f, uint64_t seed, char **traces, unsigned n_traces)
{
	uint64_t state = seed * 0x2545f4914f6cdd1d + 1;
	struct outcome verify;
	const char *chosen[N_COMMANDS];
	unsigned n_chosen = choose_commands(f, chosen);
	bool verified;

	make_trace(f, traces[random_under(&state, n_traces)], &state);
	verify = limited_run(f, seed, "trace-verify -q @", false);
	verified = outcome_good(&verify);
	if (!f->n_commands || f->n_commands >= n_chosen)
		for (unsigned i = 0; i < n_chosen; i++)
			try_command(f, seed, chosen[i], verified);
	else
		for (unsigned i = 0; i < f->n_commands; i++)
			try_command(f, seed, chosen[random_under(&state, n_chosen)], verified);
}

int main(int argc, char **argv)
{
	static const char points[] =
		"{\"counter\": \"exact\", \"thread\": 0, \"interval_size\": 20, \"points\": ["
		"{\"cluster\": 0, \"interval\": 1, \"weight\": 0.5, \"start\": 20, \"end\": 40}, "
		"{\"cluster\": 1, \"interval\": 3, \"weight\": 0.5, \"start\": 60, \"end\": 80}]}\n";
	struct limited_run f = {
		.seed = 1, .count = 100, .n_commands = 8, .with = "", .input = "in.trace"
	};
	int first = limited_run_begin(&f, argc, argv,
				      "fuzz_commands [OPTION]... BIN SAVE TRACE...");
	uint64_t done = 0;

	limited_run_write(&f, "points.json", points, sizeof(points) - 1);
	for (; limited_run_more(&f, done); done++)
		try_trace(&f, f.seed + done, argv + first, (unsigned)(argc - first));
	return limited_run_end(&f, done, "traces");
}
