/* SPDX-License-Identifier: MIT */
/*
 * A superblock in translated form: its code, the meaning of its records, and the program's state at
 * any place where a task can be stopped in it.
 */
#ifndef TRANSLATION_H
#define TRANSLATION_H

#include <stdatomic.h>

#include "recorder/translate/emit/states.h"
#include "recorder/translate/plan/flag_source.h"
#include "recorder/translate/plan/plan.h"
#include "traceformat/common/pool.h"
#include "traceformat/tracewriter.h"

/* A place where the superblock can be extended: an exit is being taken, and its record is
 * unfinished. */
struct side_exit {
	uint64_t pc;      /* cache pc of one instruction with at least 5 bytes; 0: none */
	uint64_t guard;   /* guard of an indirect jump, see plan_start */
	uint16_t n_insns; /* executed instructions, without an indirect jump */
	uint16_t flags;   /* enum state_flags */
	int16_t counted;  /* instructions, as in struct state */
	int8_t rsp;       /* as in struct state */
};

/* A place inside a counting variant that exits of others may be linked to. A superblock with
 * entries is not extended. */
struct entry {
	uint64_t pc;
	uint32_t offset; /* in the superblock's code */
	int16_t pending; /* see pending_count.h */
};

struct translation_exit {
	struct tf_exit trace;
	uint64_t target; /* 0: indirect */
	uint64_t jump;   /* cache pc of the trap or jump that leads to the target; 0: none */
	struct side_exit side_exit;
	uint16_t n_insns;
	uint16_t n_places : 15; /* places of a record */
	/* The exit traps before a system call, with a record that lacks the header. Calls that the
	 * stub makes have no such exit. */
	bool syscall : 1;
	int16_t pending; /* pending count of the target, see pending_count.h */
	/* Encoders set these while other threads read them. */
	atomic_bool taken;    /* it has been recorded */
	atomic_bool extended; /* an extension of this exit has been requested */
};

enum translation_status {
	TRANSLATION_LIVE,
	TRANSLATION_STALE, /* its code has changed: it begins with a trap, or a jump to another */
	TRANSLATION_SUSPENDED, /* its code may not be executed now: it begins with a trap */
	TRANSLATION_REPLACED,  /* it begins with a jump to an extended superblock, permanently */
};

/*
 * There are many translations, and the kernel clears the memory of each: members are sorted by
 * size.
 */
struct translation {
	struct translation *next; /* in the cache's table, by pc */
	uint64_t pc;              /* program's pc */
	uint64_t code;   /* cache pc of the entry, maybe inside another superblock (plan_start) */
	uint64_t prefix; /* cache pc where indirect jumps enter; 0: none */
	uint64_t call_trap; /* cache pc of the trap for new return addresses; 0: none */
	struct translation *next_checked;     /* in the cache's list of checked translations */
	struct translation *counting_variant; /* counting variant of this superblock, or NULL */
	/* the superblock that it continues from an exit, see cache_extend(); NULL: none */
	struct translation *extends;
	uint32_t size;       /* bytes of code */
	uint32_t executed;   /* for collect.c: order of the first execution, TF_NONE: none */
	uint32_t first_exit; /* number of exit 0 in records */
	/* ids in the trace, TF_NONE until it is there; of no meaning in a run for vectors */
	uint32_t trace_path, trace_exit;

	uint16_t extends_exit;
	int16_t pending;        /* pending count at the entry, see pending_count.h */
	uint16_t event_bytes;   /* bytes of its call or return record, STATE_UNDO */
	uint16_t control_place; /* place of the control words in a record */
	uint8_t control_words;  /* control words that the last instruction loads, as in isa_insn */
	uint8_t q, t;           /* scratch registers */
	uint8_t armed_byte;
	uint8_t status;     /* enum translation_status */
	uint8_t generation; /* how often superblocks at pc had been extended before */
	bool counted;       /* counting variant: counts instructions and has no records */
	bool armed;         /* it begins with a trap for a while, in place of armed_byte */
	bool excluded;      /* its code is excluded, and has a budget of its own, see exclusion.h */
	bool inside;        /* counting variant whose code is inside another's, see entry */
	bool bounded;       /* counting variant without links to it or from it */
	bool checked;       /* its code may change: it begins with a nop, see versions.h */
	atomic_bool extension_done; /* has been extended, or is not to be; set by encoders, too */
	bool int80;                 /* the system call at the end is int 0x80 */

	uint16_t n_blocks, n_insns, n_exits, n_values, n_slots, n_corrections, n_states;
	uint16_t n_entries, n_x87_stores;
	struct translation_exit *exits;
	struct entry *entries;
	uint32_t *x87_stores; /* offsets of the nop or trap after each store of the x87 pointers */
	struct flag_source *sources; /* see STATE_FLAGS_LOST */
	struct tf_recipe *recipes;   /* NULL: a counting variant */
	struct plan_correction *corrections;
	uint8_t *states;   /* packed */
	uint16_t *places;  /* n_slots elements: places in a record; NULL: slot i is in place i */
	uint16_t *reached; /* see translation_places_before() */
	struct code_block *blocks[];
};

/*
 * Translates a plan: writes its code to `at`, to run at code_pc. first_exit is the number of its
 * exit 0 in records. *translation is allocated in the pool.
 */
enum translate_status {
	TRANSLATED,
	TRANSLATE_FULL, /* the code does not fit into size bytes */
	TRANSLATE_FAR,  /* instruction *insn refers to memory too far from the cache */
	TRANSLATE_MEMORY,
};
enum translate_status translate(const struct plan *plan, uint8_t *at, size_t size, uint64_t code_pc,
				uint32_t first_exit, struct pool *pool,
				struct translation **translation, unsigned *insn);

/* Returns true if the exit leads back, as the end of a loop does. */
bool translation_leads_back(const struct translation *translation, unsigned exit);

/* Return the size of a record before an instruction, which may be the one after the last, without
 * rsp of an exit. */
unsigned translation_places_before(const struct translation *translation, unsigned insn);
unsigned translation_slots_before(const struct translation *translation, unsigned insn);

/* Returns the state at an offset of the code. */
struct state translation_state(const struct translation *translation, uint32_t offset);

/* Returns the program's address of an instruction of the superblock. */
uint64_t translation_pc(const struct translation *translation, unsigned insn);

/*
 * Returns the first n_slots slots of a record, either in `places` itself or copied to `room`, which
 * has space for NUMBERING_SLOTS.
 */
uint64_t *translation_slots(const struct translation *translation, uint64_t *places,
			    unsigned n_slots, uint64_t *room);

/* Returns the bytes of an instruction. */
const uint8_t *translation_code(const struct translation *translation, unsigned insn);

/* Returns the effects of an instruction. */
const struct isa_effects *translation_effects(const struct translation *translation, unsigned insn);

/* Returns the facts of an instruction. */
const struct isa_insn *translation_fact(const struct translation *translation, unsigned insn);

#endif
