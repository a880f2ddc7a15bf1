/* SPDX-License-Identifier: MIT */
/*
 * Compares instructions that libtraceisa has decoded, with Zydis, with capstone's decoding. Two
 * decoders that were written independently seldom make the same errors.
 */
#ifndef SECOND_DECODER_H
#define SECOND_DECODER_H

#include "traceformat/traceisa.h"

struct second_decoder;

/* Opens capstone for x86-64. Returns NULL if memory is out. */
struct second_decoder *second_decoder_open(void);

/* Closes the decoder. NULL is allowed. */
void second_decoder_close(struct second_decoder *decoder);

enum decoded_part {
	DECODED_LENGTH,   /* bytes of the instruction */
	DECODED_TRANSFER, /* kind of control transfer, and static target */
	DECODED_OPERAND,  /* explicit memory operand: base, index, scale, displacement, segment */
	DECODED_SIZE,     /* bytes of its access */
};

/* Returns the part's name, for example "length". */
const char *decoded_part_name(enum decoded_part part);

enum agreement {
	DECODERS_AGREE,
	DECODERS_DIFFER,
	DECODERS_EXCUSED, /* they differ where capstone is known to be wrong */
	DECODERS_ONE,     /* capstone does not know the instruction */
};

struct decoder_difference {
	enum decoded_part part;
	const char *reason; /* DECODERS_EXCUSED: capstone's error, a constant */
	char theirs[256];   /* capstone's disassembly */
};

/*
 * Compares insn, which isa_decode() decoded from code, with capstone's decoding of the same bytes.
 * available, pc, vendor: as for isa_decode(). *difference is set unless the decoders agree; its
 * part is the first that differs. Implicit operands (push, string instructions), lanes and masks
 * are not compared, since capstone does not have them; nor are loads and stores, which capstone
 * 4.0.2 often confuses.
 */
enum agreement second_decoder_compare(struct second_decoder *decoder, const uint8_t *code,
				      size_t available, uint64_t pc, enum isa_vendor vendor,
				      const struct isa_insn *insn,
				      struct decoder_difference *difference);

#endif
