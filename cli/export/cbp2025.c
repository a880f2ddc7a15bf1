/* SPDX-License-Identifier: MIT */
/*
 * Traces of the branch prediction championship of 2025: a record for each instruction of an Arm
 * processor, with at most one access and with the values that it computes. An instruction of ours
 * that has several accesses becomes as many records, loads first; a branch with accesses comes
 * behind them. A trace of ours has no values: they are 0.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/export/formats.h"
#include "cli/export/insn_cache.h"

enum {
	ALU = 0,
	LOAD = 1,
	STORE = 2,
	CONDITIONAL = 3,
	JUMP = 4,
	INDIRECT_JUMP = 5,
	FLOATING_POINT = 6,
	SLOW_ALU = 7,
	CALL = 9,
	INDIRECT_CALL = 10,
	RETURN = 11,
	STACK_POINTER = 31,
	VECTORS = 32, /* register number of the first of 32 */
	FLAGS = 64,
	ZERO = 65,
	MAX_INPUTS = 3,
	MAX_REGISTERS = 16,
	MAX_BYTES = 128, /* of an access, in one record */
};

struct registers {
	uint8_t at[MAX_REGISTERS];
	uint8_t count;
};

struct entry {
	struct registers from, to;
	uint8_t compute_class;
};

struct cbp {
	struct insn_cache *insns;
};

/* ---- registers --------------------------------------------------------------------------- */

static void add_register(struct registers *set, uint8_t number)
{
	if (set->count < MAX_REGISTERS && !memchr(set->at, number, set->count))
		set->at[set->count++] = number;
}

/* Adds a register of isa_facts; masks, x87 registers and the like have no number in the format. */
static void add_fact(struct registers *set, uint8_t fact)
{
	static const char *const generals[] = { "rax", "rcx", "rdx", "rbx", "rsp", "rbp",
						"rsi", "rdi", "r8",  "r9",  "r10", "r11",
						"r12", "r13", "r14", "r15" };
	const char *name = isa_register_name(isa_register_whole(fact));

	if (!strncmp(name, "zmm", 3))
		add_register(set, (uint8_t)(VECTORS + strtoul(name + 3, NULL, 10)));
	for (uint8_t i = 0; i < 16; i++)
		if (!strcmp(name, generals[i]))
			add_register(set, i == ISA_RSP ? STACK_POINTER : i);
}

static uint8_t compute_class(uint8_t insn_class)
{
	switch (insn_class) {
	case ISA_CLASS_INT_MULTIPLY: return SLOW_ALU;
	case ISA_CLASS_X87:
	case ISA_CLASS_VECTOR_MOVE:
	case ISA_CLASS_VECTOR_INT:
	case ISA_CLASS_VECTOR_FLOAT:
	case ISA_CLASS_CRYPTO: return FLOATING_POINT;
	default: return ALU;
	}
}

static void fill_entry(void *to, const struct insn_facts *f, __attribute__((unused)) const void *o)
{
	struct entry *entry = to;

	if (!f->known)
		return;
	entry->compute_class = compute_class(f->insn.insn_class);
	for (uint8_t i = 0; i < f->facts.n_reads; i++)
		add_fact(&entry->from, f->facts.reads[i]);
	for (uint8_t i = 0; i < f->facts.n_writes; i++)
		add_fact(&entry->to, f->facts.writes[i]);
	if (f->effects.reads_flags)
		add_register(&entry->from, FLAGS);
	if (f->effects.writes_flags)
		add_register(&entry->to, FLAGS);
}

/* ---- records ----------------------------------------------------------------------------- */

/* The functions return the place behind what they have added to a record in the output's buffer. */
static inline uint8_t *add_byte(uint8_t *at, uint64_t value)
{
	*at = (uint8_t)value;
	return at + 1;
}

static inline uint8_t *add_address(uint8_t *at, uint64_t value)
{
	memcpy(at, &value, sizeof(value));
	return at + sizeof(value);
}

static inline uint8_t *begin_record(struct export_run *e, const struct linear_insn *insn,
				    unsigned record_class)
{
	return add_byte(add_address(pack_room(e->out), insn->pc), record_class);
}

static inline uint8_t *add_set(struct export_run *e, uint8_t *at, const struct registers *set,
			       uint8_t most)
{
	uint8_t n = set->count < most ? set->count : most;

	e->lost[LOSS_REGISTERS] += set->count - n;
	at = add_byte(at, n);
	memcpy(at, set->at, sizeof(set->at));
	return at + n;
}

static inline uint8_t *add_value(uint8_t *at, uint8_t number)
{
	enum { GENERAL = 8, VECTOR = 16 };

	memset(at, 0, VECTOR);
	return at + (number >= VECTORS && number < FLAGS ? VECTOR : GENERAL);
}

/* Ends a record with its inputs, outputs, and a value of 0 for each output. */
static inline void end_record(struct export_run *e, uint8_t *at, const struct registers *from,
			      uint8_t most_from, const struct registers *to, uint8_t most_to)
{
	at = add_set(e, at, from, most_from);
	at = add_set(e, at, to, most_to);
	for (uint8_t i = 0; i < to->count && i < most_to; i++)
		at = add_value(at, to->at[i]);
	pack_advance(e->out, (size_t)(at - pack_room(e->out)));
	e->records++;
}

static const struct registers none, zero = { { ZERO }, 1 };

static void put_load(struct export_run *e, const struct entry *entry,
		     const struct linear_insn *insn, uint64_t address, uint64_t size, bool result)
{
	const struct registers *to = result && entry->to.count ? &entry->to : &zero;
	uint8_t *at = begin_record(e, insn, LOAD);

	at = add_address(at, address);
	at = add_byte(at, size);
	at = add_byte(at, 0); /* the base register is not updated */
	end_record(e, at, &entry->from, MAX_INPUTS, to, 1);
}

static void put_store(struct export_run *e, const struct entry *entry,
		      const struct linear_insn *insn, uint64_t address, uint64_t size)
{
	struct registers from = entry->from;
	uint8_t *at = begin_record(e, insn, STORE);

	at = add_address(at, address);
	at = add_byte(at, size);
	at = add_byte(at, 0);
	at = add_byte(at, 0); /* no offset in a register */
	while (from.count < 2)
		from.at[from.count++] = ZERO;
	end_record(e, at, &from, 2, &none, 0);
}

/* Returns the number of records that an access takes. */
static uint64_t parts_of(const struct linear_access *a)
{
	return a->size / MAX_BYTES + (a->size % MAX_BYTES != 0);
}

static void put_loads(struct export_run *e, const struct entry *entry,
		      const struct linear_insn *insn, uint64_t n_loads)
{
	struct linear_accesses it;
	uint64_t n = 0;

	export_accesses(e, insn, &it);
	while (n < n_loads && linear_accesses_next(&it)) {
		uint64_t address = it.now.address, left = it.now.size;

		for (; left && (it.now.access & TF_LOAD); n++) {
			uint64_t part = left < MAX_BYTES ? left : MAX_BYTES;

			put_load(e, entry, insn, address, part, n + 1 == n_loads);
			address += part;
			left -= part;
		}
	}
}

static void put_stores(struct export_run *e, const struct entry *entry,
		       const struct linear_insn *insn, uint64_t n_stores)
{
	struct linear_accesses it;
	uint64_t n = 0;

	export_accesses(e, insn, &it);
	while (n < n_stores && linear_accesses_next(&it)) {
		uint64_t address = it.now.address, left = it.now.size;

		for (; left && (it.now.access & TF_STORE); n++) {
			uint64_t part = left < MAX_BYTES ? left : MAX_BYTES;

			put_store(e, entry, insn, address, part);
			address += part;
			left -= part;
		}
	}
}

/* Writes the loads, then the stores, of an instruction. The last load has the result. */
static uint64_t put_accesses(struct export_run *e, const struct entry *entry,
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
		[TF_END_CONDITIONAL] = CONDITIONAL,     [TF_END_JUMP] = JUMP,
		[TF_END_INDIRECT_JUMP] = INDIRECT_JUMP, [TF_END_CALL] = CALL,
		[TF_END_INDIRECT_CALL] = INDIRECT_CALL, [TF_END_RETURN] = RETURN,
	};

	return linear_is_branch(insn) ? classes[insn->end] : ALU;
}

static void put_branch(struct export_run *e, const struct entry *entry,
		       const struct linear_insn *insn, unsigned record_class)
{
	uint64_t target = linear_target(insn);
	uint8_t *at = begin_record(e, insn, record_class);

	at = add_byte(at, insn->taken);
	if (insn->taken)
		at = add_address(at, target);
	e->lost[LOSS_SUCCESSORS] += insn->taken && !target;
	end_record(e, at, &entry->from, MAX_INPUTS, &none, 0);
}

static void put_insn(struct export_run *e, const struct linear_insn *insn)
{
	const struct cbp *c = e->state;
	const struct entry *entry = insn_cache_get(c->insns, insn);
	unsigned record_class = branch_class(insn);
	uint64_t accesses = 0;

	if (insn->insn->n_operands)
		accesses = put_accesses(e, entry, insn);
	if (record_class != ALU) {
		put_branch(e, entry, insn, record_class);
	} else if (!accesses) {
		end_record(e, begin_record(e, insn, entry->compute_class), &entry->from, MAX_INPUTS,
			   &entry->to, MAX_REGISTERS);
	}
}

static void begin(struct export_run *e)
{
	struct cbp *c = e->state;

	c->insns = insn_cache_new(e->reader, sizeof(struct entry), fill_entry, NULL);
}

static void free_state(struct export_run *e)
{
	struct cbp *c = e->state;

	insn_cache_free(c->insns);
}

const struct exporter cbp2025 = {
	.name = "cbp2025",
	.summary = "branch prediction championship of 2025; values are 0",
	.state_size = sizeof(struct cbp),
	.addresses = true,
	.begin = begin,
	.insn = put_insn,
	.free = free_state,
};
