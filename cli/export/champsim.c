/* SPDX-License-Identifier: MIT */
/*
 * ChampSim's traces: an array of records of 64 bytes, or of 96 bytes for `champsim -c`, without a
 * head.
 */
#include "cli/export/formats.h"

#include <string.h>

#include "cli/export/block_template.h"
#include "cli/export/champsim_registers.h"

enum { N_FROM = 4, MAX_LOADS = 4, MAX_STORES = 4, RECORD_ROOM = 96, LINE = 64 };

/* The fields of a record: how many there are, and their offsets. */
struct layout {
	size_t size;
	unsigned n_to, n_stores;
	size_t to, from, stores, loads;
	size_t process; /* 0: none */
};

/* The bytes that all records of a static instruction share. */
struct template
{
	uint8_t record[RECORD_ROOM];
	uint8_t lost_from, lost_to; /* registers without a field */
	bool branch;
};

struct champsim {
	struct insn_cache *templates;
	struct block_templates blocks;
	uint64_t loads[MAX_LOADS], stores[MAX_STORES]; /* of the record in the making */
	unsigned n_loads, n_stores;
};

/* ---- records ----------------------------------------------------------------------------- */

/* Copies registers into their fields. Returns the number of those without a field. */
static uint8_t put_registers(uint8_t *field, const struct champsim_set *set, unsigned fields)
{
	unsigned n = set->count < fields ? set->count : fields;

	memcpy(field, set->at, n);
	return (uint8_t)(set->count - n);
}

static void fill_template(void *entry, const struct insn_facts *f, const void *opaque)
{
	const struct export_run *e = opaque;
	const struct layout *layout = e->format->layout;
	struct champsim_registers r = { 0 };
	struct template *t = entry;

	champsim_set_registers(&r, f, e->options->registers == REGISTERS_WHOLE);
	t->branch = r.branch;
	t->record[8] = r.branch;
	t->lost_from = put_registers(t->record + layout->from, &r.from, N_FROM);
	t->lost_to = put_registers(t->record + layout->to, &r.to, layout->n_to);
	if (layout->process)
		t->record[layout->process] = t->record[layout->process + 1] = (uint8_t)e->process;
}

/*
 * Writes a record. Only the last one of an instruction has the registers that the instruction
 * writes.
 */
static inline void put_record(struct export_run *e, const struct linear_insn *insn,
			      const struct template *t, const struct layout *layout, bool last)
{
	struct champsim *c = e->state;
	uint8_t *record = pack_room(e->out);

	memcpy(record, t->record, layout->size);
	memcpy(record, &insn->pc, sizeof(insn->pc));
	record[9] = t->branch && insn->taken;
	if (last)
		e->lost[LOSS_REGISTERS] += t->lost_from + t->lost_to;
	else
		memset(record + layout->to, 0, layout->n_to);
	for (unsigned i = 0; i < c->n_stores; i++)
		memcpy(record + layout->stores + i * 8, &c->stores[i], 8);
	for (unsigned i = 0; i < c->n_loads; i++)
		memcpy(record + layout->loads + i * 8, &c->loads[i], 8);
	pack_advance(e->out, layout->size);
	e->records++;
	c->n_loads = c->n_stores = 0;
}

/* Adds an address to the record in the making, which is written first if it is full. */
static inline void put_address(struct export_run *e, const struct linear_insn *insn,
			       const struct template *t, const struct layout *layout,
			       uint64_t address, bool store)
{
	struct champsim *c = e->state;

	if (!address) {
		e->lost[LOSS_ADDRESS_ZERO]++;
		return;
	}
	if (store ? c->n_stores == layout->n_stores : c->n_loads == MAX_LOADS) {
		if (e->options->drop) {
			e->lost[LOSS_ACCESSES]++;
			return;
		}
		put_record(e, insn, t, layout, false);
	}
	if (store)
		c->stores[c->n_stores++] = address;
	else
		c->loads[c->n_loads++] = address;
}

static inline void put_access(struct export_run *e, const struct linear_insn *insn,
			      const struct template *t, const struct layout *layout,
			      const struct linear_access *a)
{
	uint64_t last = a->address + a->size - 1;
	bool split = e->options->split_lines && a->size && last >= a->address;
	uint64_t line = split ? e->options->split_lines : 0;

	for (uint64_t address = a->address;;) {
		if (a->access & (TF_LOAD | TF_PREFETCH))
			put_address(e, insn, t, layout, address, false);
		if (a->access & TF_STORE)
			put_address(e, insn, t, layout, address, true);
		if (!line || address - address % line + line - 1 >= last)
			return;
		address += line - address % line;
	}
}

/* Returns true for a lane of a masked operand in the same line as the one before. */
static bool is_same_line(const struct linear_access *a, uint64_t before)
{
	return a->form == TF_MASKED && a->address / LINE == before / LINE;
}

/* Writes the records of an instruction with addresses: one, one for each repetition, or more. */
static inline void put_insn(struct export_run *e, const struct linear_insn *insn,
			    const struct layout *layout)
{
	const struct champsim *c = e->state;
	const struct template *t = insn_cache_get(c->templates, insn);
	uint64_t before = UINT64_MAX, repetition = 0;
	struct linear_accesses it;

	/* The next record is the target of a taken branch. */
	if (insn->taken && insn->broken)
		e->lost[LOSS_SUCCESSORS]++;
	export_accesses(e, insn, &it);
	while (linear_accesses_next(&it)) {
		if (it.now.repetition != repetition) {
			put_record(e, insn, t, layout, true);
			repetition = it.now.repetition;
		}
		if (!is_same_line(&it.now, before))
			put_access(e, insn, t, layout, &it.now);
		before = it.now.address;
	}
	put_record(e, insn, t, layout, true);
}

/* ---- blocks ------------------------------------------------------------------------------ */

/* Adds the fields of an instruction's record. Returns false if they do not fit into one. */
static bool add_fields(struct block_template *t, const struct tf_block *block,
		       const struct tf_insn *insn, const struct layout *layout, size_t record)
{
	unsigned n_loads = 0, n_stores = 0;

	for (unsigned i = 0; i < insn->n_operands; i++) {
		unsigned value = insn->first_operand + i;
		uint8_t access = block->operands[value].access;

		if (access & (TF_LOAD | TF_PREFETCH))
			template_add_field(t, record + layout->loads + n_loads++ * 8, value);
		if (access & TF_STORE)
			template_add_field(t, record + layout->stores + n_stores++ * 8, value);
		if (n_loads > MAX_LOADS || n_stores > layout->n_stores)
			return false;
	}
	return true;
}

static void make_block(struct export_run *e, struct block_template *t, const struct tf_block *block)
{
	struct champsim *c = e->state;
	const struct layout *layout = e->format->layout;

	t->made = true;
	for (uint16_t i = 0; i + 1 < block->n_insns; i++) {
		const struct linear_insn insn = { .block = block, .index = i };
		const struct template *one = insn_cache_get(c->templates, &insn);
		uint64_t pc = block->pc + block->insns[i].offset;
		size_t record = template_add(t, one->record, layout->size);

		memcpy(t->bytes.at + record, &pc, sizeof(pc));
		t->lost += one->lost_from + one->lost_to;
		if (!is_template_insn(block, &block->insns[i]) ||
		    !add_fields(t, block, &block->insns[i], layout, record))
			return;
	}
	t->n_records = block->n_insns - 1u;
	t->usable = true;
}

/* A record leaves out an address of zero. */
static bool has_zero(const struct block_template *t, const uint64_t *values)
{
	for (size_t i = 0; i < t->fields.count; i++)
		if (!values[t->fields.at[i].value])
			return true;
	return false;
}

static bool put_block(struct export_run *e, const struct tf_block *block, const uint64_t *values,
		      __attribute__((unused)) uint64_t ordinal)
{
	struct champsim *c = e->state;
	struct block_template *t = &c->blocks.at[block->id];

	if (e->options->split_lines)
		return false;
	if (!t->made)
		make_block(e, t, block);
	if (!t->usable || has_zero(t, values))
		return false;
	template_put(e, t, values);
	e->lost[LOSS_REGISTERS] += t->lost;
	return true;
}

/* ---- the formats ------------------------------------------------------------------------- */

static void begin(struct export_run *e)
{
	struct champsim *c = e->state;

	c->blocks = block_templates_new(e->reader);
	c->templates = insn_cache_new(e->reader, sizeof(struct template), fill_template, e);
}

static void free_state(struct export_run *e)
{
	struct champsim *c = e->state;

	block_templates_free(&c->blocks);
	insn_cache_free(c->templates);
}

static const struct layout plain = { 64, 2, 2, 10, 12, 16, 32, 0 };
static const struct layout of_cloudsuite = { 96, 4, 4, 10, 14, 24, 56, 88 };

/* Each layout has a function of its own, in which the offsets are constants. */
static void put_plain(struct export_run *e, const struct linear_insn *insn)
{
	put_insn(e, insn, &plain);
}

static void put_cloudsuite(struct export_run *e, const struct linear_insn *insn)
{
	put_insn(e, insn, &of_cloudsuite);
}

const struct exporter champsim = {
	.name = "champsim",
	.suffixes = ".gz, .xz, .bz2",
	.summary = "ChampSim, 64-byte records",
	.state_size = sizeof(struct champsim),
	.addresses = true,
	.begin = begin,
	.insn = put_plain,
	.block = put_block,
	.free = free_state,
	.layout = &plain,
};

const struct exporter cloudsuite = {
	.name = "cloudsuite",
	.suffixes = ".gz, .xz, .bz2",
	.summary = "ChampSim -c (CloudSuite), 96-byte records",
	.state_size = sizeof(struct champsim),
	.addresses = true,
	.begin = begin,
	.insn = put_cloudsuite,
	.block = put_block,
	.free = free_state,
	.layout = &of_cloudsuite,
};
