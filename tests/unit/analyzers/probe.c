/* SPDX-License-Identifier: MIT */
#include "tests/unit/analyzers/probe.h"

/* hash is a polynomial in the pcs of the instructions, so that parts can be merged. */
struct probe {
	uint64_t instructions, hash, power, first_address, last_address, events, switches;
	uint32_t last_thread;
};

enum { FACTOR = 1000003 };

static void see(struct probe *p, uint32_t thread, uint64_t pc)
{
	p->switches += p->instructions && thread != p->last_thread;
	p->last_thread = thread;
	p->instructions++;
	p->hash = p->hash * FACTOR + pc;
	p->power *= FACTOR;
}

static int probe_start(void *self, const struct analysis *run)
{
	((struct probe *)self)->power = 1;
	(void)run;
	return 0;
}

int probe_blocks(void *self, const struct tf_item *item)
{
	struct probe *p = self;

	for (size_t i = 0; i < item->count; i++) {
		const struct tf_block_exec *exec = &item->blocks[i];

		for (unsigned k = 0; k < exec->executed; k++)
			see(p, item->thread, exec->block->pc + exec->block->insns[k].offset);
		if (exec->values && exec->block->n_operands)
			p->last_address = exec->values[0];
		if (!p->first_address)
			p->first_address = p->last_address;
	}
	return 0;
}

static int probe_insns(void *self, const struct tf_item *item)
{
	for (size_t i = 0; i < item->count; i++)
		see(self, item->thread, item->insns[i].pc);
	return 0;
}

static int probe_event(void *self, const struct tf_event *event)
{
	(void)event;
	((struct probe *)self)->events++;
	return 0;
}

static int probe_merge(void *self, const void *other)
{
	struct probe *p = self;
	const struct probe *later = other;

	p->hash = p->hash * later->power + later->hash;
	p->power *= later->power;
	p->instructions += later->instructions;
	if (later->instructions)
		p->last_address = later->last_address;
	return 0;
}

int probe_report(void *self, const struct analysis *run, struct report *report)
{
	const struct probe *p = self;

	(void)run;
	report_u64(report, "instructions", "", p->instructions);
	report_u64(report, "hash", "", p->hash >> 1);
	report_u64(report, "first_address", "", p->first_address);
	report_u64(report, "last_address", "", p->last_address);
	report_u64(report, "events", "", p->events);
	report_u64(report, "switches", "", p->switches);
	return 0;
}

const struct report_column probe_columns[] = {
	ANALYZER_SPAN_COLUMNS,
	{ "sum", REPORT_U64, "" },
	{ NULL, 0, NULL },
};

int probe_row(void *self, const struct analysis *run, const struct analyzer_span *span,
	      struct report *report)
{
	(void)run;
	report_row(report, ANALYZER_SPAN(span), ((struct probe *)self)->instructions);
	return 0;
}

/* clang-format off */
const struct analyzer probe_ordered = {
	.name = "trace-ordered", .summary = "show blocks", .state_size = sizeof(struct probe),
	.columns = TF_ADDRESSES,
	.start = probe_start, .blocks = probe_blocks, .report = probe_report, .row = probe_row,
	.row_columns = probe_columns,
};
/* clang-format on */

/* clang-format off */
const struct analyzer probe_stepping = {
	.name = "trace-stepping", .summary = "show instructions",
	.state_size = sizeof(struct probe),
	.start = probe_start, .insns = probe_insns, .event = probe_event, .report = probe_report,
	.row = probe_row, .row_columns = probe_columns,
};
/* clang-format on */

/* clang-format off */
const struct analyzer probe_unordered = {
	.name = "trace-unordered", .summary = "show blocks", .state_size = sizeof(struct probe),
	.columns = TF_ADDRESSES, .unordered = true,
	.start = probe_start, .blocks = probe_blocks, .report = probe_report, .row = probe_row,
	.row_columns = probe_columns, .merge = probe_merge,
};
/* clang-format on */
