/* SPDX-License-Identifier: MIT */
/*
 * gem5's elastic traces (proto/inst_dep_record.proto), which its TraceCPU replays: a file of
 * fetches, and one of records that depend on each other by registers. An instruction is a record
 * for each load, then for each store, or one without an access. Dependences follow from the
 * registers of the code; the time that an instruction takes is a model, as a trace of ours has no
 * cycles.
 */
#include "cli/export/formats.h"
#include "cli/export/gem5_messages.h"
#include "cli/export/insn_cache.h"

enum { FLAGS = ISA_N_REGISTERS, N_WRITERS, MAX_SET = ISA_MAX_FACT_REGISTERS + 1, LINE = 64 };

struct register_set {
	uint8_t at[MAX_SET];
	uint8_t count;
};

struct entry {
	struct register_set from, to;
	uint8_t cycles;
};

struct elastic {
	struct insn_cache *insns;
	uint64_t writers[N_WRITERS]; /* records that have last written a register; 0: none */
	uint64_t sequence;           /* number of the last record */
	uint64_t load;               /* the last load of the instruction; 0: none */
	uint64_t line;               /* of the last fetch */
	struct gem5_message message;
};

/* ---- fetches ----------------------------------------------------------------------------- */

static void begin_fetches(struct export_run *e)
{
	struct elastic *s = e->state;

	s->line = UINT64_MAX;
	gem5_begin(e, &s->message);
	gem5_put(e, &s->message);
}

/* Writes a packet for a line from which the instruction before was not fetched. */
static void put_fetch(struct export_run *e, const struct linear_insn *insn, uint64_t line)
{
	enum { TICK = 1, COMMAND, ADDRESS, SIZE, KIND, ID, PC, READ_REQUEST = 1, FETCH = 0x100 };
	struct elastic *s = e->state;
	struct gem5_message *m = &s->message;

	if (line == s->line)
		return;
	s->line = line;
	m->size = 0;
	gem5_number(m, TICK, insn->ordinal * e->options->period);
	gem5_number(m, COMMAND, READ_REQUEST);
	gem5_number(m, ADDRESS, line * LINE);
	gem5_number(m, SIZE, LINE);
	gem5_number(m, KIND, FETCH);
	gem5_number(m, ID, insn->ordinal);
	gem5_number(m, PC, insn->pc);
	gem5_put(e, m);
	e->records++;
}

static void put_fetches(struct export_run *e, const struct linear_insn *insn)
{
	put_fetch(e, insn, insn->pc / LINE);
	put_fetch(e, insn, (insn->pc + insn->insn->length - 1) / LINE);
}

/* ---- records ----------------------------------------------------------------------------- */

/* Returns the modeled latency of a class of instructions. */
static uint8_t cycles_of(uint8_t insn_class)
{
	switch (insn_class) {
	case ISA_CLASS_INT_MULTIPLY: return 3;
	case ISA_CLASS_X87:
	case ISA_CLASS_VECTOR_FLOAT:
	case ISA_CLASS_CRYPTO: return 4;
	default: return 1;
	}
}

static void add_registers(struct register_set *set, const uint8_t *facts, uint8_t count, bool flags)
{
	for (uint8_t i = 0; i < count; i++)
		set->at[set->count++] = isa_register_whole(facts[i]);
	if (flags)
		set->at[set->count++] = FLAGS;
}

static void fill_entry(void *to, const struct insn_facts *f, __attribute__((unused)) const void *o)
{
	struct entry *entry = to;

	entry->cycles = 1;
	if (!f->known)
		return;
	entry->cycles = cycles_of(f->insn.insn_class);
	add_registers(&entry->from, f->facts.reads, f->facts.n_reads, f->effects.reads_flags);
	add_registers(&entry->to, f->facts.writes, f->facts.n_writes, f->effects.writes_flags);
}

static void begin_records(struct export_run *e)
{
	enum { WINDOW = 4, RECORDS = 576 /* three reorder buffers of gem5's out-of-order model */ };
	struct elastic *s = e->state;

	s->insns = insn_cache_new(e->reader, sizeof(struct entry), fill_entry, NULL);
	gem5_begin(e, &s->message);
	gem5_number(&s->message, WINDOW, RECORDS);
	gem5_put(e, &s->message);
}

enum type { LOAD_RECORD = 1, STORE_RECORD, COMPUTE_RECORD };

/* Adds the records on which one of these registers depends. */
static inline uint8_t *add_dependences(uint8_t *at, const struct elastic *s,
				       const struct entry *entry)
{
	enum { REGISTER_DEPENDENCE = 8 };
	uint64_t before = 0;

	for (uint8_t i = 0; i < entry->from.count; i++) {
		uint64_t writer = s->writers[entry->from.at[i]];

		if (writer && writer != before)
			at = gem5_store_number(at, REGISTER_DEPENDENCE, writer);
		before = writer;
	}
	return s->load ? gem5_store_number(at, REGISTER_DEPENDENCE, s->load) : at;
}

static void put_record(struct export_run *e, const struct entry *entry,
		       const struct linear_insn *insn, enum type type, uint64_t address,
		       uint32_t size)
{
	enum { SEQUENCE = 1, TYPE, ADDRESS, SIZE, ORDER = 6, DELAY = 7, PC = 10 };
	struct elastic *s = e->state;
	unsigned cycles = type == COMPUTE_RECORD ? entry->cycles : 1;
	uint8_t *start = pack_room(e->out), *at = start + GEM5_SHORT_FRAME;

	at = gem5_store_number(at, SEQUENCE, s->sequence + 1);
	at = gem5_store_number(at, TYPE, type);
	if (type != COMPUTE_RECORD) {
		at = gem5_store_number(at, ADDRESS, address);
		at = gem5_store_number(at, SIZE, size);
	}
	if (type == STORE_RECORD && s->sequence)
		at = gem5_store_number(at, ORDER, s->sequence);
	at = gem5_store_number(at, DELAY, cycles * e->options->period);
	at = add_dependences(at, s, entry);
	at = gem5_store_number(at, PC, insn->pc);
	export_advance(e, gem5_end(start, at));
	s->sequence++;
}

/* Writes the loads, or the stores. Returns how many there are. */
static uint64_t put_accesses(struct export_run *e, const struct entry *entry,
			     const struct linear_insn *insn, enum type type)
{
	unsigned wanted = type == LOAD_RECORD ? TF_LOAD : TF_STORE;
	struct elastic *s = e->state;
	struct linear_accesses it;
	uint64_t n = 0, load = 0;

	export_accesses(e, insn, &it);
	while (linear_accesses_next(&it)) {
		e->lost[LOSS_PREFETCHES] += wanted == TF_LOAD && (it.now.access & TF_PREFETCH);
		if (!(it.now.access & wanted) || !it.now.size)
			continue;
		put_record(e, entry, insn, type, it.now.address, it.now.size);
		load = s->sequence;
		n++;
	}
	if (type == LOAD_RECORD)
		s->load = load;
	return n;
}

static void put_records(struct export_run *e, const struct linear_insn *insn)
{
	struct elastic *s = e->state;
	const struct entry *entry = insn_cache_get(s->insns, insn);
	uint64_t n = 0;

	s->load = 0;
	if (insn->insn->n_operands) {
		n = put_accesses(e, entry, insn, LOAD_RECORD);
		n += put_accesses(e, entry, insn, STORE_RECORD);
	}
	if (!n)
		put_record(e, entry, insn, COMPUTE_RECORD, 0, 0);
	for (uint8_t i = 0; i < entry->to.count; i++)
		s->writers[entry->to.at[i]] = s->load ? s->load : s->sequence;
}

static void free_state(struct export_run *e)
{
	struct elastic *s = e->state;

	insn_cache_free(s->insns);
}

const struct exporter gem5_fetches = {
	.name = "gem5-fetches",
	.summary = "gem5's TraceCPU, instFile",
	.state_size = sizeof(struct elastic),
	.begin = begin_fetches,
	.insn = put_fetches,
};
const struct exporter gem5_elastic = {
	.name = "gem5-elastic",
	.summary = "gem5's TraceCPU, dataFile: modelled dependences and latencies",
	.state_size = sizeof(struct elastic),
	.addresses = true,
	.begin = begin_records,
	.insn = put_records,
	.free = free_state,
};
