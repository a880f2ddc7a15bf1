/* SPDX-License-Identifier: MIT */
/*
 * gem5's packet traces, which its traffic generator replays: "gem5", then messages of protobuf
 * (proto/packet.proto), each behind its size. A packet lies in one cache line. Ticks are simulated:
 * each instruction takes the same time.
 */
#include <string.h>

#include "cli/export/formats.h"

enum {
	VARINT = 0,
	BYTES = 2,
	READ_REQUEST = 1,
	WRITE_REQUEST = 4,
	FETCH = 0x100,
	PREFETCH = 0x01000000,
	CACHE_LINE = 64,
	MESSAGE_ROOM = 128,
};

static const uint64_t ticks_per_second = 1000000000000;

struct message {
	size_t size;
	uint8_t bytes[MESSAGE_ROOM];
};

static void add_varint(struct message *m, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		m->bytes[m->size++] = (uint8_t)(value | 0x80);
	m->bytes[m->size++] = (uint8_t)value;
}

static void add_number(struct message *m, unsigned field, uint64_t value)
{
	add_varint(m, field << 3 | VARINT);
	add_varint(m, value);
}

static void add_bytes(struct message *m, unsigned field, const void *bytes, size_t size)
{
	add_varint(m, field << 3 | BYTES);
	add_varint(m, size);
	memcpy(m->bytes + m->size, bytes, size);
	m->size += size;
}

static void put_message(struct export_run *e, const struct message *m)
{
	struct message framed = { 0 };

	add_varint(&framed, m->size);
	memcpy(framed.bytes + framed.size, m->bytes, m->size);
	pack_write(e->out, framed.bytes, framed.size + m->size);
}

static void begin_packets(struct export_run *e)
{
	enum { OBJECT = 1, TICKS = 3, NAMES = 4, KEY = 1, VALUE = 2 };
	static const char object[] = "tracelab", thread[] = "thread";
	struct message m = { 0 }, name = { 0 };

	pack_write(e->out, "gem5", 4);
	add_bytes(&m, OBJECT, object, strlen(object));
	add_number(&m, TICKS, ticks_per_second);
	add_number(&name, KEY, e->thread);
	add_bytes(&name, VALUE, thread, strlen(thread));
	add_bytes(&m, NAMES, name.bytes, name.size);
	put_message(e, &m);
}

static void put_packet(struct export_run *e, const struct linear_insn *insn, unsigned command,
		       unsigned flags, uint64_t address, uint32_t size)
{
	enum { TICK = 1, COMMAND, ADDRESS, SIZE, FLAGS, ID, PC };
	struct message m = { 0 };

	add_number(&m, TICK, insn->ordinal * e->options->period);
	add_number(&m, COMMAND, command);
	add_number(&m, ADDRESS, address);
	add_number(&m, SIZE, size);
	if (flags)
		add_number(&m, FLAGS, flags);
	add_number(&m, ID, insn->ordinal);
	add_number(&m, PC, insn->pc);
	put_message(e, &m);
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
