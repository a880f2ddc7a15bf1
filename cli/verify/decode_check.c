/* SPDX-License-Identifier: MIT */
/*
 * A block stores the facts that the recorder's decoder found, so that no reader needs a decoder.
 * The check decodes the bytes again: with Zydis, to find blocks of older decoders and of other
 * programs that are not the same today, and with capstone, to find errors of Zydis.
 */
#include "cli/verify/decode_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/common/trace_meta.h"
#include "cli/verify/second_decoder.h"
#include "traceformat/traceisa.h"

struct check {
	struct second_decoder *second;
	enum isa_vendor vendor;
	bool is_filtered; /* operands may have been removed: FORMAT.md 4.7 */
	void (*difference)(void *opaque, const char *text);
	void *opaque;
	struct decode_counts *counts;
};

/* The place of an instruction in its block. */
struct place {
	const struct tf_block *block;
	const struct tf_insn *insn;
	const uint8_t *code;
	size_t available; /* bytes to the block's end */
	uint64_t pc;
	bool last; /* of the block */
};

/* Lists an instruction. claim: the difference, in one line. */
static void list(const struct check *check, const struct place *at, const char *claim)
{
	char bytes[2 * 15 + 1] = "", text[768];

	for (size_t i = 0; i < at->available && i < 15 && i < at->insn->length; i++)
		sprintf(bytes + 2 * i, "%02x", at->code[i]);
	snprintf(text, sizeof(text), "block %" PRIu32 ", %" PRIx64 ", bytes %s: %s", at->block->id,
		 at->pc, bytes, claim);
	check->difference(check->opaque, text);
}

static void list_stale(struct check *check, const struct place *at, const char *part,
		       const char *decoded)
{
	char claim[512];

	check->counts->stale++;
	snprintf(claim, sizeof(claim), "the trace has another %s than Zydis, which decodes %s",
		 part, decoded);
	list(check, at, claim);
}

static void list_difference(struct check *check, const struct place *at, const char *ours,
			    const struct decoder_difference *difference)
{
	char claim[512];

	check->counts->differ++;
	snprintf(claim, sizeof(claim),
		 "the decoders differ in the %s: Zydis decodes %s, capstone %s",
		 decoded_part_name(difference->part), ours, difference->theirs);
	list(check, at, claim);
}

static bool same_operand(const struct tf_operand *a, const struct tf_operand *b)
{
	return a->access == b->access && a->form == b->form && a->flags == b->flags &&
	       a->segment == b->segment && a->lanes == b->lanes && a->index_size == b->index_size &&
	       a->scale == b->scale && a->size == b->size;
}

/* Returns the part in which the stored instruction differs from the decoded one, or NULL. */
static const char *stale_part(const struct place *at, const struct isa_insn *insn, bool is_filtered)
{
	const struct tf_operand *operands = at->block->operands + at->insn->first_operand;

	if (at->insn->length != insn->length)
		return "length";
	if (at->last ? at->block->end != insn->end : insn->end != TF_END_NONE)
		return "control transfer";
	if (at->last && insn->end != TF_END_OPAQUE && at->block->target != insn->target)
		return "target";
	if (at->insn->flags != insn->flags)
		return "flags";
	if (is_filtered)
		return NULL;
	if (at->insn->n_operands != insn->n_operands)
		return "number of memory operands";
	for (int i = 0; i < insn->n_operands; i++)
		if (!same_operand(&operands[i], &insn->operands[i].trace))
			return "memory operand";
	return NULL;
}

static void check_insn(struct check *check, const struct place *at)
{
	struct decoder_difference difference;
	struct isa_insn insn;
	const char *stale;
	char ours[128];

	check->counts->insns++;
	isa_disassemble(at->code, at->available, at->pc, check->vendor, ISA_SYNTAX_INTEL, ours,
			sizeof(ours));
	if (isa_decode(at->code, at->available, at->pc, check->vendor, &insn) < 0) {
		if (at->insn->flags & TF_INSN_OPAQUE)
			return;
		list_stale(check, at, "length", "no instruction");
		return;
	}
	stale = stale_part(at, &insn, check->is_filtered);
	if (stale) {
		list_stale(check, at, stale, ours);
		return;
	}
	switch (second_decoder_compare(check->second, at->code, at->available, at->pc,
				       check->vendor, &insn, &difference)) {
	case DECODERS_AGREE: return;
	case DECODERS_ONE: check->counts->one++; return;
	case DECODERS_EXCUSED: check->counts->excused++; return;
	case DECODERS_DIFFER: break;
	}
	list_difference(check, at, ours, &difference);
}

static void check_block(struct check *check, const struct tf_block *block)
{
	for (uint32_t i = 0; i < block->n_insns; i++) {
		const struct tf_insn *insn = &block->insns[i];
		struct place at = { block,
				    insn,
				    block->code + insn->offset,
				    block->code_size - insn->offset,
				    block->pc + insn->offset,
				    i + 1u == block->n_insns };

		check_insn(check, &at);
	}
}

int decode_check(struct tf_reader *reader, void (*difference)(void *opaque, const char *text),
		 void *opaque, struct decode_counts *counts, struct tf_error *error)
{
	struct check check = { .difference = difference, .opaque = opaque, .counts = counts };
	int status = tf_load(reader, error);
	struct tf_info info;

	*counts = (struct decode_counts){ 0 };
	if (status < 0)
		return status;
	status = tf_get_info(reader, &info, error);
	if (status < 0)
		return status;
	if (info.code_withheld) {
		*error = (struct tf_error){ .status = TF_E_ARGUMENT,
					    .text = "--decode needs code bytes, which the trace "
						    "withholds" };
		return TF_E_ARGUMENT;
	}
	check.vendor = recorded_vendor(reader);
	check.is_filtered = tf_meta(reader, "filter.parent");
	check.second = second_decoder_open();
	if (!check.second) {
		*error = (struct tf_error){ .status = TF_E_MEMORY,
					    .text = "no memory for capstone" };
		return TF_E_MEMORY;
	}
	for (uint32_t id = 0; id < tf_n_blocks(reader); id++) {
		const struct tf_block *block = tf_block(reader, id);

		if (block)
			check_block(&check, block);
	}
	second_decoder_close(check.second);
	return 0;
}
