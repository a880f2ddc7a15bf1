/* SPDX-License-Identifier: MIT */
/*
 * Traces of the branch prediction championship of 2025: a record for each instruction of an Arm
 * processor, with at most one access and with the values that it computes. An instruction of ours
 * that has several accesses becomes as many records, loads first; a branch with accesses comes
 * behind them. A trace of ours has no values: they are 0.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/export/cbp2025_records.h"
#include "cli/export/formats.h"

/* ---- registers --------------------------------------------------------------------------- */

static void add_register(struct cbp_registers *set, uint8_t number)
{
	if (set->count < CBP_MAX_REGISTERS && !memchr(set->at, number, set->count))
		set->at[set->count++] = number;
}

/* Adds a register of isa_facts; masks, x87 registers and the like have no number in the format. */
static void add_fact(struct cbp_registers *set, uint8_t fact)
{
	static const char *const generals[] = { "rax", "rcx", "rdx", "rbx", "rsp", "rbp",
						"rsi", "rdi", "r8",  "r9",  "r10", "r11",
						"r12", "r13", "r14", "r15" };
	const char *name = isa_register_name(isa_register_whole(fact));

	if (!strncmp(name, "zmm", 3))
		add_register(set, (uint8_t)(CBP_VECTORS + strtoul(name + 3, NULL, 10)));
	for (uint8_t i = 0; i < 16; i++)
		if (!strcmp(name, generals[i]))
			add_register(set, i == ISA_RSP ? CBP_STACK_POINTER : i);
}

static uint8_t compute_class(uint8_t insn_class)
{
	switch (insn_class) {
	case ISA_CLASS_INT_MULTIPLY: return CBP_SLOW_ALU;
	case ISA_CLASS_X87:
	case ISA_CLASS_VECTOR_MOVE:
	case ISA_CLASS_VECTOR_INT:
	case ISA_CLASS_VECTOR_FLOAT:
	case ISA_CLASS_CRYPTO: return CBP_FLOATING_POINT;
	default: return CBP_ALU;
	}
}

static void fill_entry(void *to, const struct insn_facts *f, __attribute__((unused)) const void *o)
{
	struct cbp_entry *entry = to;

	if (!f->known)
		return;
	entry->compute_class = compute_class(f->insn.insn_class);
	for (uint8_t i = 0; i < f->facts.n_reads; i++)
		add_fact(&entry->from, f->facts.reads[i]);
	for (uint8_t i = 0; i < f->facts.n_writes; i++)
		add_fact(&entry->to, f->facts.writes[i]);
	if (f->effects.reads_flags)
		add_register(&entry->from, CBP_FLAGS);
	if (f->effects.writes_flags)
		add_register(&entry->to, CBP_FLAGS);
}

static void put_load(struct export_run *e, const struct cbp_entry *entry, struct cbp_part part,
		     bool result)
{
	export_advance(e, cbp_make_load(pack_room(e->out), entry, part, result,
					&e->lost[LOSS_REGISTERS]));
}

static void put_store(struct export_run *e, const struct cbp_entry *entry, struct cbp_part part)
{
	export_advance(e, cbp_make_store(pack_room(e->out), entry, part, &e->lost[LOSS_REGISTERS]));
}

/* Returns the number of records that an access takes. */
static uint64_t parts_of(const struct linear_access *a)
{
	return a->size / CBP_MAX_BYTES + (a->size % CBP_MAX_BYTES != 0);
}

static void put_loads(struct export_run *e, const struct cbp_entry *entry,
		      const struct linear_insn *insn, uint64_t n_loads)
{
	struct linear_accesses it;
	uint64_t n = 0;

	export_accesses(e, insn, &it);
	while (n < n_loads && linear_accesses_next(&it)) {
		uint64_t address = it.now.address, left = it.now.size;

		for (; left && (it.now.access & TF_LOAD); n++) {
			uint8_t size = left < CBP_MAX_BYTES ? (uint8_t)left : CBP_MAX_BYTES;

			put_load(e, entry, (struct cbp_part){ insn->pc, address, size },
				 n + 1 == n_loads);
			address += size;
			left -= size;
		}
	}
}

static void put_stores(struct export_run *e, const struct cbp_entry *entry,
		       const struct linear_insn *insn, uint64_t n_stores)
{
	struct linear_accesses it;
	uint64_t n = 0;

	export_accesses(e, insn, &it);
	while (n < n_stores && linear_accesses_next(&it)) {
		uint64_t address = it.now.address, left = it.now.size;

		for (; left && (it.now.access & TF_STORE); n++) {
			uint8_t size = left < CBP_MAX_BYTES ? (uint8_t)left : CBP_MAX_BYTES;

			put_store(e, entry, (struct cbp_part){ insn->pc, address, size });
			address += size;
			left -= size;
		}
	}
}

/* Writes the loads, then the stores, of an instruction. The last load has the result. */
static uint64_t put_accesses(struct export_run *e, const struct cbp_entry *entry,
			     const struct linear_insn *insn)
{
	uint64_t n_loads = 0, n_stores = 0;
	struct linear_accesses it;

	export_accesses(e, insn, &it);
	while (linear_accesses_next(&it)) {
		if (it.now.access & TF_LOAD)
			n_loads += parts_of(&it.now);
		else if (it.now.access & TF_PREFETCH)
			e->lost[LOSS_PREFETCHES]++;
		if (it.now.access & TF_STORE)
			n_stores += parts_of(&it.now);
	}
	put_loads(e, entry, insn, n_loads);
	put_stores(e, entry, insn, n_stores);
	return n_loads + n_stores;
}

static unsigned branch_class(const struct linear_insn *insn)
{
	static const uint8_t classes[] = {
		[TF_END_CONDITIONAL] = CBP_CONDITIONAL,     [TF_END_JUMP] = CBP_JUMP,
		[TF_END_INDIRECT_JUMP] = CBP_INDIRECT_JUMP, [TF_END_CALL] = CBP_CALL,
		[TF_END_INDIRECT_CALL] = CBP_INDIRECT_CALL, [TF_END_RETURN] = CBP_RETURN,
	};

	return linear_is_branch(insn) ? classes[insn->end] : CBP_ALU;
}

static void put_branch(struct export_run *e, const struct cbp_entry *entry,
		       const struct linear_insn *insn, unsigned record_class)
{
	uint64_t target = linear_target(insn);
	uint8_t *at = cbp_begin_record(pack_room(e->out), insn->pc, record_class);

	at = cbp_add_byte(at, insn->taken);
	if (insn->taken)
		at = cbp_add_address(at, target);
	e->lost[LOSS_SUCCESSORS] += insn->taken && !target;
	export_advance(e, cbp_end_record(at, &entry->from, CBP_MAX_INPUTS, &cbp_none, 0,
					 &e->lost[LOSS_REGISTERS]));
}

static void put_insn(struct export_run *e, const struct linear_insn *insn)
{
	const struct cbp *c = e->state;
	const struct cbp_entry *entry = insn_cache_get(c->insns, insn);
	unsigned record_class = branch_class(insn);
	uint64_t accesses = 0;

	if (insn->insn->n_operands)
		accesses = put_accesses(e, entry, insn);
	if (record_class != CBP_ALU) {
		put_branch(e, entry, insn, record_class);
	} else if (!accesses) {
		export_advance(e, cbp_make_compute(pack_room(e->out), entry, insn->pc,
						   &e->lost[LOSS_REGISTERS]));
	}
}

/* ---- the format -------------------------------------------------------------------------- */

static void begin(struct export_run *e)
{
	struct cbp *c = e->state;

	c->blocks = block_templates_new(e->reader);
	c->insns = insn_cache_new(e->reader, sizeof(struct cbp_entry), fill_entry, NULL);
}

static void free_state(struct export_run *e)
{
	struct cbp *c = e->state;

	block_templates_free(&c->blocks);
	insn_cache_free(c->insns);
}

const struct exporter cbp2025 = {
	.name = "cbp2025",
	.summary = "branch prediction championship of 2025; values are 0",
	.state_size = sizeof(struct cbp),
	.addresses = true,
	.begin = begin,
	.insn = put_insn,
	.block = cbp_put_block,
	.free = free_state,
};
