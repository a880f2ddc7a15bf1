/* SPDX-License-Identifier: MIT */
/* Executions and events, rewritten, in order: from decoders to the writer of a stream. */
#ifndef PACKET_H
#define PACKET_H

#include "cli/anonymise/events.h"

enum { PACKET_WORDS = 1 << 15, PACKET_STEPS = 256 };

enum step_kind { STEP_RECORDS, STEP_PARTIAL, STEP_EVENT };

struct step {
	enum step_kind kind;
	uint32_t path, executed; /* STEP_PARTIAL */
	size_t at, count;        /* words: records, or the slots of a partial execution */
	uint64_t ordinal;        /* of an event */
	struct tf_event event;
};

struct packet {
	struct packet *next;
	size_t n_steps, n_words;
	uint64_t instructions;
	struct step steps[PACKET_STEPS];
	uint64_t words[PACKET_WORDS];
};

/* A part of a thread's stream. */
struct stream_part {
	uint32_t thread;
	uint64_t first, count; /* instructions */
};

/* Rewrites executions and events. Each thread has one of its own. */
struct decoder {
	const struct dictionary *d;
	struct event_rules rules;
	struct packet *packet; /* being filled */
	/* Hands over a full packet, and returns an empty one; NULL: no more is wanted. */
	struct packet *(*next_packet)(void *opaque, struct packet *full);
	void *opaque;
	ARRAY(struct step) pending; /* events that may stand inside of the next execution */
	uint64_t ordinal;           /* of the next execution */
};

/*
 * Decodes a part and hands over all packets but the last, which *last receives. Returns 0, a
 * negative status with *error, or 1 if no more is wanted.
 */
int decode_part(struct decoder *decoder, const struct stream_part *part, struct packet **last,
		struct tf_error *error);

#endif
