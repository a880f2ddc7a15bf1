/* SPDX-License-Identifier: MIT */
/*
 * Prints instructions. The parts that depend only on code (pc, bytes, disassembly) are made once
 * for each static instruction, so that a line of text or CSV costs little more than its numbers. A
 * row of JSON is made of jansson's values, which takes about a microsecond.
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
	char *text; /* of text and CSV */
	size_t length;
	json_t *pc, *bytes;             /* of JSON */
	const struct tf_symbol *symbol; /* that covers it, or NULL */
};

/* Returns how many bytes of an instruction the trace has: all or none. */
static unsigned known_bytes(const struct tf_block *block, const struct tf_insn *insn)
{
	return block->kinds ? 0 : insn->length;
}

static void put_static(const struct dump *dump, FILE *out, const struct tf_block *block,
		       const struct tf_insn *insn)
{
	const uint8_t *code = block->code + insn->offset;
	unsigned length = known_bytes(block, insn);
	uint64_t pc = block->pc + insn->offset;
	char text[256] = "(opaque)";

	if (!(insn->flags & TF_INSN_OPAQUE))
		isa_block_disassemble(block, (unsigned)(insn - block->insns), dump->vendor,
				      dump->options->syntax, text, sizeof(text));
	if (dump->options->format == DUMP_TEXT) {
		fprintf(out, "%12" PRIx64 "  ", pc);
		if (dump->options->bytes) {
			enum { WIDTH = 2 * 10 }; /* most instructions */
			put_bytes(out, code, length);
			put_blanks(out, length * 2 < WIDTH ? WIDTH - length * 2 : 0);
			put_text(out, "  ");
		}
		if (insn->n_operands)
			fprintf(out, "%-36s", text);
		else
			put_text(out, text);
	} else {
		fprintf(out, "0x%" PRIx64 ",", pc);
		put_bytes(out, code, length);
		putc(',', out);
		put_csv(out, text);
		putc(',', out);
	}
}

static void make_line(const struct dump *dump, const struct tf_block *block,
		      const struct tf_insn *insn, struct static_line *line)
{
	if (dump->options->format == DUMP_JSONL) {
		line->pc = json_hex(block->pc + insn->offset);
		line->bytes = json_bytes(block->code + insn->offset, known_bytes(block, insn));
		return;
	}
	FILE *out = checked(open_memstream(&line->text, &line->length));

	put_static(dump, out, block, insn);
	if (fclose(out))
		out_of_memory();
	if (!dump->options->no_symbols)
		line->symbol = tf_symbol(dump->reader, block->module,
					 block->module_offset + insn->offset);
}

static void free_line(struct static_line *line)
{
	free(line->text);
	json_decref(line->pc);
	json_decref(line->bytes);
}

void dump_free_lines(struct dump *dump)
{
	for (uint32_t i = 0; i < dump->n_blocks; i++) {
		if (!dump->lines[i])
			continue;
		for (unsigned j = 0; j < tf_block(dump->reader, i)->n_insns; j++)
			free_line(&dump->lines[i][j]);
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
	for (unsigned i = 0; i < block->n_insns; i++)
		make_line(dump, block, &block->insns[i], &lines[i]);
	dump->lines[block->id] = lines;
	return lines;
}

static void put_label(struct dump *dump, uint32_t thread, const struct tf_block *block,
		      unsigned index, const struct tf_symbol *symbol)
{
	if (dump->has_label && dump->thread == thread && dump->module == block->module &&
	    dump->symbol == symbol)
		return;
	dump->has_label = true;
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

/* Prints the addresses of the active lanes, with commas between them. */
static void put_lanes(FILE *out, const struct tf_block *block, const struct tf_operand *operand,
		      const uint64_t *values)
{
	struct tf_accesses it;
	bool first = true;

	tf_accesses_begin(&it, operand, block, values);
	while (tf_accesses_next(&it)) {
		if (!first)
			putc_unlocked(',', out);
		first = false;
		put_hex(out, it.address);
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
			put_lanes(out, block, operand, values);
		else
			put_hex(out, values[operand - block->operands]);
	}
	putc_unlocked(']', out);
}

static json_t *json_lanes(const struct tf_block *block, const struct tf_operand *operand,
			  const uint64_t *values)
{
	json_t *lanes = checked(json_array());
	struct tf_accesses it;

	tf_accesses_begin(&it, operand, block, values);
	while (tf_accesses_next(&it))
		json_element(lanes, json_hex(it.address));
	return lanes;
}

static json_t *json_operand(const struct dump *dump, const struct tf_block *block,
			    const struct tf_operand *operand, const uint64_t *values)
{
	json_t *object = checked(json_object());

	json_member(object, "kind", json_word(access_name(operand->access)));
	json_member(object, "address",
		    dump->addresses ? json_hex(values[operand - block->operands]) : json_null());
	json_member(object, "size", json_number(access_size(operand, values)));
	json_member(object, "count", json_number(tf_access_count(operand, values)));
	if (rep_flags(operand, values) & TF_REP_DOWN)
		json_member(object, "down", json_true());
	if (rep_flags(operand, values) & TF_REP_INTERRUPTED)
		json_member(object, "interrupted", json_true());
	if (dump->addresses && has_lanes(operand))
		json_member(object, "lanes", json_lanes(block, operand, values));
	return object;
}

static void put_row(const struct dump *dump, uint32_t thread, uint64_t ordinal,
		    const struct tf_insn_exec *exec, const struct static_line *line)
{
	const struct tf_insn *insn = &exec->block->insns[exec->index];
	const struct tf_operand *operands = exec->block->operands + insn->first_operand;
	json_t *row = dump_row("insn", ordinal, thread), *mem = checked(json_array());

	json_member(row, "pc", json_incref(line->pc));
	json_member(row, "bytes", json_incref(line->bytes));
	json_member(row, "mem", mem);
	for (unsigned i = 0; i < insn->n_operands; i++)
		json_element(mem, json_operand(dump, exec->block, &operands[i], exec->values));
	if (insn->flags & TF_INSN_OPAQUE)
		json_member(row, "opaque", json_true());
	dump_put_row(dump->out, row);
}

void dump_insn(struct dump *dump, uint32_t thread, uint64_t ordinal,
	       const struct tf_insn_exec *exec)
{
	FILE *out = dump->out;
	const struct tf_block *block = exec->block;
	const struct tf_insn *insn = &block->insns[exec->index];
	const struct tf_operand *operands = block->operands + insn->first_operand;
	const struct static_line *line = &static_lines(dump, block)[exec->index];
	bool is_text = dump->options->format == DUMP_TEXT;

	if (dump->options->format == DUMP_JSONL) {
		put_row(dump, thread, ordinal, exec, line);
		return;
	}
	if (is_text && !dump->options->no_symbols)
		put_label(dump, thread, block, exec->index, line->symbol);
	dump_head(dump, "insn", ordinal, thread);
	fwrite_unlocked(line->text, 1, line->length, out);
	if (!is_text && insn->n_operands)
		putc_unlocked('"', out);
	for (unsigned i = 0; i < insn->n_operands; i++) {
		if (i || is_text)
			putc_unlocked(' ', out);
		put_operand_text(dump, block, &operands[i], exec->values);
	}
	if (!is_text && insn->n_operands)
		putc_unlocked('"', out);
	putc_unlocked('\n', out);
}
