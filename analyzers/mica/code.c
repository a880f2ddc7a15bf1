/* SPDX-License-Identifier: MIT */
#include "analyzers/mica/code.h"

#include <stdlib.h>
#include <string.h>

#include "analyzers/mica/analysis.h"
#include "cli/common/vendor.h"

enum { PREFETCHED = 64 };	/* bytes that XED says a prefetch reads */

/* ---- numbers by pc ----------------------------------------------------------------------- */

struct pcs {
	size_t mask;
	uint32_t places, branches;
	struct pc_entry {
		uint64_t pc;
		uint32_t place, branch;	/* + 1; 0: none */
	} *entries;
};

static struct pc_entry *pc_entry(struct pcs *pcs, uint64_t pc)
{
	size_t at = pc * 0x9e3779b97f4a7c15 >> 20;

	for (;; at++) {
		struct pc_entry *entry = &pcs->entries[at & pcs->mask];

		if (!entry->place)
			*entry = (struct pc_entry){ .pc = pc, .place = ++pcs->places };
		if (entry->pc == pc)
			return entry;
	}
}

static void number(struct pcs *pcs, struct mica_insn *insn)
{
	struct pc_entry *entry = pc_entry(pcs, insn->pc);

	insn->place = entry->place - 1;
	if (!insn->facts.conditional)
		return;
	if (!entry->branch)
		entry->branch = ++pcs->branches;
	insn->branch = entry->branch - 1;
}

/* ---- static side ------------------------------------------------------------------------- */

static uint32_t size_of(const struct tf_operand *operand)
{
	if (operand->access & TF_PREFETCH)
		return PREFETCHED;
	return operand->form == TF_MASKED ? operand->size * operand->lanes : operand->size;
}

static void find_operands(struct mica_step *step, const struct tf_block *block,
			  const struct tf_insn *insn)
{
	unsigned n_reads = 0;

	step->plain = !(insn->flags & TF_INSN_REP);
	step->read[0] = step->read[1] = step->write = MICA_NO_OPERAND;
	for (int i = insn->first_operand; i < insn->first_operand + insn->n_operands; i++) {
		const struct tf_operand *operand = &block->operands[i];

		if (operand->form != TF_PLAIN && operand->form != TF_MASKED)
			step->plain = false;
		if (operand->access & (TF_LOAD | TF_PREFETCH) && n_reads < 2) {
			if (!n_reads)
				step->read_size = size_of(operand);
			step->read[n_reads++] = i;
		}
		if (operand->access & TF_STORE && step->write == MICA_NO_OPERAND) {
			step->write = i;
			step->write_size = size_of(operand);
		}
	}
	step->insn.has_read = n_reads > 0;
	step->insn.has_write = step->write != MICA_NO_OPERAND;
}

static void read_step(struct mica_step *step, const struct tf_block *block,
		      const struct tf_insn *insn, unsigned dependences, enum isa_vendor vendor)
{
	const uint8_t *code = block->code + insn->offset;

	step->insn.pc = block->pc + insn->offset;
	step->insn.length = insn->length;
	isa_facts(code, insn->length, vendor, &step->insn.facts);
	mica_add_dependences(&step->insn.facts, dependences, code, insn->length, step->insn.pc,
			     vendor);
	find_operands(step, block, insn);
}

void mica_code_init(struct mica_code *code, struct tf_reader *reader, unsigned dependences)
{
	enum isa_vendor vendor = recorded_vendor(reader);
	uint32_t n_blocks = tf_n_blocks(reader);
	struct pcs pcs = { .mask = 63 };
	size_t total = 0;

	*code = (struct mica_code){ .reader = reader };
	code->first = mica_alloc(n_blocks + 1, sizeof(*code->first));
	for (uint32_t id = 0; id < n_blocks; id++) {
		const struct tf_block *block = tf_block(reader, id);

		code->first[id] = total;
		total += block ? block->n_insns : 0;
	}
	code->first[n_blocks] = total;
	code->steps = mica_alloc(total, sizeof(*code->steps));
	while (pcs.mask < 2 * total)
		pcs.mask = 2 * pcs.mask + 1;
	pcs.entries = mica_alloc(pcs.mask + 1, sizeof(*pcs.entries));
	for (uint32_t id = 0; id < n_blocks; id++) {
		const struct tf_block *block = tf_block(reader, id);
		struct mica_step *steps = code->steps + code->first[id];

		for (size_t i = 0; block && i < block->n_insns; i++) {
			read_step(&steps[i], block, &block->insns[i], dependences, vendor);
			steps[i].insn.index = code->first[id] + i;
			number(&pcs, &steps[i].insn);
		}
	}
	free(pcs.entries);
	code->numbers = (struct mica_numbers){ total, pcs.places, pcs.branches };
}

void mica_code_free(struct mica_code *code)
{
	free(code->first);
	free(code->steps);
}

/* ---- executions -------------------------------------------------------------------------- */

static struct mica_event *next_event(struct mica_expander *x)
{
	if (x->count == sizeof(x->events) / sizeof(x->events[0])) {
		x->consume(x->opaque, x->events, x->count);
		x->count = 0;
	}
	return &x->events[x->count++];
}

/* The first access of an operand of any form. Returns false if there is none. */
static bool first_access(const struct tf_block *block, int operand, const uint64_t *values,
			 uint64_t *address, uint32_t *size)
{
	const struct tf_operand *o = &block->operands[operand];
	struct tf_accesses it;

	*address = values[operand];
	*size = size_of(o);
	if (o->form == TF_SIZED)
		*size = values[o->extra];
	if (o->form != TF_LANES)
		return true;
	tf_accesses_begin(&it, o, block, values);
	if (!tf_accesses_next(&it))
		return false;
	*address = it.address;
	return true;
}

/* One execution; `step` has a memory operand or more of odd form. */
static void fill_accesses(struct mica_event *event, const struct mica_step *step,
			  const struct tf_block *block, const uint64_t *values)
{
	uint32_t size;

	event->n_reads = event->n_writes = 0;
	if (!values)
		return;
	for (int i = 0; i < 2 && step->read[i] != MICA_NO_OPERAND; i++) {
		if (!first_access(block, step->read[i], values, &event->read[event->n_reads],
				  &size))
			continue;
		if (!event->n_reads++)
			event->read_size = size;
	}
	if (step->write != MICA_NO_OPERAND &&
	    first_access(block, step->write, values, &event->write, &event->write_size))
		event->n_writes = 1;
}

/* extras: count before, repetitions done, enum tf_rep. */
static void expand_rep(struct mica_expander *x, const struct mica_step *step,
		       const struct tf_block *block, const uint64_t *values, const uint64_t *extras)
{
	struct mica_event first = { .insn = &step->insn };
	uint64_t n = extras[1] ? extras[1] : 1;
	bool down = extras[2] & TF_REP_DOWN;

	fill_accesses(&first, step, block, values);
	for (uint64_t i = 0; i < n; i++) {
		struct mica_event *event = next_event(x);
		uint64_t reads = i * first.read_size, writes = i * first.write_size;

		*event = first;
		event->counts = i == 0 && extras[0] != 0;
		event->read[0] += down ? -reads : reads;
		event->read[1] += down ? -reads : reads;
		event->write += down ? -writes : writes;
	}
}

static void expand_other(struct mica_expander *x, const struct mica_step *step,
			 const struct tf_block *block, const struct tf_insn *insn,
			 const uint64_t *values, const uint64_t **repetitions)
{
	static const uint64_t once[3] = { 1, 1, 0 };
	const uint64_t *extras = once;

	if (insn->flags & TF_INSN_REP) {
		if (values)
			extras = values + block->operands[insn->first_operand].extra;
		else if (*repetitions)
			extras = *repetitions, *repetitions += 3;
		expand_rep(x, step, block, values, extras);
		return;
	}
	struct mica_event *event = next_event(x);

	*event = (struct mica_event){ .insn = &step->insn, .counts = true };
	fill_accesses(event, step, block, values);
}

static inline void expand_plain(struct mica_expander *x, const struct mica_step *step,
				const uint64_t *values)
{
	struct mica_event *event = next_event(x);

	event->insn = &step->insn;
	event->counts = true;
	event->taken = false;
	event->n_reads = event->n_writes = 0;
	if (!values)
		return;
	if (step->read[0] >= 0) {
		event->read[0] = values[step->read[0]];
		event->read_size = step->read_size;
		event->n_reads = 1;
		if (step->read[1] >= 0) {
			event->read[1] = values[step->read[1]];
			event->n_reads = 2;
		}
	}
	if (step->write >= 0) {
		event->write = values[step->write];
		event->write_size = step->write_size;
		event->n_writes = 1;
	}
}

/* repetitions: of its rep instructions, moved on; NULL if values has them or nothing does. */
static void expand_block(struct mica_expander *x, const struct tf_block *block, unsigned executed,
			 bool taken, const uint64_t *values, const uint64_t **repetitions)
{
	const struct mica_step *steps = x->code->steps + x->code->first[block->id];

	for (unsigned i = 0; i < executed; i++)
		if (steps[i].plain)
			expand_plain(x, &steps[i], values);
		else
			expand_other(x, &steps[i], block, &block->insns[i], values, repetitions);
	if (executed == block->n_insns)
		x->events[x->count - 1].taken = taken;
}

static void expand_path(struct mica_expander *x, const struct tf_path_exec *exec,
			const uint64_t **repetitions)
{
	uint32_t left = exec->executed;
	struct tf_exit_info exit;

	if (!tf_exit(x->code->reader, exec->exit, &exit))
		return;
	for (size_t i = 0; i < exit.path->n_blocks && left; i++) {
		const struct tf_block *block = tf_block(x->code->reader, exit.path->blocks[i]);
		uint32_t executed = left < block->n_insns ? left : block->n_insns;
		bool taken = exit.outcome == TF_TAKEN;

		left -= executed;
		if (left)
			taken = tf_block(x->code->reader, exit.path->blocks[i + 1])->pc !=
				block->pc + block->code_size;
		expand_block(x, block, executed, taken, NULL, repetitions);
	}
}

void mica_expand(struct mica_expander *x, const struct tf_item *item)
{
	const uint64_t *repetitions = item->kind == TF_ITEM_PATHS ? item->repetitions : NULL;

	for (size_t i = 0; i < item->count; i++)
		if (item->kind == TF_ITEM_PATHS)
			expand_path(x, &item->paths[i], &repetitions);
		else
			expand_block(x, item->blocks[i].block, item->blocks[i].executed,
				     item->blocks[i].outcome == TF_TAKEN, item->blocks[i].values,
				     &repetitions);
	if (x->count)
		x->consume(x->opaque, x->events, x->count);
	x->count = 0;
}
