/* SPDX-License-Identifier: MIT */
#include "analyzers/calls/code.h"

#include <stdio.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/code_hash.h"
#include "cli/common/trace_meta.h"

struct code_insn {
	uint32_t function;
	uint32_t mnemonic;
	uint64_t offset; /* in the module; an address without one */
	uint64_t bytes;
};

/* The instructions of all functions, by function and offset. */
struct code {
	ARRAY(struct code_insn) insns;
	size_t *first; /* by function; and the total */
};

static int compare_insns(const void *a, const void *b)
{
	const struct code_insn *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

static void add_insn(struct code *code, uint32_t function, const struct tf_block *block,
		     unsigned insn, enum isa_vendor vendor)
{
	struct insn_hashes hashes = insn_hashes_of(block, insn, vendor);
	uint64_t start = block->module == TF_NONE ? block->pc : block->module_offset;

	if (hashes.is_padding)
		return;
	CHECKED_RESERVE(code->insns, code->insns.count + 1);
	code->insns.at[code->insns.count++] = (struct code_insn){ function, hashes.mnemonic,
								  start + block->insns[insn].offset,
								  hashes.bytes };
}

/* Removes all but one of the instructions at an address. */
static void remove_copies(struct code *code)
{
	size_t kept = 0;

	for (size_t i = 0; i < code->insns.count; i++) {
		const struct code_insn *insn = &code->insns.at[i];

		if (!kept || code->insns.at[kept - 1].function != insn->function ||
		    code->insns.at[kept - 1].offset != insn->offset)
			code->insns.at[kept++] = *insn;
	}
	code->insns.count = kept;
}

static void read_code(struct code *code, const struct call_profile *profile)
{
	const struct call_functions *f = &profile->functions;
	enum isa_vendor vendor = recorded_vendor(profile->reader);
	size_t n = f->functions.count;

	for (uint32_t id = 0; id < tf_n_blocks(profile->reader); id++)
		for (uint32_t p = f->first_piece[id]; p < f->first_piece[id + 1]; p++)
			for (unsigned i = f->pieces.at[p].first; i < f->pieces.at[p].end; i++)
				add_insn(code, f->pieces.at[p].function,
					 tf_block(profile->reader, id), i, vendor);
	if (code->insns.count)
		qsort(code->insns.at, code->insns.count, sizeof(*code->insns.at), compare_insns);
	remove_copies(code);
	code->first = checked_array(n + 1, sizeof(*code->first));
	for (size_t i = 0; i < code->insns.count; i++)
		code->first[code->insns.at[i].function + 1]++;
	for (size_t i = 0; i < n; i++)
		code->first[i + 1] += code->first[i];
}

/* ---- sketches ---------------------------------------------------------------------------- */

static int compare_hashes(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Replaces repeated hashes by hashes of their value and of how often it came before; sorts. */
static void tell_apart(uint32_t *hashes, size_t count)
{
	uint32_t last = 0, times = 0;

	qsort(hashes, count, sizeof(*hashes), compare_hashes);
	for (size_t i = 0; i < count; i++) {
		times = i && hashes[i] == last ? times + 1 : 0;
		last = hashes[i];
		if (times)
			hashes[i] = (uint32_t)code_hash_add(last, times);
	}
	qsort(hashes, count, sizeof(*hashes), compare_hashes);
}

/* Returns the sketch of a function as text. Free it. */
static char *sketch_of(const struct code_insn *insns, size_t count)
{
	size_t n = count < CALL_SHINGLE ? 0 : count - CALL_SHINGLE + 1;
	uint32_t *hashes = checked_array(n, sizeof(*hashes));
	size_t shown = n < CALL_SKETCH ? n : CALL_SKETCH;
	char *text = checked_array(8 * shown + 1, 1);

	for (size_t i = 0; i < n; i++) {
		uint64_t hash = 0;

		for (size_t j = 0; j < CALL_SHINGLE; j++)
			hash = code_hash_add(hash, insns[i + j].mnemonic);
		hashes[i] = (uint32_t)hash;
	}
	if (n)
		tell_apart(hashes, n);
	for (size_t i = 0; i < shown; i++)
		sprintf(text + 8 * i, "%08x", hashes[i]);
	free(hashes);
	return text;
}

/* ------------------------------------------------------------------------------------------ */

static void report_function(const struct call_paths *paths, const struct code *code,
			    uint32_t function, struct report *report)
{
	const struct tf_symbol *symbol =
		paths->profile->functions.functions.at[function].key.symbol;
	const struct code_insn *insns = code->insns.at + code->first[function];
	size_t count = code->first[function + 1] - code->first[function];
	char *sketch = sketch_of(insns, count);
	uint64_t hash = 0;

	for (size_t i = 0; i < count; i++)
		hash = code_hash_add(hash, insns[i].bytes);
	report_row(report, call_function_name(paths, function),
		   call_function_module(paths, function), symbol ? symbol->name : NULL, hash, count,
		   sketch);
	free(sketch);
}

void call_code_report(const struct call_paths *paths, const uint32_t *functions, size_t count,
		      struct report *report)
{
	static const struct report_column columns[] = {
		{ "function", REPORT_STRING, "" },
		{ "module", REPORT_STRING, "" },
		{ "symbol", REPORT_STRING, "" },
		{ "code", REPORT_HEX, "" },
		{ "code_insns", REPORT_U64, "" },
		{ "sketch", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};
	struct code code = { 0 };

	read_code(&code, paths->profile);
	report_data_table(report, "code", columns);
	for (size_t i = 0; i < count; i++)
		report_function(paths, &code, functions[i], report);
	free(code.insns.at);
	free(code.first);
}
