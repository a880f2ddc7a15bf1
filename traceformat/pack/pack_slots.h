/* SPDX-License-Identifier: MIT */
/*
 * The modeled coding of slots (FORMAT.md 5.8). Slots that mean the same operand form a group. A
 * group has predictors, which the packer chose. One bit for each prediction says whether it is
 * right; a value that no predictor gives is coded by its low bytes.
 */
#ifndef PACK_SLOTS_H
#define PACK_SLOTS_H

#include "traceformat/dictionary/path.h"
#include "traceformat/pack/coder.h"

enum {
	MAX_PREDICTORS = 4,
	MIN_TABLE_BITS = 8,
	MAX_TABLE_BITS = 20,
	MAX_FOLLOW_SHIFT = 3,
	MAX_SLOT_GROUPS = 1 << 18,
};

enum predictor_kind {
	PREDICT_STRIDE = 0,  /* last value + last change */
	PREDICT_FOLLOW = 1,  /* last value + change of another group since then, times 2^shift */
	PREDICT_TABLE = 2,   /* base + what the table has for the keys */
	PREDICT_COUNTER = 3, /* what the table has for the keys + the same step as last time */
};

struct predictor {
	uint8_t kind;
	int8_t shift;        /* PREDICT_FOLLOW */
	uint32_t key;        /* group; PREDICT_FOLLOW: the other group */
	uint32_t second_key; /* group, or TF_NONE */
	uint32_t base;       /* group, or TF_NONE: 0 */
	uint32_t family;     /* predictors of a family share table entries */
	uint64_t memory;     /* FOLLOW: value of the other group then; COUNTER: step */
};

struct slot_group {
	uint64_t last, stride;
	uint8_t count;   /* predictors */
	uint8_t history; /* the last two outcomes, 3 bits each */
	bool absolute; /* mispredicted values are coded by their bytes, else by those of the change */
	struct predictor predictors[MAX_PREDICTORS];
};

/* A slot's group, and the offset that is added to its values to make them the group's. */
struct slot_home {
	uint32_t group; /* TF_NONE: the slot is not in the chunk */
	uint64_t offset;
};

struct slot_model {
	unsigned table_bits;
	uint32_t n_slots, n_groups;
	struct slot_home *homes; /* by slot */
	struct slot_group *groups;
};

static inline size_t table_place(unsigned table_bits, uint32_t family, uint64_t key,
				 uint64_t second_key)
{
	uint64_t h = key * UINT64_C(0x9e3779b97f4a7c15) + family * UINT64_C(0xd6e8feb86659fd93);

	h = ((h ^ h >> 32) + second_key) * UINT64_C(0xd6e8feb86659fd93);
	return h >> (64 - table_bits);
}

/* Returns the change that a predictor which follows another group adds. */
static inline uint64_t followed(const struct predictor *p, uint64_t other)
{
	int64_t change = (int64_t)(other - p->memory);

	return p->shift >= 0 ? (uint64_t)change << p->shift : (uint64_t)(change >> -p->shift);
}

/* The record of one execution: its slots, the first of them in the numbering of all paths. */
struct packed_record {
	uint32_t exit;
	uint32_t base;
	uint32_t count;
	uint64_t *slots;
};

struct slot_coder;

/*
 * Starts coding by a model, which must be fresh and must outlive the coder. packed: the bytes, if
 * `to` is UNPACK. Returns NULL if memory is out.
 */
struct slot_coder *slot_coder_new(struct slot_model *model, enum direction to, unsigned cell_bits,
				  struct span packed);

/* Packs a record, whose slots all have groups. */
void slots_pack(struct slot_coder *coder, const struct packed_record *record);

/* Unpacks a record into record->slots; false if the bytes are used up, or a slot has no group. */
bool slots_unpack(struct slot_coder *coder, const struct packed_record *record);

/* Returns the arithmetic coder, so that the caller can end it. */
struct coder *slot_coder_bits(struct slot_coder *coder);

void slot_coder_free(struct slot_coder *coder);

/* Writes the model as the column slot-models has it. */
void slot_model_write(const struct slot_model *model, const struct tf_reader *reader,
		      struct buffer *out);

/* Reads a model. Returns 0, TF_E_MEMORY, or TF_E_DAMAGED; free it in any case. */
int slot_model_read(struct slot_model *model, struct span packed, const struct tf_reader *reader);

/* Resets the model to its state before use. */
void slot_model_reset(struct slot_model *model);

void slot_model_free(struct slot_model *model);

#endif
