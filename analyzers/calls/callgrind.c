/* SPDX-License-Identifier: MIT */
/*
 * A profile in Callgrind's format (Valgrind's manual, "Callgrind Format Specification"): costs by
 * instruction and source line, and the calls of each place with their inclusive costs. The
 * inclusive costs of a recursive call are those of its outermost one. Two readers set the form:
 * KCachegrind looks for events: only near the beginning, and callgrind_annotate drops the costs of
 * a function without an fl= before its fn=, and wants cmd: and desc: before events:.
 */
#include <inttypes.h>
#include <string.h>

#include "analyzers/calls/export.h"
#include "analyzers/common/numbering.h"
#include "cli/common/checked.h"

enum {
	NO_FILE = 0,
	LONGEST_COMMAND = 1000, /* bytes: KCachegrind looks for events: in the first 2047 bytes */
};

struct place_costs {
	struct {
		uint64_t function, offset;
	} key;
	struct call_sums sums;
};

/* Calls of a function from a place. */
struct call_edge {
	struct {
		uint32_t caller, site, callee;
	} key;
	uint32_t live; /* such calls on the present path */
	uint64_t calls;
	uint64_t inclusive[N_CALL_COSTS];
};

struct callgrind {
	FILE *out;
	const struct call_paths *paths;
	struct call_profile *profile;
	struct lines *lines;
	HASH_TABLE(struct place_costs) places;
	HASH_TABLE(struct call_edge) edges;
	struct call_sums *inclusive; /* by node */
	struct numbering files;
	uint32_t *file_of; /* by function: number of the file of its first executed line */
	bool *file_defined, *function_defined, *module_defined; /* their names were written */
};

/* ---- costs by place ---------------------------------------------------------------------- */

static uint32_t function_of(const struct call_functions *f, const struct tf_block *block,
			    unsigned insn)
{
	uint32_t piece = f->first_piece[block->id];

	while (f->pieces.at[piece].end <= insn)
		piece++;
	return f->pieces.at[piece].function;
}

static uint64_t offset_of(const struct tf_block *block, unsigned insn)
{
	return (block->module == TF_NONE ? block->pc : block->module_offset) +
	       block->insns[insn].offset;
}

static void add_place(void *opaque, uint32_t node, const struct tf_block *block, unsigned insn,
		      const uint64_t *costs)
{
	struct callgrind *c = opaque;
	uint32_t function = function_of(&c->profile->functions, block, insn);
	struct place_costs *place = checked(
		TABLE_PUT(c->places, { function, offset_of(block, insn) }));

	(void)node;
	for (unsigned i = 0; i < N_CALL_COSTS; i++)
		place->sums.costs[i] += costs[i];
}

static int compare_places(const void *a, const void *b)
{
	const struct place_costs *x = a, *y = b;

	if (x->key.function != y->key.function)
		return x->key.function < y->key.function ? -1 : 1;
	return x->key.offset < y->key.offset ? -1 : x->key.offset > y->key.offset;
}

/* ---- calls ------------------------------------------------------------------------------- */

static void add_inclusive(struct callgrind *c)
{
	const struct call_tree *tree = &c->profile->tree;
	const struct call_costs *costs = &c->profile->costs;

	c->inclusive = checked_array(tree->nodes.count, sizeof(*c->inclusive));
	for (size_t i = tree->nodes.count; i-- > 1;)
		for (unsigned k = 0; k < N_CALL_COSTS; k++) {
			if (i < costs->nodes.count)
				c->inclusive[i].costs[k] += costs->nodes.at[i].costs[k];
			c->inclusive[tree->nodes.at[i].key.parent].costs[k] +=
				c->inclusive[i].costs[k];
		}
}

/* Returns the edge that leads to a node, or NULL if the node has no caller. */
static struct call_edge *edge_to(struct callgrind *c, uint32_t node)
{
	const struct call_node_key *key = &c->profile->tree.nodes.at[node].key;

	if (key->parent == CALL_ROOT)
		return NULL;
	return checked(TABLE_PUT(c->edges, { c->profile->tree.nodes.at[key->parent].key.function,
					     key->site, key->function }));
}

static void enter_node(void *opaque, uint32_t node)
{
	struct callgrind *c = opaque;
	struct call_edge *edge = edge_to(c, node);

	if (!edge)
		return;
	edge->calls += c->profile->tree.nodes.at[node].calls;
	for (unsigned i = 0; !edge->live && i < N_CALL_COSTS; i++)
		edge->inclusive[i] += c->inclusive[node].costs[i];
	edge->live++;
}

static void leave_node(void *opaque, uint32_t node)
{
	struct call_edge *edge = edge_to(opaque, node);

	if (edge)
		edge->live--;
}

static int compare_edges(const void *a, const void *b)
{
	const struct call_edge *x = a, *y = b;

	if (x->key.caller != y->key.caller)
		return x->key.caller < y->key.caller ? -1 : 1;
	if (x->key.site != y->key.site)
		return x->key.site < y->key.site ? -1 : 1;
	return x->key.callee < y->key.callee ? -1 : x->key.callee > y->key.callee;
}

/* ---- names ------------------------------------------------------------------------------- */

static uint32_t module_of(const struct callgrind *c, uint64_t function)
{
	return (uint32_t)c->profile->functions.functions.at[function].key.module;
}

/* Finds the line of a place, and the number of its file; 0 and NO_FILE if it is not known. */
static unsigned line_of(struct callgrind *c, uint32_t module, uint64_t offset, uint32_t *file)
{
	struct source_line line;

	*file = NO_FILE;
	if (module == TF_NONE || !lines_find(c->lines, module, offset, &line))
		return 0;
	char *path = call_source_file(&line);

	*file = numbering_add_text(&c->files, path);
	free(path);
	return line.line;
}

/* Writes at most `most` bytes of a text, with "?" for control characters. */
static void put_text(FILE *out, const char *text, size_t most)
{
	for (; *text && most--; text++)
		putc((unsigned char)*text < ' ' || *text == 127 ? '?' : *text, out);
}

/* Writes "KEY=(N) NAME", and the name only the first time. */
static void put_name(FILE *out, const char *key, uint32_t number, const char *name, bool *defined)
{
	fprintf(out, "%s=(%" PRIu32 ")", key, number + 1);
	if (!*defined) {
		putc(' ', out);
		put_text(out, name, SIZE_MAX);
	}
	*defined = true;
	putc('\n', out);
}

static void put_module(struct callgrind *c, const char *key, uint64_t function)
{
	const struct tf_module *module = tf_module(c->profile->reader, module_of(c, function));
	uint32_t number = module ? module->index + 1 : 0;

	put_name(c->out, key, number, module ? module->path : "???", &c->module_defined[number]);
}

static void put_file(struct callgrind *c, const char *key, uint32_t file)
{
	put_name(c->out, key, file, numbering_key(&c->files, file), &c->file_defined[file]);
}

static void put_function(struct callgrind *c, const char *key, uint64_t function)
{
	put_name(c->out, key, (uint32_t)function, call_function_name(c->paths, (uint32_t)function),
		 &c->function_defined[function]);
}

/* ---- the file ---------------------------------------------------------------------------- */

static void put_costs(const struct callgrind *c, const uint64_t *costs)
{
	fprintf(c->out, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, costs[CALL_INSTRUCTIONS],
		costs[CALL_LOADS], costs[CALL_STORES], costs[CALL_BRANCHES]);
	if (c->profile->costs.modelled)
		fprintf(c->out, " %" PRIu64, costs[CALL_MODELLED]);
	putc('\n', c->out);
}

static void put_head(struct callgrind *c)
{
	fputs("# callgrind format\nversion: 1\ncreator: tracelab\ncmd: ", c->out);
	put_text(c->out, call_command(c->paths), LONGEST_COMMAND);
	fputs("\ndesc: Dr, Dw: loads and stores; each repetition and each lane is one\n"
	      "desc: Bc: conditional branches\n"
	      "positions: instr line\nevents: Ir Dr Dw Bc",
	      c->out);
	if (c->profile->costs.modelled)
		fprintf(c->out, " %s", c->profile->costs.modelled);
	fputs("\nsummary:", c->out);
	put_costs(c, call_path_inclusive(c->paths, 0).costs);
}

static uint64_t entry_of(const struct callgrind *c, uint32_t function)
{
	const struct tf_symbol *symbol = c->profile->functions.functions.at[function].key.symbol;

	return symbol ? symbol->value : 0;
}

static void put_edge(struct callgrind *c, const struct call_edge *edge)
{
	const struct tf_block *site = tf_block(c->profile->reader, edge->key.site);
	uint64_t offset = site ? offset_of(site, site->n_insns - 1u) : 0;
	uint32_t file;

	put_module(c, "cob", edge->key.callee);
	put_file(c, "cfl", c->file_of[edge->key.callee]);
	put_function(c, "cfn", edge->key.callee);
	fprintf(c->out, "calls=%" PRIu64 " 0x%" PRIx64 " %u\n", edge->calls,
		entry_of(c, edge->key.callee),
		line_of(c, module_of(c, edge->key.callee), entry_of(c, edge->key.callee), &file));
	fprintf(c->out, "0x%" PRIx64 " %u", offset,
		site ? line_of(c, site->module, offset, &file) : 0);
	put_costs(c, edge->inclusive);
}

/* Writes a function's own costs and its calls, from the first ones of the sorted lists. */
static void put_one_function(struct callgrind *c, uint32_t function, size_t *place, size_t *edge)
{
	uint32_t present = c->file_of[function], file;

	putc('\n', c->out);
	put_module(c, "ob", function);
	put_file(c, "fl", present);
	put_function(c, "fn", function);
	for (; *place < c->places.count && c->places.at[*place].key.function == function;
	     ++*place) {
		const struct place_costs *p = &c->places.at[*place];
		unsigned line = line_of(c, module_of(c, function), p->key.offset, &file);

		if (file != present)
			put_file(c, file == c->file_of[function] ? "fe" : "fi", file);
		present = file;
		fprintf(c->out, "0x%" PRIx64 " %u", p->key.offset, line);
		put_costs(c, p->sums.costs);
	}
	if (present != c->file_of[function])
		put_file(c, "fe", c->file_of[function]);
	for (; *edge < c->edges.count && c->edges.at[*edge].key.caller == function; ++*edge)
		put_edge(c, &c->edges.at[*edge]);
}

/* Numbers the files of all lines, and finds the file of each function. */
static void find_files(struct callgrind *c, size_t n_functions)
{
	uint32_t file;

	numbering_add_text(&c->files, "???");
	c->file_of = checked_array(n_functions, sizeof(*c->file_of));
	for (size_t i = 0; i < c->places.count; i++) {
		const struct place_costs *place = &c->places.at[i];

		line_of(c, module_of(c, place->key.function), place->key.offset, &file);
		if (c->file_of[place->key.function] == NO_FILE)
			c->file_of[place->key.function] = file;
	}
	for (size_t i = 0; i < c->edges.count; i++) {
		const struct tf_block *site = tf_block(c->profile->reader, c->edges.at[i].key.site);
		uint32_t callee = c->edges.at[i].key.callee;

		line_of(c, module_of(c, callee), entry_of(c, callee), &file);
		if (site)
			line_of(c, site->module, offset_of(site, site->n_insns - 1u), &file);
	}
	c->file_defined = checked_array(c->files.count, sizeof(*c->file_defined));
}

void call_write_callgrind(FILE *out, const struct call_paths *paths)
{
	size_t n_functions = paths->profile->functions.functions.count, place = 0, edge = 0;
	struct callgrind c = {
		.out = out,
		.paths = paths,
		.profile = paths->profile,
		.lines = lines_open(paths->profile->reader),
		.function_defined = checked_array(n_functions, sizeof(bool)),
		.module_defined = checked_array(tf_n_modules(paths->profile->reader) + 1ul,
						sizeof(bool)),
	};

	call_costs_visit(&c.profile->costs, c.profile->reader, add_place, &c);
	add_inclusive(&c);
	call_tree_walk(&c.profile->tree, enter_node, leave_node, &c);
	if (c.places.count)
		qsort(c.places.at, c.places.count, sizeof(*c.places.at), compare_places);
	if (c.edges.count)
		qsort(c.edges.at, c.edges.count, sizeof(*c.edges.at), compare_edges);
	find_files(&c, n_functions);
	put_head(&c);
	for (uint32_t function = 0; function < n_functions; function++)
		if ((place < c.places.count && c.places.at[place].key.function == function) ||
		    (edge < c.edges.count && c.edges.at[edge].key.caller == function))
			put_one_function(&c, function, &place, &edge);
	TABLE_FREE(c.places);
	TABLE_FREE(c.edges);
	free(c.inclusive);
	numbering_free(&c.files);
	free(c.file_of);
	free(c.file_defined);
	free(c.function_defined);
	free(c.module_defined);
	lines_close(c.lines);
}
