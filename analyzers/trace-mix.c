/* SPDX-License-Identifier: MIT */
/*
 * trace-mix - counts instructions by kind, their accesses, and their branches.
 *
 * Everything is exact and counted in retired instructions; a rep string instruction is one. An
 * access is one element of a rep, one active lane of a gather or a masked move, else one memory
 * operand; an operand that reads and writes (add %eax, (%rbx)) is a load, a store and a
 * load-store. Not counted: instruction fetches, and accesses of opaque instructions.
 *
 * Recorded basic block vectors have the same totals, but for the accesses of operands whose extent
 * depends on registers.
 *
 * Cost: one count a path execution (over 1 G instructions/s), or, if a part of a trace or intervals
 * are counted, one a block execution, with all addresses read if the trace has operands whose
 * extent depends on registers. Memory: a few words a static instruction.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "analyzers/common/analyzer.h"
#include "analyzers/common/extents.h"
#include "analyzers/mix/mix.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/trace_meta.h"

enum by { BY_CLASS, BY_MNEMONIC, BY_SYMBOL, BY_LINE, BY_MODULE, BY_THREAD, BY_PROCESS, BY_TOTAL };

struct options {
	unsigned by;      /* enum by */
	unsigned mangled; /* C++ names are shown as they are in the trace */
	uint64_t top;
};

static const struct options defaults = { .by = BY_CLASS, .top = 20 };

static const struct command_option options[] = {
	{ "by", 'b', "class|mnemonic|symbol|line|module|thread|process|total",
	  "the rows of the table (default class)", analyzer_option_choice,
	  offsetof(struct options, by) },
	{ "top", 't', "N", "print at most N rows (default 20)", analyzer_option_count,
	  offsetof(struct options, top) },
	{ "demangle", 0, "yes|no", "demangle C++ names (default yes)", analyzer_option_choice,
	  offsetof(struct options, mangled) },
	{ NULL, 0, NULL, NULL, NULL, 0 },
};

/* Returns whether the trace withholds not only code but also what the instructions are called. */
static bool lacks_mnemonics(const struct tf_reader *reader)
{
	for (uint32_t id = 0; id < tf_n_blocks(reader); id++) {
		const struct tf_block *block = tf_block(reader, id);

		for (unsigned i = 0; block && block->kinds && i < block->n_insns; i++)
			if (!*block->kinds[i]->mnemonic)
				return true;
	}
	return false;
}

static int prepare(struct analysis *run)
{
	const struct options *o = run->options;
	struct mix_code *code;

	if (o->by == BY_MNEMONIC && lacks_mnemonics(run->reader)) {
		analyzer_error("%s withholds code and mnemonics, which --by=mnemonic needs; use "
			       "--by=class",
			       run->path);
		return EXIT_UNSUITABLE;
	}
	code = checked_array(1, sizeof(*code));

	run->shared = code;
	if (!mix_code_init(code, run->reader))
		out_of_memory();
	code->measured = code->variable && !analyzer_has_vectors(run) &&
			 extents_known(run->reader, false);
	if (code->measured)
		run->columns |= TF_EXTENTS;
	run->accesses = run->sums_repetitions = true;
	run->each_thread |= o->by == BY_THREAD;
	run->each_process |= o->by == BY_PROCESS;
	return 0;
}

static void finish(struct analysis *run)
{
	if (run->shared)
		mix_code_free(run->shared);
	free(run->shared);
}

struct state {
	struct mix now, all; /* all: what was cleared; unused unless keeps_all */
	bool keeps_all;
};

static int start(void *self, const struct analysis *run)
{
	struct state *state = self;

	state->keeps_all = run->keeps_all;
	if (!mix_init(&state->now, run->shared) ||
	    (state->keeps_all && !mix_init(&state->all, run->shared)))
		out_of_memory();
	return 0;
}

static void stop(void *self)
{
	struct state *state = self;

	mix_free(&state->now);
	mix_free(&state->all);
}

static void clear(void *self)
{
	struct state *state = self;

	if (state->keeps_all)
		mix_merge(&state->all, &state->now);
	mix_clear(&state->now);
}

static int merge(void *self, const void *later)
{
	struct state *state = self;
	const struct state *other = later;

	mix_merge(&state->now, &other->now);
	return 0;
}

static int save(void *self, struct state_writer *writer)
{
	struct state *state = self;
	struct mix_numbers n = mix_numbers(&state->now);

	for (unsigned i = 0; i < MIX_ARRAYS; i++)
		analyzer_put_all(writer, n.arrays[i].at, n.arrays[i].count);
	return 0;
}

static int load(void *self, struct state_reader *reader)
{
	struct state *state = self;
	struct mix_numbers n = mix_numbers(&state->now);

	for (unsigned i = 0; i < MIX_ARRAYS; i++)
		analyzer_take_all(reader, n.arrays[i].at, n.arrays[i].count);
	return 0;
}

static int paths(void *self, const struct tf_item *item)
{
	struct state *state = self;

	mix_paths(&state->now, item);
	return 0;
}

static int blocks(void *self, const struct tf_item *item)
{
	struct state *state = self;

	mix_blocks(&state->now, item->blocks, item->count);
	return 0;
}

static int vector(void *self, const struct tf_vector *vector)
{
	struct state *state = self;

	mix_vector(&state->now, vector);
	return 0;
}

/* All tables are made of the same state; rows of threads and processes need states of their own. */
static bool also(const struct analysis *run, void *all, const void *more)
{
	const struct options *first = all, *other = more;

	(void)run;
	return first->by != BY_THREAD && first->by != BY_PROCESS && other->by != BY_THREAD &&
	       other->by != BY_PROCESS;
}

/* ---- tables by place --------------------------------------------------------------------- */

enum { INSTRUCTIONS, LOADS, STORES, BYTES_LOADED, BYTES_STORED, TAKEN, NOT_TAKEN, N_PLACE_COUNTS };

/* The counts of an instruction on their way to a row of a table, which has only some of them. */
struct places {
	struct analyzer_table *table;
	enum by by;
	enum isa_vendor vendor;
	uint64_t *row;            /* row of the previous instruction, or NULL */
	struct mix_counts counts; /* counts of that instruction */
};

static void add_to_row(struct places *p)
{
	const struct mix_counts *c = &p->counts;
	uint64_t *row = p->row;

	if (!row)
		return;
	row[INSTRUCTIONS] += c->instructions;
	row[LOADS] += c->loads;
	row[STORES] += c->stores;
	row[BYTES_LOADED] += c->bytes_loaded;
	row[BYTES_STORED] += c->bytes_stored;
	row[TAKEN] += c->taken;
	row[NOT_TAKEN] += c->not_taken;
}

static uint64_t *row_of_mnemonic(struct places *p, const struct tf_block *block,
				 const struct tf_insn *insn)
{
	char mnemonic[32];

	isa_block_mnemonic(block, (unsigned)(insn - block->insns), p->vendor, mnemonic,
			   sizeof(mnemonic));
	return analyzer_table_named(p->table, mnemonic);
}

static struct mix_counts *counts_at(void *opaque, const struct tf_block *block,
				    const struct tf_insn *insn)
{
	struct places *p = opaque;

	add_to_row(p);
	p->row = p->by == BY_MNEMONIC
			 ? row_of_mnemonic(p, block, insn)
			 : analyzer_table_at(p->table, 0, block, (unsigned)(insn - block->insns));
	p->counts = (struct mix_counts){ 0 };
	return &p->counts;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void report_place(const struct analyzer_row *row, uint64_t instructions,
			 struct report *report)
{
	const uint64_t *c = row->counts;
	struct report_cell cells[N_PLACE_COUNTS + 3] = {
		report_integer_cell(c[INSTRUCTIONS]),
		report_real_cell(percent(c[INSTRUCTIONS], instructions)),
	};
	unsigned n = 2;

	for (unsigned i = LOADS; i < N_PLACE_COUNTS; i++)
		cells[n++] = report_integer_cell(c[i]);
	if (row->module)
		cells[n++] = report_text_cell(row->module);
	if (row->name)
		cells[n++] = report_text_cell(row->name);
	report_row_of_cells(report, cells);
}

#define COUNT_COLUMNS                                                                   \
	{ "instructions", REPORT_U64, "" }, { "share_percent", REPORT_F64, "" },        \
		{ "loads", REPORT_U64, "" }, { "stores", REPORT_U64, "" },              \
		{ "bytes_loaded", REPORT_U64, "" }, { "bytes_stored", REPORT_U64, "" }, \
		{ "branches_taken", REPORT_U64, "" },                                   \
	{                                                                               \
		"branches_not_taken", REPORT_U64, ""                                    \
	}
/* clang-format off */
#define PLACE_COLUMNS COUNT_COLUMNS, { "module", REPORT_STRING, "" }
/* clang-format on */

static void begin_table(enum by by, struct report *report)
{
	static const struct report_column mnemonics[] = {
		COUNT_COLUMNS,
		{ "mnemonic", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};
	static const struct report_column symbols[] = {
		PLACE_COLUMNS,
		{ "symbol", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};
	static const struct report_column lines[] = {
		PLACE_COLUMNS,
		{ "line", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};
	static const struct report_column modules[] = { PLACE_COLUMNS, { NULL, 0, NULL } };

	if (by == BY_MNEMONIC)
		report_table(report, "mnemonics", mnemonics);
	else if (by == BY_SYMBOL)
		report_table(report, "symbols", symbols);
	else if (by == BY_LINE)
		report_table(report, "lines", lines);
	else
		report_table(report, "modules", modules);
}

static enum analyzer_by rows_by(const struct options *o)
{
	switch (o->by) {
	case BY_MNEMONIC: return ANALYZER_BY_NAME;
	case BY_SYMBOL: return o->mangled ? ANALYZER_BY_SYMBOL : ANALYZER_BY_FUNCTION;
	case BY_LINE: return ANALYZER_BY_LINE;
	default: return ANALYZER_BY_MODULE;
	}
}

static void report_places(const struct mix *mix, const struct options *o, struct tf_reader *reader,
			  uint64_t instructions, struct report *report)
{
	struct places places = {
		.table = analyzer_table_new(reader, rows_by(o), N_PLACE_COUNTS),
		.by = o->by,
		.vendor = recorded_vendor(reader),
	};
	size_t count;

	if (!mix_sum(mix, counts_at, &places))
		out_of_memory();
	add_to_row(&places);
	const struct analyzer_row *rows = analyzer_table_rows(places.table, INSTRUCTIONS, &count);

	begin_table(o->by, report);
	for (size_t i = 0; i < count && i < o->top; i++)
		report_place(&rows[i], instructions, report);
	analyzer_table_free(places.table);
}

/* ---- results ----------------------------------------------------------------------------- */

static struct mix_counts *total_counts(void *opaque, const struct tf_block *block,
				       const struct tf_insn *insn)
{
	(void)block;
	(void)insn;
	return opaque;
}

static struct mix_counts total_of(const struct mix *mix)
{
	struct mix_counts total = { 0 };

	if (!mix_sum(mix, total_counts, &total))
		out_of_memory();
	return total;
}

static void report_totals(const struct mix_counts *c, bool repetitions_known, struct report *r)
{
	report_u64(r, "instructions", "", c->instructions);
	report_u64(r, "loads", "accesses", c->loads);
	report_u64(r, "stores", "accesses", c->stores);
	report_u64(r, "load_stores", "accesses", c->load_stores);
	report_u64(r, "prefetches", "accesses", c->prefetches);
	report_u64(r, "bytes_loaded", "bytes", c->bytes_loaded);
	report_u64(r, "bytes_stored", "bytes", c->bytes_stored);
	report_u64(r, "branches_taken", "", c->taken);
	report_u64(r, "branches_not_taken", "", c->not_taken);
	report_u64(r, "jumps", "", c->jumps);
	report_u64(r, "calls", "", c->calls);
	report_u64(r, "indirect_jumps_and_calls", "", c->indirect);
	report_u64(r, "returns", "", c->returns);
	report_u64(r, "syscalls", "", c->syscalls);
	if (repetitions_known)
		report_u64(r, "string_repetitions", "", c->repetitions);
	if (c->opaque)
		report_u64(r, "opaque", "instructions", c->opaque);
	if (c->unmeasured)
		report_u64(r, "unmeasured_operands", "executions", c->unmeasured);
}

struct class_count {
	unsigned class;
	uint64_t count;
};

static int compare_classes(const void *a, const void *b)
{
	const struct class_count *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->class < y->class ? -1 : x->class > y->class;
}

static void report_classes(const struct mix_counts *counts, struct report *report)
{
	static const struct report_column columns[] = {
		{ "class", REPORT_STRING, "" },
		{ "instructions", REPORT_U64, "" },
		{ "share_percent", REPORT_F64, "" },
		{ NULL, 0, NULL },
	};
	struct class_count classes[ISA_N_CLASSES];

	for (unsigned i = 0; i < ISA_N_CLASSES; i++)
		classes[i] = (struct class_count){ i, counts->classes[i] };
	qsort(classes, ISA_N_CLASSES, sizeof(*classes), compare_classes);
	report_table(report, "classes", columns);
	for (unsigned i = 0; i < ISA_N_CLASSES && classes[i].count; i++)
		report_row(report, isa_class_name(classes[i].class), classes[i].count,
			   percent(classes[i].count, counts->instructions));
}

static int report(void *self, const struct analysis *run, struct report *r)
{
	const struct options *o = run->options;
	struct state *state = self;

	if (state->keeps_all)
		clear(state);

	const struct mix *mix = state->keeps_all ? &state->all : &state->now;
	struct mix_counts total = total_of(mix);
	bool incomplete = total.unmeasured && analyzer_has_vectors(run);

	if (incomplete)
		analyzer_warning("%s has only basic block vectors, so the accesses of %" PRIu64
				 " executions of string, masked and other operands whose extent "
				 "depends on registers are not counted; trace-record without "
				 "--vectors records them",
				 run->path, total.unmeasured);
	if (o->by == BY_TOTAL || !run->one_table)
		report_totals(&total, !incomplete, r);
	if (o->by == BY_CLASS)
		report_classes(&total, r);
	else if (o->by != BY_TOTAL)
		report_places(mix, o, run->reader, total.instructions, r);
	return 0;
}

/* clang-format off */
static const struct report_column row_columns[] = {
	ANALYZER_SPAN_COLUMNS,
	{ "loads", REPORT_U64, "" }, { "stores", REPORT_U64, "" },
	{ "load_stores", REPORT_U64, "" }, { "prefetches", REPORT_U64, "" },
	{ "bytes_loaded", REPORT_U64, "" }, { "bytes_stored", REPORT_U64, "" },
	{ "branches_taken", REPORT_U64, "" }, { "branches_not_taken", REPORT_U64, "" },
	{ "jumps", REPORT_U64, "" }, { "calls", REPORT_U64, "" },
	{ "indirect_jumps_and_calls", REPORT_U64, "" }, { "returns", REPORT_U64, "" },
	{ "syscalls", REPORT_U64, "" }, { "string_repetitions", REPORT_U64, "" },
	{ "opaque", REPORT_U64, "" }, { "unmeasured_operands", REPORT_U64, "" },
	{ NULL, 0, NULL },
};
/* clang-format on */

static int row(void *self, const struct analysis *run, const struct analyzer_span *span,
	       struct report *r)
{
	const struct state *state = self;
	struct mix_counts c = total_of(&state->now);

	(void)run;
	report_row(r, ANALYZER_SPAN(span), c.loads, c.stores, c.load_stores, c.prefetches,
		   c.bytes_loaded, c.bytes_stored, c.taken, c.not_taken, c.jumps, c.calls,
		   c.indirect, c.returns, c.syscalls, c.repetitions, c.opaque, c.unmeasured);
	return 0;
}

static const struct analyzer mix = {
	.name = "trace-mix",
	.summary = "count instructions by class, loads and stores, bytes, and branches",
	.example = "trace-mix --by=symbol --top=10 ls.trace",
	.unordered = true,
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof(struct options),
	.state_size = sizeof(struct state),
	.prepare = prepare,
	.finish = finish,
	.start = start,
	.stop = stop,
	.paths = paths,
	.blocks = blocks,
	.vector = vector,
	.merge = merge,
	.save = save,
	.load = load,
	.state_version = 1,
	.report = report,
	.row = row,
	.row_columns = row_columns,
	.also = also,
	.clear = clear,
};
ANALYZER_MAIN(mix)
