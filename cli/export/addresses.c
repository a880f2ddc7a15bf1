/* SPDX-License-Identifier: MIT */
/*
 * Address traces in lines of text: Dinero IV's two formats, lackey's of Valgrind, and Ramulator's
 * memory traces. Each access is a line; an operand that is loaded and stored is a load and then a
 * store.
 */
#include "cli/export/bubbles.h"
#include "cli/export/formats.h"
#include "cli/export/line.h"

static inline void end_line(struct export_run *e, uint8_t *at)
{
	export_advance(e, line_char(at, '\n'));
}

/* Calls put for each access, loads before stores. */
static void each_access(struct export_run *e, const struct linear_insn *insn,
			void (*put)(struct export_run *e, const struct linear_access *access,
				    bool store))
{
	struct linear_accesses it;

	export_accesses(e, insn, &it);
	while (linear_accesses_next(&it)) {
		if (it.now.access & TF_PREFETCH)
			e->lost[LOSS_PREFETCHES]++;
		if (it.now.access & TF_LOAD)
			put(e, &it.now, false);
		if (it.now.access & TF_STORE)
			put(e, &it.now, true);
	}
}

/* ---- Dinero IV --------------------------------------------------------------------------- */

enum { DIN_WORD = 4, DIN_READ = '0', DIN_WRITE = '1', DIN_FETCH = '2' };

/* din has no sizes: Dinero takes 4 aligned bytes, so an access is as many words as it touches. */
static void put_din(struct export_run *e, char label, uint64_t address, uint64_t size)
{
	uint64_t word = address / DIN_WORD, last = (address + (size ? size - 1 : 0)) / DIN_WORD;

	for (;; word++) {
		uint8_t *at = pack_room(e->out);

		at = line_char(line_char(at, label), ' ');
		at = line_hex(at, word * DIN_WORD);
		end_line(e, at);
		if (word >= last)
			return;
	}
}

static void put_din_access(struct export_run *e, const struct linear_access *a, bool store)
{
	put_din(e, store ? DIN_WRITE : DIN_READ, a->address, a->size);
}

static void put_din_insn(struct export_run *e, const struct linear_insn *insn)
{
	put_din(e, DIN_FETCH, insn->pc, insn->insn->length);
	each_access(e, insn, put_din_access);
}

enum { XDIN_MOST = 65535 };

static void put_xdin(struct export_run *e, char label, uint64_t address, uint64_t size)
{
	while (size) {
		uint64_t part = size < XDIN_MOST ? size : XDIN_MOST;
		uint8_t *at = pack_room(e->out);

		at = line_char(line_char(at, label), ' ');
		at = line_hex(at, address);
		at = line_char(at, ' ');
		at = line_hex(at, part);
		end_line(e, at);
		address += part;
		size -= part;
	}
}

static void put_xdin_access(struct export_run *e, const struct linear_access *a, bool store)
{
	put_xdin(e, store ? 'w' : 'r', a->address, a->size);
}

static void put_xdin_insn(struct export_run *e, const struct linear_insn *insn)
{
	put_xdin(e, 'i', insn->pc, insn->insn->length);
	each_access(e, insn, put_xdin_access);
}

/* ---- lackey ------------------------------------------------------------------------------ */

static void put_lackey(struct export_run *e, const char *label, uint64_t address, uint64_t size)
{
	enum { LEAST_DIGITS = 8 };
	uint8_t *at = pack_room(e->out);

	at = line_text(at, label);
	at = line_hex_digits(at, address, LEAST_DIGITS);
	at = line_char(at, ',');
	at = line_decimal(at, size);
	end_line(e, at);
}

/* Writes the line of the instruction: Valgrind executes it again for each repetition. */
static void put_fetch(struct export_run *e, const struct linear_insn *insn)
{
	put_lackey(e, "I  ", insn->pc, insn->insn->length);
}

static void put_lackey_insn(struct export_run *e, const struct linear_insn *insn)
{
	struct linear_accesses it;
	uint64_t repetition = 0;

	put_fetch(e, insn);
	export_accesses(e, insn, &it);
	while (linear_accesses_next(&it)) {
		const struct linear_access *a = &it.now;

		if (a->repetition != repetition) {
			put_fetch(e, insn);
			repetition = a->repetition;
		}
		if (a->access & TF_PREFETCH)
			e->lost[LOSS_PREFETCHES]++;
		else
			put_lackey(e,
				   a->access == TF_LOAD    ? " L "
				   : a->access == TF_STORE ? " S "
							   : " M ",
				   a->address, a->size);
	}
}

/* ---- Ramulator's memory traces ----------------------------------------------------------- */

enum { DRAM_LINE = 64 };

/* Calls put for each line of 64 bytes that an access touches: the simulators have no sizes. */
static void each_line(struct export_run *e, const struct linear_access *a, bool store,
		      void (*put)(struct export_run *e, uint64_t address, bool store))
{
	uint64_t address = a->address, last = address + (a->size ? a->size - 1 : 0);

	for (;;) {
		put(e, address, store);
		if (last < address || address / DRAM_LINE == last / DRAM_LINE)
			return;
		address += DRAM_LINE - address % DRAM_LINE;
	}
}

static void put_dram(struct export_run *e, uint64_t address, bool store)
{
	uint8_t *at = pack_room(e->out);

	at = line_text(at, "0x");
	at = line_hex(at, address);
	at = line_text(at, store ? " W" : " R");
	end_line(e, at);
}

static void put_dram_access(struct export_run *e, const struct linear_access *a, bool store)
{
	each_line(e, a, store, put_dram);
}

static void put_dram_insn(struct export_run *e, const struct linear_insn *insn)
{
	each_access(e, insn, put_dram_access);
}

static void put_load_store(struct export_run *e, uint64_t address, bool store)
{
	uint8_t *at = pack_room(e->out);

	at = line_text(at, store ? "ST 0x" : "LD 0x");
	at = line_hex(at, address);
	end_line(e, at);
}

static void put_load_store_access(struct export_run *e, const struct linear_access *a, bool store)
{
	each_line(e, a, store, put_load_store);
}

static void put_load_store_insn(struct export_run *e, const struct linear_insn *insn)
{
	each_access(e, insn, put_load_store_access);
}

/* ---- Ramulator's traces of processors ---------------------------------------------------- */

/* Ramulator 2 reads the number into an int, and throws an exception for a greater one. */
static uint64_t told_bubbles(struct export_run *e)
{
	const struct bubbles *b = e->state;
	uint64_t told = b->before < INT32_MAX ? b->before : INT32_MAX;

	e->lost[LOSS_BUBBLES] += b->before - told;
	return told;
}

static void put_cpu_line(struct export_run *e)
{
	struct bubbles *b = e->state;
	uint8_t *at = pack_room(e->out);

	if (!b->has_load && !b->has_store)
		return;
	at = line_decimal(at, told_bubbles(e));
	at = line_char(at, ' ');
	at = line_decimal(at, b->has_load ? b->load : b->store);
	if (b->has_store) {
		at = line_char(at, ' ');
		at = line_decimal(at, b->store);
	}
	end_line(e, at);
	b->has_load = b->has_store = false;
	b->before = b->since;
	b->since = 0;
}

/*
 * Ramulator 2, SimpleO3: BUBBLES LOAD [STORE], in decimal. A store without a load is written as
 * both.
 */
static void put_o3(struct export_run *e, uint64_t address, bool store)
{
	struct bubbles *b = e->state;

	if (!store || b->has_store || !b->has_load) {
		put_cpu_line(e);
		e->lost[LOSS_LONE_STORES] += store;
	}
	if (store) {
		b->has_store = true;
		b->store = address;
	} else {
		b->has_load = true;
		b->load = address;
	}
}

static void put_o3_access(struct export_run *e, const struct linear_access *a, bool store)
{
	each_line(e, a, store, put_o3);
}

static void put_o3_insn(struct export_run *e, const struct linear_insn *insn)
{
	struct bubbles *b = e->state;

	if (insn->insn->n_operands)
		each_access(e, insn, put_o3_access);
	else if (b->has_load || b->has_store)
		b->since++;
	else
		b->before++;
}

/* Counts the instructions behind the last line. */
static void end_bubbles(struct export_run *e)
{
	const struct bubbles *b = e->state;

	e->lost[LOSS_BUBBLES] += b->before;
}

static void end_o3(struct export_run *e)
{
	put_cpu_line(e);
	end_bubbles(e);
}

/* Ramulator 1 with caches: BUBBLES ADDRESS R|W. */
static void put_cached(struct export_run *e, uint64_t address, bool store)
{
	struct bubbles *b = e->state;
	uint8_t *at = pack_room(e->out);

	at = line_decimal(at, b->before);
	at = line_text(at, " 0x");
	at = line_hex(at, address);
	at = line_text(at, store ? " W" : " R");
	end_line(e, at);
	b->before = 0;
}

static void put_cached_access(struct export_run *e, const struct linear_access *a, bool store)
{
	each_line(e, a, store, put_cached);
}

static void put_cached_insn(struct export_run *e, const struct linear_insn *insn)
{
	struct bubbles *b = e->state;

	if (insn->insn->n_operands)
		each_access(e, insn, put_cached_access);
	else
		b->before++;
}

const struct exporter din = {
	.name = "din",
	.summary = "Dinero IV, -informat d",
	.addresses = true,
	.insn = put_din_insn,
};
const struct exporter xdin = {
	.name = "xdin",
	.summary = "Dinero IV, -informat D",
	.addresses = true,
	.insn = put_xdin_insn,
};
const struct exporter lackey = {
	.name = "lackey",
	.summary = "as Valgrind's lackey --trace-mem=yes",
	.addresses = true,
	.insn = put_lackey_insn,
};
const struct exporter ramulator_dram = {
	.name = "ramulator-dram",
	.summary = "Ramulator --mode=dram",
	.addresses = true,
	.insn = put_dram_insn,
};
const struct exporter ramulator_cpu = {
	.name = "ramulator-cpu",
	.summary = "Ramulator --mode=cpu, with caches",
	.state_size = sizeof(struct bubbles),
	.addresses = true,
	.insn = put_cached_insn,
	.end = end_bubbles,
};
const struct exporter ramulator2 = {
	.name = "ramulator2",
	.summary = "Ramulator 2, LoadStoreTrace",
	.addresses = true,
	.insn = put_load_store_insn,
};
const struct exporter ramulator2_o3 = {
	.name = "ramulator2-o3",
	.summary = "Ramulator 2, SimpleO3 and BHO3",
	.state_size = sizeof(struct bubbles),
	.addresses = true,
	.insn = put_o3_insn,
	.end = end_o3,
};
