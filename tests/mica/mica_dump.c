/* SPDX-License-Identifier: MIT */
/*
 * mica_dump TRACE: a trace in the text format of tests/oracle/mica_oracle.py, instruction by
 * instruction, with the library's own iterator of accesses; not by what the analyzers use.
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>

#include "traceformat/isa.h"

static void put_registers(char key, const uint8_t *registers, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		printf("%s%s", i ? "," : (char[]){ ' ', key, '=', 0 },
		       isa_register_name(registers[i]));
}

/* The first element alone: a rep instruction's others follow from it. */
static void put_accesses(const struct tf_insn_exec *exec, const char *key, unsigned access)
{
	const struct tf_insn *insn = &exec->block->insns[exec->index];
	unsigned n = 0;

	for (unsigned i = insn->first_operand; i < insn->first_operand + insn->n_operands; i++) {
		const struct tf_operand *operand = &exec->block->operands[i];
		uint64_t size = operand->size, address = exec->values[i];

		if (!(operand->access & access))
			continue;
		if (operand->form == TF_MASKED)
			size *= operand->lanes;
		if (operand->form == TF_SIZED)
			size = exec->values[operand->extra];
		if (operand->access & TF_PREFETCH)
			size = 64;
		if (operand->form == TF_LANES) {
			struct tf_accesses it;

			tf_accesses_begin(&it, operand, exec->block, exec->values);
			if (!tf_accesses_next(&it))
				continue;
			address = it.address;
		}
		printf("%s%#" PRIx64 ":%" PRIu64, n++ ? "," : key, address, size);
		if (operand->form == TF_REP && exec->values[operand->extra + 2] & TF_REP_DOWN)
			printf(":-%" PRIu64, size);
	}
}

static void put(const struct tf_insn_exec *exec)
{
	const struct tf_insn *insn = &exec->block->insns[exec->index];
	struct isa_facts facts;

	isa_facts(exec->block->code + insn->offset, insn->length, &facts);
	printf("%#" PRIx64 " %d %s %s ops=%d", exec->pc, insn->length, facts.category,
	       facts.iclass, facts.n_register_operands);
	put_registers('r', facts.reads, facts.n_reads);
	put_registers('w', facts.writes, facts.n_writes);
	put_accesses(exec, " ld=", TF_LOAD | TF_PREFETCH);
	put_accesses(exec, " st=", TF_STORE);
	if (facts.conditional)
		printf(" t=%d", exec->outcome == TF_TAKEN);
	if (insn->flags & TF_INSN_REP)
		printf(" rep=%" PRIu64,
		       exec->values[exec->block->operands[insn->first_operand].extra + 1]);
	putchar('\n');
}

int main(int argc, char **argv)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_reader *reader;
	struct tf_cursor *cursor;
	struct tf_error error;
	struct tf_item item;

	if (argc != 2)
		errx(2, "usage: mica_dump TRACE");
	options.view = TF_VIEW_INSNS;
	options.columns = TF_ADDRESSES;
	if (tf_open(argv[1], &reader, &error) < 0 ||
	    tf_cursor_open(reader, &options, &cursor, &error) < 0)
		errx(1, "%s", error.text);
	while (tf_next(cursor, &item, &error) > 0)
		for (size_t i = 0; i < item.count; i++)
			put(&item.insns[i]);
	tf_cursor_close(cursor);
	tf_close(reader);
	return 0;
}
