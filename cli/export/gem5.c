/* SPDX-License-Identifier: MIT */
/*
 * gem5's packet traces (proto/packet.proto), which its traffic generator replays. A packet lies in
 * one cache line. Ticks are simulated: each instruction takes the same time.
 */
#include "cli/export/formats.h"
#include "cli/export/gem5_messages.h"

enum {
	READ_REQUEST = 1,
	WRITE_REQUEST = 4,
	FETCH = 0x100,
	PREFETCH = 0x01000000,
	CACHE_LINE = 64,
};

static void begin_packets(struct export_run *e)
{
	enum { NAMES = 4, KEY = 1, VALUE = 2 };
	static const char thread[] = "thread";
	struct gem5_message m, name;

	name.size = 0;
	gem5_begin(e, &m);
	gem5_number(&name, KEY, e->thread);
	gem5_bytes(&name, VALUE, thread, strlen(thread));
	gem5_bytes(&m, NAMES, name.framed + GEM5_FRAME, name.size);
	gem5_put(e, &m);
}

/* The bytes that all packets of an execution share, encoded once. */
struct common {
	uint8_t tick[12], identity[24];
	uint8_t tick_size, identity_size;
};

static inline void set_common(struct common *c, const struct export_run *e,
			      const struct linear_insn *insn)
{
	enum { TICK = 1, ID = 6, PC = 7 };
	uint8_t *at = gem5_store_number(c->tick, TICK, insn->ordinal * e->options->period);

	c->tick_size = (uint8_t)(at - c->tick);
	at = gem5_store_number(c->identity, ID, insn->ordinal);
	at = gem5_store_number(at, PC, insn->pc);
	c->identity_size = (uint8_t)(at - c->identity);
}

/* Writes a packet, which has less than 128 bytes, in place. */
static inline void put_packet(struct export_run *e, const struct common *c, unsigned command,
			      unsigned flags, uint64_t address, uint32_t size)
{
	enum { COMMAND = 2, ADDRESS, SIZE, FLAGS };
	uint8_t *start = pack_room(e->out), *at = start + 1;

	memcpy(at, c->tick, sizeof(c->tick));
	at = gem5_store_number(at + c->tick_size, COMMAND, command);
	at = gem5_store_number(at, ADDRESS, address);
	at = gem5_store_number(at, SIZE, size);
	if (flags)
		at = gem5_store_number(at, FLAGS, flags);
	memcpy(at, c->identity, sizeof(c->identity));
	at += c->identity_size;
	*start = (uint8_t)(at - start - 1);
	pack_advance(e->out, (size_t)(at - start));
	e->records++;
}

/* Writes a packet for each cache line that an access touches. */
static inline void put_lines(struct export_run *e, const struct common *c, unsigned command,
			     unsigned flags, uint64_t address, uint32_t size)
{
	while (size) {
		uint32_t room = CACHE_LINE - (uint32_t)(address % CACHE_LINE);
		uint32_t part = size < room ? size : room;

		put_packet(e, c, command, flags, address, part);
		address += part;
		size -= part;
	}
}

static void put_packets(struct export_run *e, const struct linear_insn *insn)
{
	struct linear_accesses it;
	struct common common;

	set_common(&common, e, insn);
	put_lines(e, &common, READ_REQUEST, FETCH, insn->pc, insn->insn->length);
	export_accesses(e, insn, &it);
	while (linear_accesses_next(&it)) {
		const struct linear_access *a = &it.now;

		if (a->access & (TF_LOAD | TF_PREFETCH))
			put_lines(e, &common, READ_REQUEST, a->access & TF_PREFETCH ? PREFETCH : 0,
				  a->address, a->size);
		if (a->access & TF_STORE)
			put_lines(e, &common, WRITE_REQUEST, 0, a->address, a->size);
	}
}

const struct exporter gem5_packets = {
	.name = "gem5-packets",
	.summary = "gem5's traffic generator, state TRACE",
	.addresses = true,
	.begin = begin_packets,
	.insn = put_packets,
};
