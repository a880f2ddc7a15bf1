/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/places.h"

#include <inttypes.h>
#include <string.h>

#include "cli/common/base_name.h"
#include "cli/common/checked.h"

/* Returns "main+0x1c", "libc.so.6+0x1234", or "0x7f0012". */
static char *address_text(const struct slo_places *places, uint32_t module, uint64_t offset)
{
	const struct tf_reader *reader = places->code->graph.reader;
	const struct tf_module *file = module == TF_NONE ? NULL : tf_module(reader, module);
	const struct tf_symbol *symbol = file ? tf_symbol(reader, module, offset) : NULL;

	if (symbol)
		return text_format("%s+%#" PRIx64, symbol_name(places->names, symbol),
				   offset - symbol->value);
	if (file)
		return text_format("%s+%#" PRIx64, base_name(file->path), offset);
	return text_format("%#" PRIx64, offset);
}

char *slo_place_text(const struct slo_places *places, uint32_t module, uint64_t offset)
{
	struct source_line line;

	if (module != TF_NONE && lines_find(places->lines, module, offset, &line))
		return text_format("%s:%u", base_name(line.file), line.line);
	return address_text(places, module, offset);
}

/* Returns "sum" or "libc.so.6+0x1234". */
static char *function_text(const struct slo_places *places, uint32_t function)
{
	const struct slo_function *f = &places->code->functions.functions[function];
	const struct slo_node *entry = &places->code->graph.nodes[f->entry];

	if (f->symbol)
		return checked_copy(symbol_name(places->names, f->symbol));
	return address_text(places, entry->module, entry->offset);
}

static char *node_end_text(const struct slo_places *places, uint32_t node)
{
	const struct slo_node *n = &places->code->graph.nodes[node];

	return slo_place_text(places, n->module, n->last);
}

/* ---- instructions ------------------------------------------------------------------------ */

/* Returns the block that has an instruction. */
static const struct tf_block *block_of(const struct slo_places *places, uint32_t insn)
{
	const struct tf_reader *reader = places->code->graph.reader;
	uint32_t low = 0, high = tf_n_blocks(reader) - 1;

	while (low < high) {
		uint32_t middle = low + (high - low + 1) / 2;

		if (places->first_insn[middle] <= insn)
			low = middle;
		else
			high = middle - 1;
	}
	return tf_block(reader, low);
}

static uint64_t offset_of(const struct slo_places *places, uint32_t insn,
			  const struct tf_block *block)
{
	uint64_t base = block->module == TF_NONE ? block->pc : block->module_offset;

	return base + block->insns[insn - places->first_insn[block->id]].offset;
}

char *slo_insn_text(const struct slo_places *places, uint32_t insn)
{
	const struct tf_block *block = block_of(places, insn);

	return slo_place_text(places, block->module, offset_of(places, insn, block));
}

bool slo_insn_line(const struct slo_places *places, uint32_t insn, struct source_line *line)
{
	const struct tf_block *block = block_of(places, insn);

	return block->module != TF_NONE &&
	       lines_find(places->lines, block->module, offset_of(places, insn, block), line);
}

/* ---- loops ------------------------------------------------------------------------------- */

static bool in_loop(const struct slo_code *code, uint32_t node, uint32_t loop)
{
	uint32_t inner = code->loops.innermost[node];

	while (inner != LOOP_NONE && inner != loop)
		inner = code->loops.loops[inner].parent;
	return inner == loop;
}

static bool leads_to(const struct slo_code *code, uint32_t node, uint32_t successor)
{
	const struct slo_graph *g = &code->graph;

	for (uint32_t i = g->first_edge[node]; i < g->first_edge[node + 1]; i++)
		if (g->edges[i] == successor)
			return true;
	return false;
}

static bool leads_out(const struct slo_code *code, uint32_t node, uint32_t loop)
{
	const struct slo_graph *g = &code->graph;

	for (uint32_t i = g->first_edge[node]; i < g->first_edge[node + 1]; i++)
		if (!in_loop(code, g->edges[i], loop))
			return true;
	return false;
}

/*
 * Returns the node whose branch decides whether the loop goes on: one that goes back or out, else
 * the header if it leads out, else one that goes back.
 */
static uint32_t deciding_node(const struct slo_code *code, uint32_t loop)
{
	const struct slo_functions *f = &code->functions;
	uint32_t function = slo_function_of_loop(code, loop);
	uint32_t header = slo_header(code, loop), back = header;

	if (header != code->loops.loops[loop].header)
		return header;

	for (uint32_t i = f->first_node[function]; i < f->first_node[function + 1]; i++) {
		uint32_t node = f->nodes[i];

		if (!in_loop(code, node, loop) || !leads_to(code, node, header))
			continue;
		if (leads_out(code, node, loop))
			return node;
		back = node;
	}
	return leads_out(code, header, loop) ? header : back;
}

static bool loop_line(const struct slo_places *places, uint32_t loop, struct source_line *line)
{
	const struct slo_node *node = &places->code->graph.nodes[deciding_node(places->code, loop)];

	return node->module != TF_NONE && lines_find(places->lines, node->module, node->last, line);
}

static bool on_line(const struct slo_places *places, uint32_t loop, const struct source_line *line)
{
	struct source_line its;

	return loop_line(places, loop, &its) && its.line == line->line &&
	       its.column != line->column && !strcmp(its.file, line->file);
}

/* Returns true if the enclosing loop, or an inner one, begins on the same line, as in a macro. */
static bool shares_line(const struct slo_places *places, uint32_t loop,
			const struct source_line *line)
{
	const struct loop_forest *forest = &places->code->loops;
	uint32_t around = forest->loops[loop].parent;

	if (around != LOOP_NONE && on_line(places, around, line))
		return true;
	for (uint32_t i = 0; i < forest->count; i++)
		if (forest->loops[i].parent == loop && on_line(places, i, line))
			return true;
	return false;
}

/*
 * A loop is named by the branch that decides whether it goes on, with the column if an enclosing or
 * inner loop is on the same line.
 */
static char *loop_text(const struct slo_places *places, uint32_t loop)
{
	struct source_line line;

	if (!loop_line(places, loop, &line) || !line.column || !shares_line(places, loop, &line))
		return node_end_text(places, deciding_node(places->code, loop));
	return text_format("%s:%u:%u", base_name(line.file), line.line, line.column);
}

static void extend(const struct slo_places *places, struct slo_span *span, uint32_t module,
		   uint64_t offset)
{
	struct source_line line;

	if (!lines_find(places->lines, module, offset, &line) || strcmp(line.file, span->file))
		return;
	if (line.line < span->first)
		span->first = line.line;
	if (line.line > span->last)
		span->last = line.line;
}

struct slo_span slo_loop_span(const struct slo_places *places, uint32_t loop)
{
	const struct slo_code *code = places->code;
	const struct slo_functions *f = &code->functions;
	const struct slo_node *node = &code->graph.nodes[deciding_node(code, loop)];
	uint32_t function = slo_function_of_loop(code, loop);
	struct source_line line;

	if (node->module == TF_NONE || !lines_find(places->lines, node->module, node->last, &line))
		return (struct slo_span){ 0 };
	struct slo_span span = { line.file, line.line, line.line, line.line };

	for (uint32_t i = f->first_node[function]; i < f->first_node[function + 1]; i++) {
		const struct slo_node *n = &code->graph.nodes[f->nodes[i]];

		if (!in_loop(code, f->nodes[i], loop))
			continue;
		extend(places, &span, n->module, n->offset);
		extend(places, &span, n->module, n->last);
	}
	return span;
}

/* ---- parts ------------------------------------------------------------------------------- */

char *slo_overview_text(const struct slo_places *places, const struct slo_part *part)
{
	if (!part->is_loop)
		return part->what == CONTEXT_ROOT ? checked_copy("the thread")
						  : function_text(places, part->what);
	char *loop = loop_text(places, part->what);
	char *function = function_text(places, slo_function_of_loop(places->code, part->what));
	char *text = text_format("the loop at %s in %s", loop, function);

	free(loop);
	free(function);
	return text;
}

static char *call_text(const struct slo_places *places, const struct slo_part *part)
{
	char *function = function_text(places, part->what), *site, *text;

	if (part->site == SLO_NONE)
		return function;
	site = node_end_text(places, part->site);
	text = text_format("the call of %s at %s", function, site);
	free(function);
	free(site);
	return text;
}

char *slo_part_text(const struct slo_places *places, const struct slo_part *part)
{
	if (part->what == CONTEXT_NONE)
		return NULL;
	if (!part->is_loop)
		return call_text(places, part);
	char *loop = loop_text(places, part->what);
	char *text = text_format("the loop at %s", loop);

	free(loop);
	return text;
}

/* ---- the C library ----------------------------------------------------------------------- */

/*
 * "/lib/x86_64-linux-gnu/libc.so.6", ".../libc-2.31.so", ".../ld-linux-x86-64.so.2", of glibc and
 * musl
 */
static bool is_c_library(const struct tf_module *module)
{
	static const char *const names[] = { "libc.so",  "libc-2.", "libc.musl-",
					     "ld-linux", "ld-2.",   "ld-musl-" };
	const char *slash = module->path ? strrchr(module->path, '/') : NULL;

	for (size_t i = 0; slash && i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(slash + 1, names[i], strlen(names[i])))
			return true;
	return false;
}

/* Returns true if a part is in the C library. Plain code, and the thread, are in no library. */
static bool part_in_c_library(const struct slo_places *places, const struct slo_part *part)
{
	const struct slo_code *code = places->code;
	const struct tf_module *module;
	uint32_t function = part->what, index;

	if (function == CONTEXT_NONE || function == CONTEXT_ROOT)
		return false;
	if (part->is_loop)
		function = slo_function_of_loop(code, function);
	index = code->graph.nodes[code->functions.functions[function].entry].module;
	module = index == TF_NONE ? NULL : tf_module(code->graph.reader, index);
	return module && is_c_library(module);
}

bool slo_in_c_library(const struct slo_places *places, const struct slo_change *change)
{
	if (change->overview.is_loop || change->overview.what != CONTEXT_ROOT)
		return part_in_c_library(places, &change->overview);
	return part_in_c_library(places, &change->first) &&
	       part_in_c_library(places, &change->second);
}
