/* SPDX-License-Identifier: MIT */
/*
 * The dictionary of the new trace: what executions and events refer to, made anew from the items of
 * the old one. Records keep their order.
 */
#ifndef DICTIONARY_H
#define DICTIONARY_H

#include "cli/anonymise/address_map.h"
#include "cli/anonymise/names.h"
#include "cli/anonymise/use.h"
#include "traceformat/traceisa.h"
#include "traceformat/tracewriter.h"

/* How the values of an operand are written. */
struct operand_layout {
	uint16_t to, to_extra; /* slots of the block; to: NO_SLOT without addresses */
	bool shares;           /* its extras are those of the operand before it (rep) */
	bool uniform;          /* its extras are the same in each execution */
	bool wide;             /* its lanes get indices of 8 bytes and the scale 1 */
};
#define NO_SLOT UINT16_MAX

/* How the values of a block are written, in each path that has the block. */
struct block_layout {
	const struct tf_block *block;
	struct operand_layout *operands;
	uint32_t n_slots, n_values;
};

/*
 * A path of the new trace: blocks of an old one. A path has at most 4096 slots, so that an old
 * path may become several; all of them but the last are left by `through`.
 */
struct new_path {
	const struct tf_path *old;
	uint32_t id;
	uint32_t first_insn, n_insns; /* of the old path */
	uint32_t first_value;         /* likewise */
	uint32_t n_slots, n_values;
	uint32_t through; /* exit id */
	uint16_t first_block, n_blocks;
};

struct new_exit {
	uint32_t exit;    /* id; TF_NONE: not executed, or a partial exit */
	uint32_t n_slots; /* of the execution of the last new path */
	uint32_t path;    /* number of the last new path, in dictionary.paths */
};

/* The bytes of an instruction, behind which are zeros: what is made of them is made only once. */
struct insn_bytes {
	uint8_t length;
	uint8_t bytes[TF_MAX_INSN_BYTES];
};

/* An instruction without its constants. */
struct stripped_insn {
	struct insn_bytes key;
	uint8_t code[TF_MAX_INSN_BYTES];
	bool is_stripped;     /* what follows is known */
	bool undecodable;     /* the bytes do not decode */
	bool keeps_constants; /* without some, it would be another instruction */
};

/* The facts about an instruction. */
struct insn_kind {
	struct insn_bytes key;
	const struct made_kind *made; /* in dictionary.pool */
	bool decodes;
};

/* A mapping may become several, as it may have parts of several units. */
struct new_mappings {
	uint32_t first, count; /* ids */
};

struct dictionary {
	struct tf_reader *reader;
	struct tf_writer *writer; /* NULL: the dictionary is not written */
	const struct levels *levels;
	const struct use *use;
	const struct address_map *map;
	struct map_lookup *lookup;
	struct paths *paths;
	struct names *names;
	enum isa_vendor vendor;
	uint64_t glue;        /* bytes */
	bool no_addresses;    /* the new trace has none */
	bool no_extras;       /* nor masks, repetition counts and sizes, but constants instead */
	bool keeps_bad_code;  /* bytes that do not decode stay */
	uint64_t undecodable; /* instructions whose bytes do not decode */
	uint64_t constants;   /* instructions that have lost some */

	ARRAY(struct new_path) new_paths;
	uint32_t *first_path;         /* by old path: number of its first new path, or TF_NONE */
	uint32_t *n_new_of;           /* by old path: so many new ones */
	struct new_exit *exits;       /* by old exit */
	uint32_t n_new_exits;         /* 1 + the greatest id */
	struct block_layout *layouts; /* by old block; without `block`: not in the new trace */
	bool *modules;                /* by old index: the new trace has it */
	bool *has_code;               /* by old module: some of its code was executed */
	const char **module_names;    /* by old module: its new name */
	uint32_t *new_blocks, *new_modules, *new_functions, *new_regions; /* TF_NONE: none */
	struct new_mappings *new_mappings;
	HASH_TABLE(struct stripped_insn) stripped;
	HASH_TABLE(struct insn_kind) kinds;
	uint32_t n_new_modules, n_new_symbols, n_new_blocks, n_new_mappings;
	struct pool pool;
};

/* Returns the bytes of an instruction of a block. */
static inline struct insn_bytes insn_bytes(const struct tf_block *block, const struct tf_insn *insn)
{
	struct insn_bytes bytes = { .length = insn->length };

	memcpy(bytes.bytes, block->code + insn->offset, insn->length);
	return bytes;
}

/*
 * Finds the blocks and modules that the new trace has, and makes room for the other members. Error:
 * ARGUMENT (a block has too many values).
 */
int dictionary_begin(struct dictionary *d, struct tf_error *error);
void dictionary_end(struct dictionary *d);

/* Each adds its records to the writer. Returns 0 or a negative status. */
int dictionary_add_modules(struct dictionary *d, struct tf_error *error);
int dictionary_add_names(struct dictionary *d, struct tf_error *error);
int dictionary_add_mappings(struct dictionary *d, struct tf_error *error);
int dictionary_add_blocks(struct dictionary *d, struct tf_error *error);
int dictionary_add_paths(struct dictionary *d, struct tf_error *error);

/* Returns the slots of so many blocks of a new path. */
uint32_t slots_of_blocks(const struct dictionary *d, const struct new_path *path,
			 uint32_t n_blocks);

/* Returns whether an operand (TF_LANES) of the old trace gets indices of 8 bytes. */
bool lanes_are_wide(const struct dictionary *d, const struct tf_operand *operand);

#endif
