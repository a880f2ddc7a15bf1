/* SPDX-License-Identifier: MIT */
/*
 * The files beside traces: the input's first byte says which parser has the rest. Beside crashes,
 * hangs and sanitizer reports these are faults: results that are not what the headers promise, and
 * vectors that depend on how many cores read them.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyzers/mica/config.h"
#include "analyzers/mica/itypes.h"
#include "analyzers/mica/latencies.h"
#include "analyzers/simpoint/bb_file.h"
#include "analyzers/simpoint/matrix_file.h"
#include "analyzers/simpoint/pc_file.h"
#include "analyzers/simpoint/plan_file.h"
#include "cli/common/command.h"
#include "recorder/program/elf_file.h"
#include "tests/fuzz/require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sink; /* makes sure that values are read */

static void use_text(const char *text)
{
	sink += text ? strlen(text) : 0;
}

/* ---- messages: formatted, but not printed -------------------------------------------------- */

static unsigned n_errors;

static void format_message(const char *format, va_list arguments)
{
	char text[4096];

	vsnprintf(text, sizeof(text), format, arguments);
	use_text(text);
}

void command_error(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	format_message(format, arguments);
	va_end(arguments);
	n_errors++;
}

void command_warning(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	format_message(format, arguments);
	va_end(arguments);
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
		for (size_t i = 0; i < groups.n_identifiers; i++) {
			REQUIRE(groups.identifiers[i].group < groups.count);
			REQUIRE(memchr(groups.identifiers[i].name, 0,
				       sizeof(groups.identifiers[i].name)));
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

/* ---- ELF ------------------------------------------------------------------------------------ */

static void use_elf(struct elf_file *elf)
{
	struct elf_symbols symbols = { 0 };
	struct segment *segments = NULL;
	unsigned n_segments;
	uint8_t id[64];

	for (unsigned i = 0, n = elf_file_build_id(elf, id, sizeof(id)); i < n; i++)
		sink += id[i];
	if (elf_file_segments(elf, &segments, &n_segments))
		for (unsigned i = 0; i < n_segments; i++)
			sink += segments[i].vaddr + segments[i].offset + segments[i].file_size;
	if (elf_file_symbols(elf, "/nowhere/module", &symbols))
		for (size_t i = 0; i < symbols.count; i++) {
			use_text(symbols.at[i].name);
			REQUIRE(*symbols.at[i].name);
		}
	free(segments);
	elf_symbols_free(&symbols);
	elf_file_close(elf);
}

static void read_elf(const char *path)
{
	FILE *file = fopen(path, "re");
	struct elf_file *elf;

	REQUIRE(file);
	elf_file_init();
	elf = elf_file_open(fileno(file));
	if (elf)
		use_elf(elf);
	fclose(file);
}

/* ---- one input ------------------------------------------------------------------------------ */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const parsers[])(const char *path) = { read_bb,        read_simpoint_bb,
							     read_pc,        read_plan,
							     read_matrix,    read_binary_matrix,
							     read_groups,    read_config,
							     read_latencies, read_elf };
	enum { FIRST = 'a' }; /* seeds begin with a letter, see make_file_seeds.sh */
	unsigned which = size ? (uint8_t)(data[0] - FIRST) : 0;
	char path[64];
	int fd;

	if (!size || which >= sizeof(parsers) / sizeof(parsers[0]))
		return -1;
	fd = memfd_create("input", MFD_CLOEXEC);
	REQUIRE(fd >= 0 && write(fd, data + 1, size - 1) == (ssize_t)(size - 1));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	parsers[which](path);
	close(fd);
	return 0;
}
