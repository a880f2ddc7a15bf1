/* SPDX-License-Identifier: MIT */
/* The ops of a trace, one by one in the order of a thread. */
#ifndef IBS_PROGRAM_H
#define IBS_PROGRAM_H

#include "analyzers/ibs/pipeline.h"

/* The static side of a trace. */
struct ibs_code {
	struct tf_reader *reader;
	size_t *first;			/* by block: its instructions; and the total */
	struct ibs_insn *insns;
	uint32_t *blocks;		/* by instruction: its block */
};

/* Reads a loaded trace. Memory that is out ends the process. */
void ibs_code_init(struct ibs_code *code, struct tf_reader *reader,
		   const struct machine *machine);
void ibs_code_free(struct ibs_code *code);

/* The ops of one thread. An op is handed on when the next one tells where it went. */
struct ibs_program {
	const struct ibs_code *code;
	void (*consume)(void *opaque, const struct ibs_op *op);
	void *opaque;
	unsigned current;	/* which op is not yet handed on, if one is */
	bool has_current;
	struct ibs_op ops[2];
};

/* Takes an item of blocks with addresses. */
void ibs_program_feed(struct ibs_program *program, const struct tf_item *item);

/* Hands on the last op. */
void ibs_program_end(struct ibs_program *program);

#endif
