/* SPDX-License-Identifier: MIT */
/*
 * Prints instructions. The parts that depend only on code (pc, bytes, disassembly) are formatted once
 * for each static instruction and then copied, so that a line costs little more than its numbers.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/escape.h"
#include "cli/common/put.h"
#include "cli/dump/line.h"

/* The part of a line that all executions of an instruction share. */
struct static_line {
	char *text;
	size_t length;
	const struct tf_symbol *symbol; /* that covers it, or NULL */
};

static void put_static(const struct dump *dump, FILE *out, const struct tf_block *block,
		       const struct tf_insn *insn)
{
	const uint8_t *code = block->code + insn->offset;
	uint64_t pc = block->pc + insn->offset;
	char text[256] = "(opaque)";

	if (!(insn->flags & TF_INSN_OPAQUE))
		isa_disassemble(code, insn->length, pc, dump->vendor, dump->options->syntax, text,
				sizeof(text));
	switch (dump->options->format) {
	case DUMP_TEXT:
		fprintf(out, "%12" PRIx64 "  ", pc);
		if (dump->options->bytes) {
			enum { WIDTH = 2 * 10 }; /* most instructions */
			put_bytes(out, code, insn->length);
			put_blanks(out, insn->length * 2 < WIDTH ? WIDTH - insn->length * 2 : 0);
			put_text(out, "  ");
		}
		if (insn->n_operands)
			fprintf(out, "%-36s", text);
		else
			put_text(out, text);
		break;
	case DUMP_JSONL:
		fprintf(out, "\"pc\":\"0x%" PRIx64 "\",\"bytes\":\"", pc);
		put_bytes(out, code, insn->length);
		put_text(out, "\",\"mem\":[");
		break;
	case DUMP_CSV:
		fprintf(out, "0x%" PRIx64 ",", pc);
		put_bytes(out, code, insn->length);
		putc(',', out);
		put_csv(out, text);
		putc(',', out);
		break;
	}
}

void dump_free_lines(struct dump *dump)
{
	for (uint32_t i = 0; i < dump->n_blocks; i++) {
		if (!dump->lines[i])
			continue;
		for (unsigned j = 0; j < tf_block(dump->reader, i)->n_insns; j++)
			free(dump->lines[i][j].text);
		free(dump->lines[i]);
		dump->lines[i] = NULL;
	}
	dump->n_lines = 0;
}

/* Returns the lines of a block's instructions, valid until the next call. */
static const struct static_line *static_lines(struct dump *dump, const struct tf_block *block)
{
	enum { MAX_LINES = 1 << 20 }; /* some 100 MB */
	struct static_line *lines = dump->lines[block->id];

	if (lines)
		return lines;
	if (dump->n_lines > MAX_LINES)
		dump_free_lines(dump);
	dump->n_lines += block->n_insns;
	lines = checked_array(block->n_insns + 1, sizeof(*lines));
	for (unsigned i = 0; i < block->n_insns; i++) {
		FILE *out = checked(open_memstream(&lines[i].text, &lines[i].length));

		put_static(dump, out, block, &block->insns[i]);
		if (fclose(out))
			out_of_memory();
		if (!dump->options->no_symbols)
			lines[i].symbol = tf_symbol(dump->reader, block->module,
						    block->module_offset + block->insns[i].offset);
	}
	dump->lines[block->id] = lines;
	return lines;
}

static void put_label(struct dump *dump, uint32_t thread, const struct tf_block *block,
		      unsigned index, const struct tf_symbol *symbol)
{
	if (dump->somewhere && dump->thread == thread && dump->module == block->module &&
	    dump->symbol == symbol)
		return;
	dump->somewhere = true;
	dump->thread = thread;
	dump->module = block->module;
	dump->symbol = symbol;
	char *label = dump_place(dump->reader, block,
				 block->module_offset + block->insns[index].offset, symbol);

	dump_text(dump->out, label);
	put_text(dump->out, ":\n");
	free(label);
}

static const char *access_name(unsigned access)
{
	return access & TF_PREFETCH             ? "prefetch"
	       : access == (TF_LOAD | TF_STORE) ? "load-store"
	       : access == TF_STORE             ? "store"
						: "load";
}

static bool has_lanes(const struct tf_operand *operand)
{
	return operand->form == TF_MASKED || operand->form == TF_LANES;
}

static uint64_t rep_flags(const struct tf_operand *operand, const uint64_t *values)
{
	return operand->form == TF_REP ? values[operand->extra + 2] : 0;
}

static uint64_t access_size(const struct tf_operand *operand, const uint64_t *values)
{
	return operand->form == TF_SIZED ? values[operand->extra] : operand->size;
}

/* Calls put_address(out, address) for each active lane, with commas between the addresses. */
static void put_lanes(FILE *out, const struct tf_block *block, const struct tf_operand *operand,
		      const uint64_t *values, void (*put_address)(FILE *, uint64_t))
{
	struct tf_accesses it;
	bool first = true;

	tf_accesses_begin(&it, operand, block, values);
	while (tf_accesses_next(&it)) {
		if (!first)
			putc_unlocked(',', out);
		first = false;
		put_address(out, it.address);
	}
}

/* "[load 8 @0x7ffe1000]", "[store 1 x4096 down @0x1000]", "[load 4 x2 @0x1000,0x2000]" */
static void put_operand_text(const struct dump *dump, const struct tf_block *block,
			     const struct tf_operand *operand, const uint64_t *values)
{
	FILE *out = dump->out;

	putc_unlocked('[', out);
	put_text(out, access_name(operand->access));
	putc_unlocked(' ', out);
	put_number(out, access_size(operand, values));
	if (operand->form == TF_REP || has_lanes(operand)) {
		put_text(out, " x");
		put_number(out, tf_access_count(operand, values));
	}
	if (rep_flags(operand, values) & TF_REP_DOWN)
		put_text(out, " down");
	if (rep_flags(operand, values) & TF_REP_INTERRUPTED)
		put_text(out, " interrupted");
	if (dump->addresses) {
		put_text(out, " @");
		if (has_lanes(operand))
			put_lanes(out, block, operand, values, put_hex);
		else
			put_hex(out, values[operand - block->operands]);
	}
	putc_unlocked(']', out);
}

static void put_operand_json(const struct dump *dump, const struct tf_block *block,
			     const struct tf_operand *operand, const uint64_t *values)
{
	FILE *out = dump->out;

	put_text(out, "{\"kind\":\"");
	put_text(out, access_name(operand->access));
	put_text(out, "\",\"address\":");
	if (dump->addresses)
		put_json_hex(out, values[operand - block->operands]);
	else
		put_text(out, "null");
	put_text(out, ",\"size\":");
	put_number(out, access_size(operand, values));
	put_text(out, ",\"count\":");
	put_number(out, tf_access_count(operand, values));
	if (rep_flags(operand, values) & TF_REP_DOWN)
		put_text(out, ",\"down\":true");
	if (rep_flags(operand, values) & TF_REP_INTERRUPTED)
		put_text(out, ",\"interrupted\":true");
	if (dump->addresses && has_lanes(operand)) {
		put_text(out, ",\"lanes\":[");
		put_lanes(out, block, operand, values, put_json_hex);
		putc_unlocked(']', out);
	}
	putc_unlocked('}', out);
}

void dump_insn(struct dump *dump, uint32_t thread, uint64_t ordinal,
	       const struct tf_insn_exec *exec)
{
	FILE *out = dump->out;
	const struct tf_block *block = exec->block;
	const struct tf_insn *insn = &block->insns[exec->index];
	const struct tf_operand *operands = block->operands + insn->first_operand;
	const struct static_line *line = &static_lines(dump, block)[exec->index];
	enum dump_format format = dump->options->format;

	if (format == DUMP_TEXT && !dump->options->no_symbols)
		put_label(dump, thread, block, exec->index, line->symbol);
	dump_head(dump, "insn", ordinal, thread);
	fwrite_unlocked(line->text, 1, line->length, out);
	if (format == DUMP_CSV && insn->n_operands)
		putc_unlocked('"', out);
	for (unsigned i = 0; i < insn->n_operands; i++) {
		if (format == DUMP_JSONL) {
			if (i)
				putc_unlocked(',', out);
			put_operand_json(dump, block, &operands[i], exec->values);
		} else {
			if (i || format == DUMP_TEXT)
				putc_unlocked(' ', out);
			put_operand_text(dump, block, &operands[i], exec->values);
		}
	}
	if (format == DUMP_CSV && insn->n_operands)
		putc_unlocked('"', out);
	if (format == DUMP_JSONL)
		put_text(out, insn->flags & TF_INSN_OPAQUE ? "],\"opaque\":true}" : "]}");
	putc_unlocked('\n', out);
}
