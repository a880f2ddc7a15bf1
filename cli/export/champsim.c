/* SPDX-License-Identifier: MIT */
/*
 * ChampSim's traces: an array of records of 64 bytes, or of 96 bytes for `champsim -c`, without a
 * head.
 *
 * ChampSim ignores is_branch and classifies a branch by the registers of its record: whether it
 * reads and writes the stack pointer, the flags and the instruction pointer, and whether it reads
 * any other register. So the registers of branches are those that give the right class, not those
 * that the instruction has: an indirect branch by memory without address registers, as in each
 * PLT stub, reads a register that no instruction writes. A register or address of zero means
 * none.
 */
#include "cli/export/formats.h"

#include <string.h>

#include "cli/export/champsim_registers.h"
#include "cli/export/insn_cache.h"

enum {
	N_FROM = 4,
	MAX_SET = 2 * ISA_MAX_FACT_REGISTERS + 8,
	MAX_LOADS = 4,
	MAX_STORES = 4,
	RECORD_ROOM = 96,
	LINE = 64
};

/* The fields of a record: how many there are, and their offsets. */
struct layout {
	size_t size;
	unsigned n_to, n_stores;
	size_t to, from, stores, loads;
	size_t process; /* 0: none */
};

struct register_set {
	uint8_t at[MAX_SET];
	unsigned count;
};

/* The registers of a static instruction, in the order in which a record has them. */
struct record_registers {
	struct register_set from, to;
	bool branch;
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
	uint64_t loads[MAX_LOADS], stores[MAX_STORES]; /* of the record in the making */
	unsigned n_loads, n_stores;
};

/* ---- registers --------------------------------------------------------------------------- */

static void add(struct register_set *set, uint8_t number)
{
	if (number && set->count < MAX_SET && !memchr(set->at, number, set->count))
		set->at[set->count++] = number;
}

/* Returns the general registers that the addresses of the operands are made from, a bit each. */
static uint16_t address_registers(const struct isa_insn *insn)
{
	uint16_t found = 0;

	for (unsigned i = 0; i < insn->n_operands; i++) {
		const struct isa_address *address = &insn->operands[i].address;

		if (address->base != ISA_NO_REGISTER)
			found |= (uint16_t)(1u << address->base);
		if (address->index != ISA_NO_REGISTER)
			found |= (uint16_t)(1u << address->index);
	}
	return found;
}

static void add_generals(struct register_set *set, uint16_t generals)
{
	for (unsigned i = 0; i < 16; i++)
		if (generals >> i & 1)
			add(set, champsim_general(i));
}

/* Adds registers of isa_facts, the stack pointer last. */
static void add_facts(struct register_set *set, const uint8_t *numbers, unsigned n, bool whole)
{
	for (int pass = 0; pass < 2; pass++)
		for (unsigned i = 0; i < n; i++) {
			uint8_t number = champsim_register(numbers[i], whole);

			if ((number == CHAMPSIM_STACK_POINTER) == (pass == 1))
				add(set, number);
		}
}

/*
 * Adds the registers that the target of an indirect branch comes from: those of its address if it
 * is in memory.
 */
static void add_target(struct register_set *from, const struct insn_facts *f)
{
	bool by_memory = false;
	uint16_t generals;

	for (unsigned i = 0; i < f->insn.n_operands; i++)
		by_memory |= f->insn.operands[i].trace.access == TF_LOAD;
	generals = by_memory ? address_registers(&f->insn) : f->effects.reads;
	generals &= (uint16_t) ~(1u << ISA_RSP);
	add_generals(from, generals);
	if (!generals)
		add(from, CHAMPSIM_NOBODYS);
}

static void set_call(struct record_registers *r)
{
	add(&r->to, CHAMPSIM_INSTRUCTION_POINTER);
	add(&r->to, CHAMPSIM_STACK_POINTER);
	add(&r->from, CHAMPSIM_INSTRUCTION_POINTER);
	add(&r->from, CHAMPSIM_STACK_POINTER);
}

/* The counter of loop and jrcxz is a register like any other. */
static void set_conditional(struct record_registers *r, const struct insn_facts *f)
{
	add(&r->to, CHAMPSIM_INSTRUCTION_POINTER);
	add(&r->from, CHAMPSIM_INSTRUCTION_POINTER);
	if (f->effects.reads_flags)
		add(&r->from, CHAMPSIM_FLAGS);
	if (f->effects.reads >> ISA_RCX & 1)
		add(&r->from, CHAMPSIM_RCX);
	if (f->effects.writes >> ISA_RCX & 1)
		add(&r->to, CHAMPSIM_RCX);
}

/* Sets the registers of a branch. Returns false for other instructions. */
static bool set_branch(struct record_registers *r, const struct insn_facts *f)
{
	switch (f->insn.end) {
	case TF_END_CONDITIONAL:
		if (!strcmp(f->facts.iclass, "XBEGIN"))
			return false;
		set_conditional(r, f);
		return true;
	case TF_END_JUMP:
		add(&r->to, CHAMPSIM_INSTRUCTION_POINTER);
		add(&r->from, CHAMPSIM_INSTRUCTION_POINTER);
		return true;
	case TF_END_INDIRECT_JUMP:
		add(&r->to, CHAMPSIM_INSTRUCTION_POINTER);
		add_target(&r->from, f);
		return true;
	case TF_END_CALL: set_call(r); return true;
	case TF_END_INDIRECT_CALL:
		set_call(r);
		add_target(&r->from, f);
		return true;
	case TF_END_RETURN:
		add(&r->to, CHAMPSIM_INSTRUCTION_POINTER);
		add(&r->to, CHAMPSIM_STACK_POINTER);
		add(&r->from, CHAMPSIM_STACK_POINTER);
		return true;
	default: return false;
	}
}

/* System calls leave the return address in rcx and the flags in r11. */
static void set_syscall(struct record_registers *r, const struct insn_facts *f)
{
	add(&r->from, CHAMPSIM_RAX);
	if (strcmp(f->facts.iclass, "SYSCALL") != 0) {
		add(&r->to, CHAMPSIM_RAX);
		return;
	}
	add(&r->to, CHAMPSIM_RCX);
	add(&r->to, CHAMPSIM_R11);
}

static void set_registers(struct record_registers *r, const struct insn_facts *f, bool whole)
{
	if (!f->known)
		return;
	r->branch = set_branch(r, f);
	if (r->branch)
		return;
	if (f->insn.end == TF_END_SYSCALL) {
		set_syscall(r, f);
		return;
	}
	if (whole)
		add_generals(&r->from, address_registers(&f->insn));
	add_facts(&r->from, f->facts.reads, f->facts.n_reads, whole);
	add_facts(&r->to, f->facts.writes, f->facts.n_writes, whole);
	if (f->effects.reads_flags)
		add(&r->from, CHAMPSIM_FLAGS);
	if (f->effects.writes_flags)
		add(&r->to, CHAMPSIM_FLAGS);
}

/* ---- records ----------------------------------------------------------------------------- */

/* Copies registers into their fields. Returns the number of those without a field. */
static uint8_t put_registers(uint8_t *field, const struct register_set *set, unsigned fields)
{
	unsigned n = set->count < fields ? set->count : fields;

	memcpy(field, set->at, n);
	return (uint8_t)(set->count - n);
}

static void fill_template(void *entry, const struct insn_facts *f, const void *opaque)
{
	const struct export_run *e = opaque;
	const struct layout *layout = e->format->layout;
	struct record_registers r = { 0 };
	struct template *t = entry;

	set_registers(&r, f, e->options->registers == REGISTERS_WHOLE);
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

static void begin(struct export_run *e)
{
	struct champsim *c = e->state;

	c->templates = insn_cache_new(e->reader, sizeof(struct template), fill_template, e);
}

static void free_state(struct export_run *e)
{
	struct champsim *c = e->state;

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
	.summary = "ChampSim, 64-byte records",
	.state_size = sizeof(struct champsim),
	.addresses = true,
	.begin = begin,
	.insn = put_plain,
	.free = free_state,
	.layout = &plain,
};

const struct exporter cloudsuite = {
	.name = "cloudsuite",
	.summary = "ChampSim -c (CloudSuite), 96-byte records",
	.state_size = sizeof(struct champsim),
	.addresses = true,
	.begin = begin,
	.insn = put_cloudsuite,
	.free = free_state,
	.layout = &of_cloudsuite,
};
