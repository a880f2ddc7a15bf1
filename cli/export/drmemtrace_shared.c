/* SPDX-License-Identifier: MIT */
#include "cli/export/drmemtrace_shared.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/common/base_name.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/output_trace.h"
#include "cli/common/save_file.h"

enum { PAGE = 4096 };

static const char function_list[] = "funclist.log", page_list[] = "v2p.textproto";

void *drmemtrace_share(struct tf_reader *reader)
{
	struct drmemtrace_times *times = drmemtrace_times_new(reader);
	struct drmemtrace_shared *s;

	if (!times)
		return NULL;
	s = checked_array(1, sizeof(*s));
	s->times = times;
	s->functions = checked_array(tf_n_functions(reader), sizeof(*s->functions));
	return s;
}

void drmemtrace_release(void *shared)
{
	struct drmemtrace_shared *s = shared;

	drmemtrace_times_free(s->times);
	free(s->functions);
	TABLE_FREE(s->pages);
	free(s);
}

void drmemtrace_use_pages(struct drmemtrace_shared *s, uint64_t address, uint64_t size)
{
	uint64_t page = address / PAGE, last = (address + (size ? size - 1 : 0)) / PAGE;

	for (;; page++) {
		if (s->page != page + 1)
			checked(TABLE_PUT(s->pages, page));
		s->page = page + 1;
		if (page >= last)
			return;
	}
}

/* ---- functions --------------------------------------------------------------------------- */

static void print_name(FILE *out, const char *name)
{
	for (; *name; name++)
		fputc((unsigned char)*name < ' ' ? '?' : *name, out);
}

/* Writes the functions that were called: id, arguments, address, module and name. */
static void print_functions(FILE *out, const struct export_folder *folder,
			    const struct drmemtrace_shared *s)
{
	for (uint32_t i = 0; i < tf_n_functions(folder->reader); i++) {
		const struct tf_function *function = tf_function(folder->reader, i);
		const struct tf_module *module = tf_module(folder->reader, s->functions[i].module);

		if (!function || !s->functions[i].pc)
			continue;
		fprintf(out, "%" PRIu32 ",%" PRIu32 ",0x%" PRIx64 ",", i, function->n_args,
			s->functions[i].pc);
		print_name(out, module ? base_name(module->path) : "");
		fputc('!', out);
		print_name(out, function->name);
		fputc('\n', out);
	}
}

/* ---- physical addresses ------------------------------------------------------------------ */

/* Permutes the numbers of so many bits: each step has an inverse. */
static uint64_t permute(uint64_t number, unsigned bits, uint64_t seed)
{
	static const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t mask = (UINT64_C(1) << bits) - 1;

	for (int round = 0; round < 4; round++) {
		number = (number + seed) * odd & mask;
		number ^= number >> bits / 2;
		seed = seed << 16 | seed >> 48;
	}
	return number;
}

/* Writes the pages in the order of their first use. */
static void print_pages(FILE *out, const struct export_folder *folder,
			const struct drmemtrace_shared *s)
{
	unsigned bits = 24; /* of the number of a frame: 64 GiB of memory, or more */

	while (s->pages.count >> bits)
		bits++;
	fprintf(out, "page_size: %d\npage_count: %zu\nbytes_mapped: %zu\n", PAGE, s->pages.count,
		s->pages.count * PAGE);
	for (size_t i = 0; i < s->pages.count; i++)
		fprintf(out,
			"address_mapping {\n"
			"  virtual_address: 0x%" PRIx64 "\n"
			"  physical_address: 0x%" PRIx64 "\n"
			"}\n",
			s->pages.at[i].key * PAGE,
			permute(i, bits, folder->options->v2p_seed) * PAGE);
}

/* ---- files ------------------------------------------------------------------------------- */

static int write_file(const struct export_folder *folder, const struct drmemtrace_shared *s,
		      const char *name,
		      void (*print)(FILE *out, const struct export_folder *folder,
				    const struct drmemtrace_shared *s))
{
	char *path = text_format("%s/%s", folder->path, name);
	struct save_file *file = save_file_begin(path);
	int status = EXIT_FAILED;

	if (file) {
		print(save_file_stream(file), folder, s);
		status = save_file_end(file);
	}
	if (status == EXIT_DONE)
		status = set_trace_mode(path, folder->mode);
	free(path);
	return status;
}

int drmemtrace_write_shared(const struct export_folder *folder, const void *shared)
{
	int status = EXIT_DONE;

	if (folder->options->functions)
		status = write_file(folder, shared, function_list, print_functions);
	if (status == EXIT_DONE && folder->options->v2p_seed != DRMEMTRACE_NO_SEED)
		status = write_file(folder, shared, page_list, print_pages);
	return status;
}

bool drmemtrace_is_shared_name(const char *name)
{
	return !strcmp(name, function_list) || !strcmp(name, page_list);
}
