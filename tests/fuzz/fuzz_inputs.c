/* SPDX-License-Identifier: MIT */
/*
 * Runs the commands that read files other than traces, or texts on the command line, on changed
 * inputs: basic block vectors and SimPoint's results from them, compressed or not; machines;
 * conditions; settings of MICA; results; perf.data; and the files of AMD's toolkit. limited_run.h
 * lists the faults.
 *
 *	fuzz_inputs [-s SEED] [-n INPUTS | -t SECONDS] [-c COMMANDS] BIN SAVE SEED_FILE...
 *
 * A SEED_FILE named KIND-NAME, as make_input_seeds.sh writes it, is changed and given to commands for
 * that kind; the commands also read with.NAME. -c: the number of commands for each input (default
 * 3). The other arguments are those of fuzz_commands.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/compressed.h"
#include "tests/fuzz/limited_run.h"
#include "tests/fuzz/mutate_cells.h"
#include "tests/fuzz/mutate_partial.h"
#include "tests/fuzz/mutate_records.h"
#include "tests/fuzz/mutate_text.h"
#include "tests/fuzz/mutate_trace.h"

enum { MOST_SEED_BYTES = 1 << 20, MOST_REPEATED = 1 << 23 };

/* A command that begins with '+' or '&' runs after the one of the line before, if that one
 * succeeded. A command that begins with '+' must then succeed, too. */
static const struct {
	const char *kind, *command;
} commands[] = {
	/* clang-format off */
	{ "machine", "trace-ibs -q --period=144 --machine=./@ with.trace" },
	{ "machine", "trace-ibs -q --period=16 --by=line --compare-modes --machine=./@ with.trace" },
	{ "where", "trace-ibs -q --period=16 --where=% with.trace" },
	{ "where", "trace-ibs -q --source=hardware --where=% with.samples.trace" },
	{ "config", "trace-mica -q --config=@ --directory=. with.trace" },
	{ "config", "trace-mica -q --dialect=0.40 --config=@ --directory=. with.trace" },
	{ "partial", "trace-merge --trace=with.trace @" },
	{ "partial", "trace-merge --trace=with.trace --incomplete --partial=out @" },
	{ "partial", "trace-bbv -q --part=0/2 --partial=out --lengths=@ with.trace" },
	{ "groups", "trace-itypes -q --groups=@ with.trace" },
	{ "latency", "trace-ilp -q --latency=@ with.trace" },
	{ "bb", "trace-simpoint -q --max-k=3 -o out @" },
	{ "bb", "trace-simpoint -q -k 2 --coverage=0.9 --jobs=3 --format=json @" },
	{ "bb", "trace-simpoint --compat=simpoint3 -maxK 3 -saveSimpoints s -saveSimpointWeights w -saveAll -loadFVFile @" },
	{ "bb", "trace-simpoint -q -k 2 -fixedLength off -saveVectorsTxtFmt v -saveProjMatrixBinFmt p @" },
	{ "bb", "|trace-simpoint -q -k 2 -" },
	{ "pc", "trace-simpoint -q -k 3 --pc-file=@ -o out with.bb" },
	{ "text", "trace-simpoint -q -k 2 -loadVectorsTxtFmt @" },
	{ "text", "trace-simpoint -q -k 2 -fixedLength off -loadProjMatrixTxtFmt @ with.bb" },
	{ "text", "trace-simpoint -q -k 2 -loadInitCtrs @ with.bb" },
	{ "text", "trace-simpoint -q --compat=simpoint3 -k 2 -loadInitCtrs @ with.bb" },
	{ "binary", "trace-simpoint -q -k 2 -loadVectorsBinFmt @" },
	{ "binary", "trace-simpoint -q -k 2 -loadProjMatrixBinFmt @ with.bb" },
	{ "labels", "trace-simpoint -q -k 5 -loadInitLabels @ with.bb" },
	{ "weights", "trace-simpoint -q -k 2 -loadVectorWeights @ with.bb" },
	{ "points", "trace-cut -q --force --simpoints=@ -o out with.trace" },
	{ "points", "trace-cut -q --force --simpoints=@ --interval=20 --counter=exact --warmup=5 -o out with.trace" },
	{ "points", "trace-cut -q --force --simpoints=@ --weights=with.weights --interval=20 -o out with.trace" },
	{ "shares", "trace-cut -q --force --simpoints=with.simpts --interval=20 --weights=@ -o out with.trace" },
	{ "shares", "trace-extrapolate --weights=@ with.json with.json" },
	{ "json", "trace-extrapolate -q --weights=with.weights @ with.json" },
	{ "json", "trace-extrapolate --weights=with.weights --total=1000 --key=mnemonic --whole=@ with.json with.json" },
	{ "json", "trace-extrapolate -q --weights=with.weights --mean=share --format=json --whole=with.json with.json @" },
	{ "json", "trace-extrapolate -q --plan=with.plan --total=1000 --confidence=95% --metric=instructions @" },
	{ "compared", "trace-compare -q --format=json --threshold=5 @ with.compared" },
	{ "compared", "trace-compare -q --function-threshold=5 --module=operands,libc.so.6 with.compared @" },
	{ "compared", "trace-compare -q --no-phases --no-advice @ with.trace" },
	{ "plan", "trace-extrapolate --plan=@ --confidence=95% with.json" },
	{ "plan", "trace-extrapolate -q --run=mix --plan=@ with.trace" },
	{ "shares", "trace-extrapolate -q --run=mix --whole=with.trace --weights=@ with.trace with.trace" },
	{ "spreads", "trace-simpoint -q -k 2 --total=4 --allocate=@ with.bb" },
	{ "samples", "trace-import -q --force -o out.trace @" },
	{ "samples", "+trace-verify --decode -q out.trace" },
	{ "samples", "|trace-import -q --force -o out.trace -" },
	{ "samples", "&trace-ibs -q --source=hardware --by=symbol,thread out.trace" },
	{ "samples", "trace-import -q --force --here -o out.trace @" },
	{ "samples", "&trace-dump --samples out.trace" },
	{ "samples", "trace-import -q --force -o out.trace @" },
	{ "samples", "+trace-repack -q --force -o packed.trace out.trace" },
	{ "samples", "trace-mix @" },
	{ "samples", "trace-import -q --force -o out.trace parts" },
	{ "part", "trace-import -q --force -o out.trace records" },
	{ "part", "+trace-verify -q out.trace" },
	{ "manifest", "trace-verify --manifest=@" },
	{ "manifest", "trace-verify -q --format=json --manifest=@" },
	{ "map", "trace-anonymise -q --force --preset=share --map=@ -o out with.trace" },
	{ "map", "trace-anonymise -q --force --preset=share --addresses=pages --map=@ -o out with.trace" },
	{ "map", "+trace-verify -q out" },
	{ "drmemtrace", "trace-import -q --force --from=drmemtrace -o out.trace @" },
	{ "drmemtrace", "+trace-verify -q out.trace" },
	{ "drmemtrace", "|trace-import -q --force --from=drmemtrace -o out.trace -" },
	{ "drmemtrace", "+trace-repack -q --force -o packed.trace out.trace" },
	{ "modules", "trace-import -q --force --from=drmemtrace -o out.trace modules" },
	{ "modules", "+trace-verify -q out.trace" },
	{ "functions", "trace-import -q --force --from=drmemtrace -o out.trace functions" },
	{ "functions", "+trace-verify -q out.trace" },
	{ "packed", "trace-import -q --force --from=drmemtrace -o out.trace @" },
	{ "packed", "+trace-verify -q out.trace" },
	{ "champsim", "trace-import -q --force --from=champsim -o out.trace @" },
	{ "champsim", "+trace-verify -q out.trace" },
	{ "champsim", "trace-import -q --force --from=cloudsuite -o out.trace @" },
	{ "sbbt", "trace-import -q --force --from=sbbt -o out.trace @" },
	{ "sbbt", "+trace-verify -q out.trace" },
	{ "din", "trace-import -q --force --from=din -o out.trace @" },
	{ "din", "+trace-verify -q out.trace" },
	{ "xdin", "trace-import -q --force --from=xdin -o out.trace @" },
	{ "xdin", "+trace-verify -q out.trace" },
	{ "number", "trace-stackdist -q --block-size=% with.trace" },
	{ "list", "trace-cache -q --levels=% with.trace" },
	{ "list", "trace-cache -q --levels=1Ki/2,4Ki/4 --by=% with.trace" },
	{ "list", "trace-report -q --force --jobs=1 --only=% -o out.html with.trace" },
	{ "list", "trace-compare -q --no-phases --metric=% with.compared with.trace" },
	{ "list", "trace-dump -c 9 -f % with.trace" },
	{ "number", "trace-cache -q --levels=1Ki/2,4Ki/4 --cores=% with.trace" },
	{ "number", "trace-cache -q --levels=1Ki/2,4Ki/4 --cores=4 --map=% with.trace" },
	{ "number", "trace-cache -q --sizes=% with.trace" },
	{ "number", "trace-cache -q --tlb=% with.trace" },
	{ "number", "trace-compare -q --no-phases --threshold=% with.compared with.trace" },
	{ "machine", "trace-cache -q --machine=./@ with.trace" },
	{ "levels", "trace-cache -q --config=@ with.trace" },
	{ "number", "trace-slo -q --cache-size=% with.trace" },
	{ "number", "trace-mix -q --from=% --count=100 with.trace" },
	{ "number", "trace-mix -q --interval=% with.trace" },
	{ "number", "trace-ibs -q --period=% with.trace" },
	{ "number", "trace-ilp -q --windows=% with.trace" },
	{ "number", "trace-simpoint -q -k % with.bb" },
	{ "number", "trace-simpoint -q --coverage=% -k 2 with.bb" },
	{ "number", "trace-cut -q --force --from=% --count=9 -o out with.trace" },
	{ "number", "trace-dump -c 9 -f % with.trace" },
	{ "number", "trace-dump -c 9 -t % with.trace" },
	{ "list", "trace-ibs -q --period=144 --by=% with.trace" },
	{ "list", "trace-mix -q --by=% with.trace" },
	{ "list", "trace-stackdist -q --accesses=% with.trace" },
	{ "list", "trace-extrapolate -q --weights=with.weights --key=% with.json with.json" },
	{ "list", "trace-extrapolate -q --run=% with.trace" },
	{ "list", "trace-simpoint -q -k 2 --interval=50 --bbv=% with.trace" },
	{ "list", "trace-cut -q --force --from-symbol=% -o out with.trace" },
	/* clang-format on */
};
enum { N_COMMANDS = sizeof(commands) / sizeof(*commands) };

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Returns whether a seed file's name begins with a kind and '-'. */
static bool is_of(const char *name, const char *kind)
{
	size_t size = strlen(kind);

	return !strncmp(name, kind, size) && name[size] == '-';
}

/* Compresses some of the vectors. A few inputs are small and decompress to many bytes. */
static void compress_some(struct buffer *b, uint64_t *state)
{
	size_t size = b->size;

	if (random_under(state, 3))
		return;
	if (random_under(state, 16) == 0 && buffer_reserve(b, MOST_REPEATED))
		while (b->size + size < MOST_REPEATED)
			put_bytes(b, b->data, size);
	compress_bytes(b, random_under(state, N_COMPRESSIONS));
	if (random_under(state, 2))
		mutate_records(b, state);
}

static void make_input(struct limited_run *f, const char *seed_file, uint64_t *state)
{
	const char *name = base(seed_file);
	struct buffer bytes = { 0 };

	fuzz_read(seed_file, &bytes, MOST_SEED_BYTES);
	if (is_of(name, "drmemtrace"))
		mutate_cells(&bytes, 12, state);
	else if (is_of(name, "champsim"))
		mutate_cells(&bytes, 64, state);
	else if (is_of(name, "sbbt"))
		mutate_cells(&bytes, 8, state);
	else if (is_of(name, "partial"))
		mutate_partial(&bytes, state);
	else if (is_of(name, "samples") || is_of(name, "part") || is_of(name, "binary") ||
		 is_of(name, "packed"))
		mutate_records(&bytes, state);
	else
		mutate_text(&bytes, state);
	if (is_of(name, "bb"))
		compress_some(&bytes, state);
	limited_run_write(f, f->input, bytes.data, bytes.size);
	f->input_bytes = bytes.size;
	buffer_free(&bytes);
}

static bool follows(unsigned i)
{
	return *commands[i].command == '+' || *commands[i].command == '&';
}

static bool may_try(const struct limited_run *f, const char *name, unsigned i)
{
	return is_of(name, commands[i].kind) && !follows(i) && strstr(commands[i].command, f->with);
}

/* Runs one of the kind's commands, and the commands that follow it. */
static void try_command(struct limited_run *f, uint64_t seed, const char *name, uint64_t *state)
{
	unsigned at = 0, left, n = 0;
	const char *command;
	struct outcome o;

	for (unsigned i = 0; i < N_COMMANDS; i++)
		n += may_try(f, name, i);
	if (!n)
		return;
	for (left = (unsigned)random_under(state, n) + 1;; at++) {
		left -= may_try(f, name, at);
		if (!left)
			break;
	}
	do {
		command = commands[at].command;
		o = limited_run(f, seed, command + follows(at), *command == '+');
	} while (outcome_good(&o) && ++at < N_COMMANDS && follows(at));
}

static void try_input(struct limited_run *f, uint64_t seed, char **files, unsigned n_files)
{
	uint64_t state = seed * 0x2545f4914f6cdd1d + 1;
	const char *file = files[random_under(&state, n_files)];

	if (!strncmp(base(file), "with.", 5))
		return;
	make_input(f, file, &state);
	for (unsigned i = 0; i < f->n_commands; i++)
		try_command(f, seed, base(file), &state);
}

static void put_companions(const struct limited_run *f, char **files, unsigned n_files)
{
	struct buffer bytes = { 0 };

	for (unsigned i = 0; i < n_files; i++)
		if (!strncmp(base(files[i]), "with.", 5)) {
			fuzz_read(files[i], &bytes, MOST_SEED_BYTES);
			limited_run_write(f, base(files[i]), bytes.data, bytes.size);
		}
	buffer_free(&bytes);
}

/*
 * Makes folders of perf record --threads, with a file that has the header and others of records;
 * and folders of DynamoRIO, with a list of the modules or the functions.
 */
static void make_folders(const struct limited_run *f)
{
	static const char *const links[][2] = {
		{ "parts/data", "../in" },
		{ "parts/data.0", "../with.records" },
		{ "records/data", "../with.perf.data" },
		{ "records/data.0", "../in" },
		{ "records/data.1", "../with.records" },
		{ "modules/x.trace", "../with.drmemtrace" },
		{ "modules/modules.log", "../in" },
		{ "functions/x.trace", "../with.drmemtrace" },
		{ "functions/funclist.log", "../in" },
	};
	char path[2 * PATH_MAX];

	for (unsigned i = 0; i < sizeof(links) / sizeof(*links); i++) {
		snprintf(path, sizeof(path), "%s/%s", f->folder, links[i][0]);
		*strrchr(path, '/') = 0;
		if (mkdir(path, 0777) < 0 && errno != EEXIST)
			fuzz_die(path);
		path[strlen(path)] = '/';
		if (symlink(links[i][1], path) < 0)
			fuzz_die(path);
	}
}

int main(int argc, char **argv)
{
	struct limited_run f = {
		.seed = 1, .count = 100, .n_commands = 3, .with = "", .input = "in"
	};
	int first = limited_run_begin(&f, argc, argv,
				      "fuzz_inputs [OPTION]... BIN SAVE SEED_FILE...");
	unsigned n_files = (unsigned)(argc - first);
	uint64_t done = 0;

	make_folders(&f);
	put_companions(&f, argv + first, n_files);
	for (; limited_run_more(&f, done); done++)
		try_input(&f, f.seed + done, argv + first, n_files);
	return limited_run_end(&f, done, "inputs");
}
