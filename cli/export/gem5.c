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

static void put_packet(struct export_run *e, const struct linear_insn *insn, unsigned command,
		       unsigned flags, uint64_t address, uint32_t size)
{
	enum { TICK = 1, COMMAND, ADDRESS, SIZE, FLAGS, ID, PC };
	struct gem5_message m;

	m.size = 0;
	gem5_number(&m, TICK, insn->ordinal * e->options->period);
	gem5_number(&m, COMMAND, command);
	gem5_number(&m, ADDRESS, address);
	gem5_number(&m, SIZE, size);
	if (flags)
		gem5_number(&m, FLAGS, flags);
	gem5_number(&m, ID, insn->ordinal);
	gem5_number(&m, PC, insn->pc);
	gem5_put(e, &m);
	e->records++;
}

/* Writes a packet for each cache line that an access touches. */
static void put_lines(struct export_run *e, const struct linear_insn *insn, unsigned command,
		      unsigned flags, uint64_t address, uint32_t size)
{
	while (size) {
		uint32_t room = CACHE_LINE - (uint32_t)(address % CACHE_LINE);
		uint32_t part = size < room ? size : room;

		put_packet(e, insn, command, flags, address, part);
		address += part;
		size -= part;
	}
}

static void put_packets(struct export_run *e, const struct linear_insn *insn)
{
	struct linear_accesses it;

	put_lines(e, insn, READ_REQUEST, FETCH, insn->pc, insn->insn->length);
	export_accesses(e, insn, &it);
	while (linear_accesses_next(&it)) {
		const struct linear_access *a = &it.now;

		if (a->access & (TF_LOAD | TF_PREFETCH))
			put_lines(e, insn, READ_REQUEST, a->access & TF_PREFETCH ? PREFETCH : 0,
				  a->address, a->size);
		if (a->access & TF_STORE)
			put_lines(e, insn, WRITE_REQUEST, 0, a->address, a->size);
	}
}

const struct exporter gem5_packets = {
	.name = "gem5-packets",
	.summary = "gem5's traffic generator, state TRACE",
	.addresses = true,
	.begin = begin_packets,
	.insn = put_packets,
};
