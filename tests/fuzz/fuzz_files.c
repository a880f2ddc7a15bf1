/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes the parsers of files other than traces. The input's first byte chooses the parser of the
 * rest. Besides crashes, hangs and sanitizer reports, these are faults: results that break what the
 * headers promise, and vectors that depend on the number of cores that read them.
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyzers/cache/machines.h"
#include "analyzers/ibs/model/machine.h"
#include "analyzers/ibs/packet/where.h"
#include "analyzers/mica/config.h"
#include "analyzers/mica/itypes.h"
#include "analyzers/mica/latencies.h"
#include "analyzers/simpoint/bb_file.h"
#include "analyzers/simpoint/matrix_file.h"
#include "analyzers/simpoint/pc_file.h"
#include "analyzers/simpoint/plan_file.h"
#include "analyzers/simpoint/strata.h"
#include "cli/record/points_plan.h"
#include "cli/common/command.h"
#include "cli/common/quantity.h"
#include "recorder/elf/elf_file.h"
#include "recorder/samples/text_symbols.h"
#include "recorder/translate/store/saved_program.h"
#include "recorder/translate/store/store_folder.h"
#include "tests/fuzz/require.h"
#include "tests/scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sink; /* makes sure that values are read */

static void use_text(const char *text)
{
	sink += text ? strlen(text) : 0;
}

/* ---- basic block vectors and simulation points ---------------------------------------------- */

static void use_rows(const struct bb_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		for (uint32_t k = 0; k < rows->at[i].n; k++) {
			REQUIRE(rows->at[i].ids[k] >= 1 && rows->at[i].ids[k] <= rows->n_numbers);
			REQUIRE(bb_id(rows, rows->at[i].ids[k]) <= rows->n_dims);
			REQUIRE(rows->at[i].values[k] >= 0);
		}
}

static void require_same_rows(const struct bb_rows *a, const struct bb_rows *b)
{
	REQUIRE(a->n == b->n && a->n_dims == b->n_dims && a->interval_size == b->interval_size);
	for (size_t i = 0; i < a->n; i++) {
		const struct bb_row *ra = &a->at[i], *rb = &b->at[i];

		REQUIRE(ra->n == rb->n);
		REQUIRE(!ra->n || !memcmp(ra->ids, rb->ids, ra->n * sizeof(*ra->ids)));
		REQUIRE(!ra->n || !memcmp(ra->values, rb->values, ra->n * sizeof(*ra->values)));
	}
}

static void read_vectors(const char *path, bool as_simpoint)
{
	struct bb_rows one = { 0 }, several = { 0 };
	bool good = bb_read(path, as_simpoint, 1, &one);

	REQUIRE(bb_read(path, as_simpoint, 3, &several) == good);
	if (good) {
		use_rows(&one);
		require_same_rows(&one, &several);
	}
	bb_free(&one);
	bb_free(&several);
}

static void read_bb(const char *path)
{
	read_vectors(path, false);
}

static void read_simpoint_bb(const char *path)
{
	read_vectors(path, true);
}

static void read_pc(const char *path)
{
	struct pc_names names = { 0 };

	if (pc_names_read(path, &names))
		for (size_t i = 0; i < names.n; i++) {
			REQUIRE(!names.at[i].function || names.at[i].place);
			use_text(names.at[i].place);
			use_text(names.at[i].function);
		}
	pc_names_free(&names);
}

static void read_plan(const char *path)
{
	struct plan plan = { 0 };

	if (plan_read(path, path, &plan)) {
		REQUIRE(plan.n > 0);
		for (size_t i = 0; i < plan.n; i++)
			sink += plan.at[i].interval + plan.at[i].start + plan.at[i].end;
	}
	plan_free(&plan);
}

static void read_points_plan(const char *path)
{
	struct points_plan plan;

	if (!points_plan_read(path, UINT64_MAX, &plan))
		return;
	REQUIRE(plan.n > 0 && plan.n_guides <= plan.n);
	for (size_t i = 0; i < plan.n; i++) {
		const struct record_slice *slice = &plan.slices[i];

		REQUIRE(slice->first.instructions <= slice->end.instructions);
		sink += slice->warmup + plan.points[i].filtered;
		if (slice->first.marker.module)
			use_text(slice->first.marker.module);
	}
	points_plan_free(&plan);
}

static void read_strata(const char *path)
{
	struct strata strata;

	if (!strata_read(path, &strata))
		return;
	REQUIRE(strata.n > 0 && strata.n_points > 0);
	for (size_t i = 0; i < strata.n_points; i++) {
		REQUIRE(strata.of[i] < strata.n && strata.weights[i] > 0);
		sink += strata.intervals[i];
	}
	strata_free(&strata);
}

static void read_spreads(const char *path)
{
	double spreads[4];

	if (spreads_read(path, spreads, 4))
		for (unsigned i = 0; i < 4; i++)
			REQUIRE(spreads[i] >= 0);
}

static void read_any_matrix(const char *path, bool binary)
{
	struct points matrix = { 0 };

	if (matrix_read(path, binary, &matrix)) {
		for (size_t i = 0; i < matrix.n * matrix.dim; i++)
			sink += matrix.at[i] != 0;
		for (size_t i = 0; i < matrix.n; i++)
			sink += matrix.weights[i] != 0;
	}
	points_free(&matrix);
}

static void read_matrix(const char *path)
{
	read_any_matrix(path, false);
}

static void read_binary_matrix(const char *path)
{
	read_any_matrix(path, true);
}

/* ---- MICA ----------------------------------------------------------------------------------- */

static void read_groups(const char *path)
{
	struct itypes_groups groups = { 0 };
	char error[256] = "";

	if (itypes_read_groups(path, &groups, error, sizeof(error)))
		for (size_t i = 0; i < groups.identifiers.count; i++) {
			REQUIRE(groups.identifiers.at[i].group < groups.count);
			REQUIRE(memchr(groups.identifiers.at[i].name, 0,
				       sizeof(groups.identifiers.at[i].name)));
		}
	else
		REQUIRE(*error && memchr(error, 0, sizeof(error)));
	itypes_free_groups(&groups);
}

static void read_config(const char *path)
{
	struct mica_config config = { 0 };

	if (mica_config_read(path, 0, &config))
		REQUIRE(config.kinds && config.block_shift < 64 && config.page_shift < 64);
	mica_config_free(&config);
}

static void read_latencies(const char *path)
{
	struct mica_insn insn = { .has_read = true };
	struct mica_code code = { .numbers.insns = 1, .insns = &insn };
	uint32_t *latencies;

	insn.facts.category = "BINARY";
	strcpy(insn.facts.iclass, "ADD");
	latencies = mica_read_latencies(path, &code);
	if (latencies)
		REQUIRE(latencies[0] >= 1 && latencies[0] <= 2 * UINT16_MAX);
	free(latencies);
}

/* ---- models and samples ---------------------------------------------------------------------- */

static void read_machine(const char *path)
{
	struct machine machine;
	char error[256] = "";

	REQUIRE(machine_preset(&machine, "zen4"));
	if (!machine_read(&machine, path, error, sizeof(error)))
		REQUIRE(*error && memchr(error, 0, sizeof(error)));
	else
		REQUIRE(machine.rob && machine.dispatch_width && machine.l1d_ways);
}

static void read_levels(const char *path)
{
	struct cache_machine machine;
	char error[256] = "";

	if (!cache_file_read(&machine, path, error, sizeof(error))) {
		REQUIRE(*error && memchr(error, 0, sizeof(error)));
		return;
	}
	REQUIRE(machine.caches.n_levels && !cache_config_check(&machine.caches));
	REQUIRE(cache_config_parts(&machine.caches, 8) <= 8);
	REQUIRE(!machine.has_tlbs || !cache_config_check(&machine.tlbs));
}

/* Reads the file up to a NUL, as a string, which parsers of arguments take. */
static char *text_of(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t room = 0;

	REQUIRE(file);
	if (getdelim(&text, &room, 0, file) < 0) {
		free(text);
		text = strdup("");
	}
	fclose(file);
	return text;
}

static void read_where(const char *path)
{
	struct ibs_packet packet = { 0 };
	struct ibs_sample sample = { .packet = &packet, .comm = "sort", .mode = "user" };
	char *text = text_of(path);
	struct ibs_where where;
	const char *wrong = ibs_where_parse(&where, text);

	REQUIRE(!wrong || *wrong);
	if (!wrong) {
		REQUIRE(where.n_nodes <= IBS_MAX_NODES);
		sink += ibs_where_holds(&where, &sample);
	}
	free(text);
}

static void read_quantity(const char *path)
{
	char *text = text_of(path), back[COUNT_SIZE];
	uint64_t count, size;
	uint32_t thread;
	double seconds;

	if (parse_count(text, &count))
		use_text(format_count(count, back));
	REQUIRE(!parse_size(text, &size) || *text);
	REQUIRE(!parse_thread(text, &thread) || thread < UINT32_MAX);
	REQUIRE(!parse_seconds(text, &seconds) || seconds > 0);
	free(text);
}

/* Copies the input into a regular file, since the reader refuses links and other kinds of files. */
static void read_jit_symbols(const char *path)
{
	scratch_path regular;
	char *text = text_of(path);
	struct text_symbols symbols = { 0 };
	int fd = scratch_file(regular, "symbols");
	size_t size = strlen(text);

	REQUIRE(write(fd, text, size) == (ssize_t)size);
	close(fd);
	free(text);
	REQUIRE(text_symbols_of_jit(&symbols, regular));
	unlink(regular);
	for (size_t i = 0; i < symbols.count; i++) {
		REQUIRE(*symbols.at[i].name);
		REQUIRE(!i || symbols.at[i - 1].value <= symbols.at[i].value);
	}
	text_symbols_free(&symbols);
}

/* Reads the whole file. */
static struct buffer bytes_of(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	off_t size = lseek(fd, 0, SEEK_END);
	struct buffer bytes = { .data = malloc((size_t)size + 1), .size = (size_t)size };

	REQUIRE(bytes.data && pread(fd, bytes.data, bytes.size, 0) == (ssize_t)size);
	close(fd);
	return bytes;
}

/* Checks that a file written from an accepted program is accepted again. */
static void read_program(const char *path)
{
	struct buffer bytes = bytes_of(path), written = { 0 };
	struct saved_program program = { 0 }, again = { 0 };

	if (saved_program_parse(&program, bytes.data, bytes.size)) {
		saved_program_write(&program, &written);
		REQUIRE(saved_program_parse(&again, written.data, written.size));
		REQUIRE(again.trees.count <= program.trees.count);
	}
	buffer_free(&written);
	saved_program_free(&program);
	saved_program_free(&again);
	buffer_free(&bytes);
}

static enum store_status read_contents(int folder, struct buffer *contents)
{
	static const struct store_key key;

	*contents = (struct buffer){ 0 };
	return store_folder_read(folder, &key, contents);
}

/* Puts the bytes into a file, as somebody else might. */
static void forge(int folder, const struct buffer *bytes)
{
	int fd = openat(folder, "00000000000000000000000000000000.code",
			O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	REQUIRE(fd >= 0 && write(fd, bytes->data, bytes->size) == (ssize_t)bytes->size);
	close(fd);
}

/* Reads the input as a file of the code cache, and then as the contents of a file that is written. */
static void read_store(const char *path)
{
	struct buffer bytes = bytes_of(path), contents;
	const struct store_key key = { { 0 } };
	const char *why;
	scratch_path scratch;
	int folder;

	scratch_folder(scratch, "store");
	folder = store_folder_open(scratch, &why);
	REQUIRE(folder >= 0 && read_contents(folder, &contents) == STORE_MISSING);
	forge(folder, &bytes);
	REQUIRE(read_contents(folder, &contents) != STORE_FOUND || contents.size < bytes.size);
	buffer_free(&contents);
	REQUIRE(store_folder_write(folder, &key, &bytes));
	REQUIRE(read_contents(folder, &contents) == STORE_FOUND && contents.size == bytes.size);
	REQUIRE(!memcmp(contents.data, bytes.data, bytes.size));
	buffer_free(&contents);
	store_folder_trim(folder, 0);
	REQUIRE(read_contents(folder, &contents) == STORE_MISSING);
	close(folder);
	REQUIRE(rmdir(scratch) == 0);
	buffer_free(&bytes);
}

/* ---- one input ------------------------------------------------------------------------------ */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const parsers[])(const char *path) = {
		read_bb,        read_simpoint_bb,   read_pc,      read_plan,
		read_matrix,    read_binary_matrix, read_groups,  read_config,
		read_latencies, read_jit_symbols,   read_machine, read_where,
		read_quantity,  read_points_plan,   read_strata,  read_spreads,
		read_levels,    read_program,       read_store,
	};
	enum { FIRST = 'a' }; /* seeds begin with a letter, see make_file_seeds.sh */
	unsigned which = size ? (uint8_t)(data[0] - FIRST) : 0;
	char path[64];
	int fd;

	if (!size || which >= sizeof(parsers) / sizeof(parsers[0]))
		return -1;
	fd = memfd_create("input", MFD_CLOEXEC);
	REQUIRE(write(fd, data + 1, size - 1) == (ssize_t)(size - 1));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	parsers[which](path);
	close(fd);
	return 0;
}
