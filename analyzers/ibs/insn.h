/* SPDX-License-Identifier: MIT */
/* What the model knows of a static instruction. */
#ifndef IBS_INSN_H
#define IBS_INSN_H

#include "analyzers/ibs/machine.h"
#include "traceformat/isa.h"

enum {
	IBS_FLAGS = ISA_N_REGISTERS,	/* the flags, as one more register */
	IBS_N_REGISTERS,
	IBS_MAX_REGISTERS = ISA_MAX_FACT_REGISTERS + 1,
	IBS_NO_REGISTER = 255,
};

struct ibs_insn {
	uint64_t pc;
	uint32_t index;			/* of all static instructions */
	uint8_t length;			/* bytes */
	uint8_t end;			/* enum tf_end */
	uint8_t n_sources, n_results;	/* whole registers: rax for al */
	uint8_t sources[IBS_MAX_REGISTERS], results[IBS_MAX_REGISTERS];
	uint8_t moved;		/* a result that does not wait for memory: rsp of pop; or none */
	bool is_stack;		/* moved is rsp, which is known at dispatch */
	bool serializes;	/* waits until all before it has retired */
	bool locked;
	uint32_t latency;	/* cycles, without memory */
};

/* Describes the instruction at code. Bytes that no decoder knows are an op without registers. */
void ibs_insn_decode(struct ibs_insn *insn, const struct machine *machine,
		     enum isa_vendor vendor, const uint8_t *code, size_t length, uint64_t pc);

#endif
