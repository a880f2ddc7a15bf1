/* SPDX-License-Identifier: MIT */
/*
 * A profile for pprof, by profile.proto of github.com/google/pprof: a protocol buffer, compressed
 * with gzip. A sample has the costs of a source line at the end of a call path; where lines are not
 * known, those of a function.
 */
#include <string.h>
#include <zlib.h>

#include "analyzers/calls/export.h"
#include "analyzers/common/numbering.h"
#include "cli/common/checked.h"
#include "cli/common/json_values.h"

/* ---- protocol buffers --------------------------------------------------------------------- */

static void put_number(struct buffer *out, unsigned field, uint64_t value)
{
	put_varint(out, field << 3);
	put_varint(out, value);
}

/* Appends a field of bytes: a string, or a message. */
static void put_field(struct buffer *out, unsigned field, const void *bytes, size_t size)
{
	put_varint(out, field << 3 | 2);
	put_varint(out, size);
	put_bytes(out, bytes, size);
	if (out->failed)
		out_of_memory();
}

/* Appends a message as a field, and frees it. */
static void put_message(struct buffer *out, unsigned field, struct buffer *message)
{
	put_field(out, field, message->data, message->size);
	buffer_free(message);
}

/* ---- locations and samples ---------------------------------------------------------------- */

/* A line of a function; its id in the file is its number + 1. */
struct location {
	struct {
		uint64_t function;
		uint32_t file, line; /* file: number of a string */
	} key;
	uint64_t address;
};

struct sample {
	struct {
		uint32_t node, location;
	} key;
	uint64_t costs[N_CALL_COSTS];
};

struct pprof {
	const struct call_paths *paths;
	struct call_profile *profile;
	struct lines *lines;
	struct numbering strings;
	HASH_TABLE(struct location) locations;
	HASH_TABLE(struct sample) samples;
	uint32_t *file_of; /* by function: number of a string, 0: not known */
};

static uint32_t string(struct pprof *p, const char *text)
{
	return numbering_add_text(&p->strings, text);
}

static uint32_t source_file(struct pprof *p, const struct source_line *line)
{
	char *path = call_source_file(line);
	uint32_t number = string(p, path);

	free(path);
	return number;
}

/* Returns the number of the location of an instruction of a function. block: NULL if not known. */
static uint32_t location_of(struct pprof *p, uint32_t function, const struct tf_block *block,
			    unsigned insn)
{
	uint64_t offset = block ? block->module_offset + block->insns[insn].offset : 0;
	struct source_line line = { 0 };
	bool known = block && block->module != TF_NONE &&
		     lines_find(p->lines, block->module, offset, &line);
	uint32_t file = known ? source_file(p, &line) : 0;
	struct location *location = checked(
		TABLE_PUT(p->locations, { function, file, known ? line.line : 0 }));

	if (!location->address)
		location->address = offset;
	if (!p->file_of[function])
		p->file_of[function] = file;
	return (uint32_t)(location - p->locations.at);
}

static void add_sample(void *opaque, uint32_t node, const struct tf_block *block, unsigned insn,
		       const uint64_t *costs)
{
	struct pprof *p = opaque;
	uint32_t function = p->profile->tree.nodes.at[node].key.function;
	struct sample *sample = checked(
		TABLE_PUT(p->samples, { node, location_of(p, function, block, insn) }));

	for (unsigned i = 0; i < N_CALL_COSTS; i++)
		sample->costs[i] += costs[i];
}

/* ---- the file ---------------------------------------------------------------------------- */

static void put_sample(struct pprof *p, struct buffer *out, const struct sample *sample)
{
	const struct call_tree *tree = &p->profile->tree;
	uint32_t node = sample->key.node;
	struct buffer m = { 0 };

	put_number(&m, 1, sample->key.location + 1);
	for (; tree->nodes.at[node].key.parent != CALL_ROOT;
	     node = tree->nodes.at[node].key.parent) {
		const struct call_node_key *key = &tree->nodes.at[node].key;
		const struct tf_block *site = tf_block(p->profile->reader, key->site);
		uint32_t caller = tree->nodes.at[key->parent].key.function;

		put_number(&m, 1,
			   location_of(p, caller, site, site ? site->n_insns - 1u : 0) + 1ul);
	}
	for (unsigned i = 0; i < call_costs_count_kinds(&p->profile->costs); i++)
		put_number(&m, 2, sample->costs[i]);
	put_message(out, 2, &m);
}

static void put_sample_types(struct pprof *p, struct buffer *out)
{
	const char *const types[N_CALL_COSTS][2] = {
		{ "instructions", "count" },
		{ "loads", "count" },
		{ "stores", "count" },
		{ "branches", "count" },
		{ "bytes_loaded", "bytes" },
		{ "bytes_stored", "bytes" },
		{ p->profile->costs.modelled, "count" },
	};
	struct buffer m = { 0 };

	for (unsigned i = 0; i < call_costs_count_kinds(&p->profile->costs); i++) {
		put_number(&m, 1, string(p, types[i][0]));
		put_number(&m, 2, string(p, types[i][1]));
		put_message(out, 1, &m);
	}
	put_number(out, 14, string(p, types[call_costs_weight(&p->profile->costs)][0]));
}

static void put_mappings(struct pprof *p, struct buffer *out)
{
	for (uint32_t i = 0; i < tf_n_modules(p->profile->reader); i++) {
		const struct tf_module *module = tf_module(p->profile->reader, i);
		struct buffer m = { 0 };

		if (!module)
			continue;
		put_number(&m, 1, i + UINT64_C(1));
		put_number(&m, 5, string(p, module->path));
		for (unsigned known = 7; known <= 9; known++) /* functions, files, lines */
			put_number(&m, known, 1);
		put_message(out, 3, &m);
	}
}

static void put_locations(struct pprof *p, struct buffer *out)
{
	for (size_t i = 0; i < p->locations.count; i++) {
		const struct location *location = &p->locations.at[i];
		const struct call_function *function =
			&p->profile->functions.functions.at[location->key.function];
		struct buffer m = { 0 }, line = { 0 };

		put_number(&m, 1, i + 1);
		if (function->key.module != TF_NONE)
			put_number(&m, 2, function->key.module + 1);
		put_number(&m, 3, location->address);
		put_number(&line, 1, location->key.function + 1);
		put_number(&line, 2, location->key.line);
		put_message(&m, 4, &line);
		put_message(out, 4, &m);
	}
}

static void put_functions(struct pprof *p, struct buffer *out)
{
	const struct call_functions *f = &p->profile->functions;

	for (uint32_t i = 0; i < f->functions.count; i++) {
		const struct tf_symbol *symbol = f->functions.at[i].key.symbol;
		struct buffer m = { 0 };

		put_number(&m, 1, i + UINT64_C(1));
		put_number(&m, 2, string(p, call_function_name(p->paths, i)));
		put_number(&m, 3,
			   string(p, symbol ? symbol->name : call_function_name(p->paths, i)));
		put_number(&m, 4, p->file_of[i]);
		put_message(out, 5, &m);
	}
}

/* Returns text with U+FFFD for bytes that are not UTF-8, which protocol buffers refuse. */
static char *utf8(const char *text)
{
	json_t *string = json_text(text);
	char *copy = checked_copy(json_string_value(string));

	json_decref(string);
	return copy;
}

/* Writes all strings, which are known only when everything else was written. */
static void put_strings(struct pprof *p, struct buffer *out)
{
	for (uint32_t i = 0; i < p->strings.count; i++) {
		char *text = utf8(numbering_key(&p->strings, i));

		put_field(out, 6, text, strlen(text));
		free(text);
	}
}

/* Writes bytes as a gzip file without a time and a name. */
static void put_gzip(FILE *out, uint8_t *bytes, size_t size)
{
	enum { GZIP = 16 };
	z_stream z = { .next_in = bytes };
	unsigned char packed[1 << 16];
	int status = deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP, 8,
				  Z_DEFAULT_STRATEGY);

	while (status == Z_OK) {
		size_t part = size < UINT32_MAX / 2 ? size : UINT32_MAX / 2;

		if (!z.avail_in) {
			z.avail_in = (uInt)part;
			size -= part;
		}
		z.next_out = packed;
		z.avail_out = sizeof(packed);
		status = deflate(&z, size ? Z_NO_FLUSH : Z_FINISH);
		fwrite(packed, 1, sizeof(packed) - z.avail_out, out);
	}
	deflateEnd(&z);
	if (status != Z_STREAM_END)
		out_of_memory();
}

void call_write_pprof(FILE *out, const struct call_paths *paths)
{
	size_t n_functions = paths->profile->functions.functions.count;
	struct pprof p = {
		.paths = paths,
		.profile = paths->profile,
		.lines = lines_open(paths->profile->reader),
		.file_of = checked_array(n_functions, sizeof(*p.file_of)),
	};
	struct buffer plain = { 0 };

	string(&p, "");
	put_sample_types(&p, &plain);
	call_costs_visit(&p.profile->costs, p.profile->reader, add_sample, &p);
	for (size_t i = 0; i < p.samples.count; i++)
		put_sample(&p, &plain, &p.samples.at[i]);
	put_mappings(&p, &plain);
	put_locations(&p, &plain);
	put_functions(&p, &plain);
	put_number(&plain, 13, string(&p, call_command(paths)));
	put_strings(&p, &plain);
	put_gzip(out, plain.data, plain.size);
	buffer_free(&plain);
	TABLE_FREE(p.locations);
	TABLE_FREE(p.samples);
	numbering_free(&p.strings);
	free(p.file_of);
	lines_close(p.lines);
}
