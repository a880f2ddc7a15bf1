/* SPDX-License-Identifier: MIT */
/*
 * A superblock in translated form: what runs, what its records mean, and how the program's state
 * follows from the registers wherever it is stopped.
 */
#ifndef TRANSLATION_H
#define TRANSLATION_H

#include "recorder/core/pool.h"
#include "recorder/translate/emit/states.h"
#include "recorder/translate/plan/flag_source.h"
#include "recorder/translate/plan/plan.h"
#include "traceformat/tracewriter.h"

/* What a record has before an instruction, but for rsp at an exit. */
struct reached {
	uint16_t n_places, n_slots;
};

/* Where a superblock that is being left by an exit, its record unfinished, can be led on. */
struct side_exit {
	uint64_t pc;      /* in the cache, of at least 5 bytes of one instruction; 0: nowhere */
	uint64_t guard;   /* of an indirect jump, see plan_start */
	uint16_t n_insns; /* executed, an indirect jump not yet */
	uint16_t flags;   /* enum state_flags */
	int16_t counted;  /* instructions, as in struct state, */
	int8_t rsp;       /* likewise */
};

/* Inside a superblock that is only counted, where others may lead to it. Such a superblock is not led on. */
struct entry {
	uint64_t pc;
	uint32_t offset; /* of the superblock's code */
	int16_t pending; /* see pending_count.h */
};

struct translation_exit {
	struct tf_exit trace;
	uint64_t target; /* 0: indirect */
	uint64_t jump;   /* cache pc of the trap or jump that leads there, 0: none */
	struct side_exit side_exit;
	uint16_t n_insns;
	uint16_t n_places; /* of a record */
	int16_t pending;   /* of its target, see pending_count.h */
	bool syscall;      /* it traps before it, with all but the header recorded; others
				   are made in the stub */
	bool extended;     /* a superblock that goes on there has been asked for */
};

enum translation_status {
	TRANSLATION_LIVE,
	TRANSLATION_STALE, /* its code has changed: it begins with a trap, or a jump to another */
	TRANSLATION_SUSPENDED, /* its code may not be executed now: it begins with a trap */
	TRANSLATION_REPLACED,  /* it begins with a jump to a joined one, for ever */
};

struct translation {
	struct translation *next; /* in the cache's table, by pc */
	uint64_t pc;              /* of the program */
	uint64_t code;            /* cache pc where it begins, maybe inside (plan_start) */
	uint64_t prefix;          /* cache pc where indirect jumps enter it, 0: none */
	uint32_t size;            /* bytes of code */
	uint8_t q, t;             /* scratch registers */
	bool counted;             /* no records: its instructions are only counted, */
	int16_t pending;          /* and so many before it, see pending_count.h */
	bool inside;    /* counted, and its code is inside another superblock's, see entry */
	bool bounded;   /* counted, and nothing leads to it or from it */
	bool checked;   /* its code may change: it begins with a nop, see versions.h */
	uint8_t status; /* enum translation_status */
	struct translation *next_checked; /* in the cache's list of these */
	bool joined; /* has been joined with what follows it, or is not to be */
	struct translation
		*counting_variant; /* the same superblock, only counted; NULL: there is none */
	uint8_t generation;        /* how often what begins at pc had been joined before */
	bool int80;                /* the system call it ends with is int 0x80 */
	uint16_t event_bytes;      /* of its call or return record, STATE_UNDO */
	uint8_t control_words;     /* that its last instruction loads, as in isa_insn, */
	uint16_t control_place;    /* and where in a record they are */
	uint64_t call_trap;        /* cache pc of the trap for new return addresses, 0: none */
	uint32_t first_exit;       /* number of exit 0 in records */
	uint32_t trace_path, trace_exit; /* its ids in the trace, TF_NONE until it is there */

	unsigned n_blocks, n_insns, n_exits, n_values, n_slots, n_corrections, n_states;
	struct code_block **blocks;
	struct translation_exit *exits;
	unsigned n_entries;
	struct entry *entries;
	unsigned n_x87_stores;
	uint32_t *x87_stores; /* offsets of a byte behind each instruction that stores the x87
					   pointers: a nop, or a trap */
	struct flag_source *sources; /* see STATE_FLAGS_LOST */
	struct tf_recipe *recipes;   /* of their own; NULL: the trace has them */
	struct plan_correction *corrections;
	uint8_t *states;         /* packed */
	struct reached *reached; /* n_insns + 1, by instructions executed */
	uint16_t *places;        /* n_slots, of a record; NULL: slot i is in place i */
};

/*
 * Translates a plan: writes its code to `at`, to run at code_pc. first_exit: number of its exit 0
 * in records. *translation: in the pool, but for its recipes.
 */
enum translate_status {
	TRANSLATED,
	TRANSLATE_FULL, /* it does not fit into size bytes */
	TRANSLATE_FAR,  /* it refers to memory too far from the cache; *insn says which */
	TRANSLATE_MEMORY,
};
enum translate_status translate(const struct plan *plan, uint8_t *at, size_t size, uint64_t code_pc,
				uint32_t first_exit, struct pool *pool,
				struct translation **translation, unsigned *insn);

/* True if the exit leads back, as the end of a loop does. */
bool translation_leads_back(const struct translation *translation, unsigned exit);

/* Frees its recipes: the trace has the superblock, or nobody asks for the translation any more. */
void translation_drop_recipes(struct translation *translation);

/* Returns the state at an offset of the code. */
struct state translation_state(const struct translation *translation, uint32_t offset);

/* Returns the program's address of an instruction of the superblock. */
uint64_t translation_pc(const struct translation *translation, unsigned insn);

/*
 * Returns the first n_slots slots of a record's places: in those, or copied to `room`, which has
 * space for NUMBERING_SLOTS.
 */
uint64_t *translation_slots(const struct translation *translation, uint64_t *places,
			    unsigned n_slots, uint64_t *room);

/* Returns its bytes. */
const uint8_t *translation_code(const struct translation *translation, unsigned insn);

/* Returns its effects. */
const struct isa_effects *translation_effects(const struct translation *translation, unsigned insn);

/* Returns its facts. */
const struct isa_insn *translation_fact(const struct translation *translation, unsigned insn);

#endif
