/* SPDX-License-Identifier: MIT */
/*
 * mica_dump [-f] [-F] TRACE: prints a trace in the text format of tests/oracle/mica_oracle.py,
 * instruction by instruction. It uses the library's own iterator of accesses, not the analyzers'
 * code. -f names registers by the full registers that they are part of; -F includes the flags among
 * them. The data addresses of process i have i at bit 48.
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/common/trace_meta.h"

static bool fold, with_flags, with_cet;

static void put_registers(char key, const uint8_t *registers, unsigned count, bool flags)
{
	const char *separator = (char[]){ ' ', key, '=', 0 };
	bool put[256] = { false };

	for (unsigned i = 0; i < count; i++) {
		uint8_t number = fold ? isa_register_whole(registers[i]) : registers[i];

		if (put[number])
			continue;
		printf("%s%s", separator, isa_register_name(number));
		put[number] = true;
		separator = ",";
	}
	if (flags)
		printf("%sflags", separator);
}

/* Prints only the first element's accesses; a rep instruction's other elements follow from it. */
static void put_accesses(const struct tf_insn_exec *exec, const char *key, unsigned access,
			 uint64_t process)
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
		printf("%s%#" PRIx64 ":%" PRIu64, n++ ? "," : key, address + (process << 48), size);
		if (operand->form == TF_REP && exec->values[operand->extra + 2] & TF_REP_DOWN)
			printf(":-%" PRIu64, size);
	}
}

/* F3 (REX) 0F 1E with a register: endbr64, rdssp and others. */
static bool is_shadow_stack_nop(const uint8_t *code, size_t length)
{
	size_t at = length > 1 && (code[1] & 0xf0) == 0x40 ? 2 : 1;

	return length == at + 3 && code[0] == 0xf3 && code[at] == 0x0f && code[at + 1] == 0x1e &&
	       code[at + 2] >= 0xc0;
}

static void put(const struct tf_insn_exec *exec, enum isa_vendor vendor, uint64_t process)
{
	const struct tf_insn *insn = &exec->block->insns[exec->index];
	struct isa_effects effects = { 0 };
	struct isa_facts facts;

	if (with_flags)
		isa_effects(exec->block->code + insn->offset, insn->length, exec->pc, vendor,
			    &effects);
	isa_facts(exec->block->code + insn->offset, insn->length, vendor, &facts);
	if (!with_cet && is_shadow_stack_nop(exec->block->code + insn->offset, insn->length))
		facts = (struct isa_facts){ .category = "WIDENOP",
					    .iclass = "NOP",
					    .n_register_operands = 2 };
	printf("%#" PRIx64 " %d %s %s ops=%d", exec->pc, insn->length, facts.category, facts.iclass,
	       facts.n_register_operands);
	put_registers('r', facts.reads, facts.n_reads, effects.reads_flags);
	put_registers('w', facts.writes, facts.n_writes, effects.writes_flags);
	put_accesses(exec, " ld=", TF_LOAD | TF_PREFETCH, process);
	put_accesses(exec, " st=", TF_STORE, process);
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

	for (int option; (option = getopt(argc, argv, "cfF")) >= 0;) {
		with_cet |= option == 'c';
		fold |= option == 'f';
		with_flags |= option == 'F';
	}
	if (optind + 1 != argc)
		errx(2, "usage: mica_dump [-c] [-f] [-F] TRACE");
	options.view = TF_VIEW_INSNS;
	options.columns = TF_ADDRESSES;
	if (tf_open(argv[optind], &reader, &error) < 0 ||
	    tf_cursor_open(reader, &options, &cursor, &error) < 0)
		errx(1, "%s", error.text);
	while (tf_next(cursor, &item, &error) > 0)
		for (size_t i = 0; i < item.count; i++)
			put(&item.insns[i], recorded_vendor(reader),
			    tf_thread(reader, item.thread)->process);
	tf_cursor_close(cursor);
	tf_close(reader);
	return 0;
}
