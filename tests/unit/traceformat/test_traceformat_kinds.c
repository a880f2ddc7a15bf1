/* SPDX-License-Identifier: MIT */
/* Traces that withhold code: kinds of instructions take its place (FORMAT.md 4.8). */
#include "tests/unit/run_suite.h"
#include "tests/unit/traces/trace_file.h"
#include "traceformat/file/format.h"
#include "traceformat/file/section.h"
#include "traceformat/traceisa.h"

static const struct tf_insn_kind add = {
	.category = "BINARY",
	.iclass = "ADD",
	.mnemonic = "add",
	.flags = TF_KIND_WRITES_FLAGS | TF_KIND_REPLACES_FLAGS,
	.insn_class = ISA_CLASS_INT_ARITHMETIC,
	.n_register_operands = 3,
	.n_reads = 2,
	.n_writes = 1,
	.reads = { 0, 1 },
	.writes = { 0 },
	.general_reads = 3,
	.general_writes = 1,
};
static const struct tf_insn_kind ret = {
	.category = "RET",
	.iclass = "",
	.mnemonic = "",
	.traits = ISA_TRAIT_REPNE,
	.insn_class = ISA_CLASS_RETURN,
	.general_reads = 1u << ISA_RSP,
	.general_writes = 1u << ISA_RSP,
};

/* add; add; ret */
static const struct tf_insn_kind *const kinds[] = { &add, &add, &ret };
static const struct tf_insn insns[] = { { 0, 3, 0, 0, 0 }, { 3, 3, 0, 0, 0 }, { 6, 1, 0, 0, 1 } };
static const struct tf_operand operands[] = {
	{ .insn = 2, .access = TF_LOAD, .flags = TF_IMPLICIT, .size = 8 }
};
static const uint8_t code[] = { 0x48, 1, 0xc8, 0x48, 1, 0xc8, 0xc3 };
/* clang-format off */
static const struct tf_block block = {
	.module = TF_NONE, .pc = 0x1000, .end = TF_END_RETURN, .n_insns = 3, .n_operands = 1,
	.code_size = sizeof(code), .code = code, .insns = insns, .operands = operands,
	.kinds = kinds,
};
/* clang-format on */

static struct tf_writer *create(int fd, bool withheld)
{
	const struct tf_writer_options options = { .size = sizeof(options),
						   .code_withheld = withheld };
	struct tf_writer *writer;

	ck_assert_int_eq(tf_writer_create_fd(fd, "x", &options, &writer, NULL), 0);
	return writer;
}

/* Returns a trace of the block, twice, with other kinds. */
static int make_trace_of(const struct tf_insn_kind *const others[3])
{
	int fd = new_file();
	struct tf_writer *writer = create(fd, true);
	struct tf_block one = block, other = block;

	one.kinds = other.kinds = others;
	other.pc += 0x100;
	ck_assert_int_eq(tf_writer_add_block(writer, &one, NULL, NULL), 0);
	ck_assert_int_eq(tf_writer_add_block(writer, &other, NULL, NULL), 0);
	ck_assert_int_eq(tf_writer_finish(writer, 0, "exit", NULL), 0);
	tf_writer_free(writer);
	return fd;
}

static int make_trace(void)
{
	return make_trace_of(kinds);
}

START_TEST(kinds_are_read_back)
{
	int fd = make_trace();
	struct tf_reader *reader = open_file(fd);
	const struct tf_block *b;
	struct tf_info info;

	ck_assert_int_eq(tf_verify(reader, print_fault, NULL, NULL), 0);
	ck_assert_int_eq(tf_load(reader, NULL), 0);
	ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);
	ck_assert(info.code_withheld);
	b = tf_block(reader, 1);
	ck_assert_uint_eq(b->pc, 0x1100);
	for (unsigned i = 0; i < b->code_size; i++)
		ck_assert_uint_eq(b->code[i], 0);
	ck_assert_ptr_eq(b->kinds[0], b->kinds[1]); /* equal kinds are one record */
	ck_assert_ptr_eq(b->kinds[2], tf_block(reader, 0)->kinds[2]);
	ck_assert_str_eq(b->kinds[0]->category, "BINARY");
	ck_assert_str_eq(b->kinds[0]->iclass, "ADD");
	ck_assert_str_eq(b->kinds[0]->mnemonic, "add");
	ck_assert_uint_eq(b->kinds[0]->flags, add.flags);
	ck_assert_uint_eq(b->kinds[0]->n_register_operands, 3);
	ck_assert_mem_eq(b->kinds[0]->reads, add.reads, TF_MAX_KIND_REGISTERS);
	ck_assert_uint_eq(b->kinds[0]->n_writes, 1);
	ck_assert_uint_eq(b->kinds[0]->general_reads, 3);
	ck_assert_uint_eq(b->kinds[2]->traits, ISA_TRAIT_REPNE);
	ck_assert_uint_eq(b->kinds[2]->insn_class, ISA_CLASS_RETURN);
	tf_close(reader);
	close(fd);
}
END_TEST

START_TEST(facts_come_from_kinds)
{
	struct isa_insn insn;
	struct isa_facts facts;
	struct isa_effects effects;
	char text[64];

	ck_assert_int_eq(isa_block_insn(&block, 2, ISA_INTEL, &insn), 0);
	ck_assert_uint_eq(insn.insn_class, ISA_CLASS_RETURN);
	ck_assert_uint_eq(insn.end, TF_END_RETURN);
	ck_assert_uint_eq(insn.n_operands, 1);
	ck_assert_uint_eq(insn.operands[0].trace.access, TF_LOAD);
	ck_assert_int_eq(isa_block_effects(&block, 2, ISA_INTEL, &effects), 0);
	ck_assert_uint_eq(effects.to, ISA_RSP);
	ck_assert_int_eq(isa_block_effects(&block, 0, ISA_INTEL, &effects), 0);
	ck_assert_uint_eq(effects.to, ISA_NO_REGISTER);
	ck_assert(effects.writes_flags && !effects.reads_flags);
	ck_assert_int_eq(isa_block_facts(&block, 0, ISA_INTEL, &facts), 0);
	ck_assert_str_eq(facts.iclass, "ADD");
	ck_assert_uint_eq(facts.n_reads, 2);
	isa_block_disassemble(&block, 0, ISA_INTEL, ISA_SYNTAX_ATT, text, sizeof(text));
	ck_assert_str_eq(text, "[add: rax <- rax, rcx]");
	isa_block_disassemble(&block, 2, ISA_INTEL, ISA_SYNTAX_ATT, text, sizeof(text));
	ck_assert_str_eq(text, "[return]");
	isa_block_disassemble(&block, 0, ISA_INTEL, ISA_SYNTAX_ATT, text, 6);
	ck_assert_str_eq(text, "[add:");
}
END_TEST

/* A block's code and the trace's header agree. */
START_TEST(mixtures_are_refused)
{
	struct tf_block with_code = block;
	struct tf_error error;
	int fd = new_file();
	struct tf_writer *writer = create(fd, true);

	with_code.kinds = NULL;
	ck_assert_int_eq(tf_writer_add_block(writer, &with_code, NULL, &error), TF_E_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(error.text, "withholds code"));
	tf_writer_free(writer);
	writer = create(fd, false);
	ck_assert_int_eq(tf_writer_add_block(writer, &block, NULL, &error), TF_E_ARGUMENT);
	tf_writer_free(writer);
	close(fd);
}
END_TEST

/* Finds the next stored section of a kind that contains these bytes. */
static struct section find_section(uint8_t **header, unsigned kind, const void *bytes, size_t size)
{
	struct section s = { 0 };
	uint64_t hash;

	while (section_header_read(*header, &s, &hash) &&
	       (s.kind != kind || !memmem(*header + SECTION_HEADER_SIZE, s.stored, bytes, size)))
		*header += section_span(&s);
	ck_assert_uint_eq(s.kind, kind);
	ck_assert_uint_eq(s.codec, CODEC_STORED);
	return s;
}

/* Replaces a text in the section of kinds, and in its copy, by another of its length. */
static void replace_in_kinds(int fd, const char *text, const char *with)
{
	size_t size = file_size(fd), length = strlen(text);
	uint8_t *file = malloc(size), *header = file + FILE_HEADER_SIZE, *copies_header = header;
	uint8_t *payload, *copies_payload, *copy;
	struct section section, copies;
	uint64_t hash;

	read_at(fd, file, size, 0);
	section = find_section(&header, SECTION_KINDS, text, length);
	payload = header + SECTION_HEADER_SIZE;
	copies = find_section(&copies_header, SECTION_COPIES, payload, section.stored);
	copies_payload = copies_header + SECTION_HEADER_SIZE;
	copy = memmem(copies_payload, copies.stored, payload, section.stored);
	ck_assert_ptr_nonnull(copy);

	memcpy(memmem(payload, section.stored, text, length), with, length);
	hash = payload_hash(section.codec, payload, section.stored);
	section_header_write(&section, hash, header);
	memcpy(copy, payload, section.stored);
	memcpy(copy - sizeof(hash), &hash, sizeof(hash));
	hash = payload_hash(copies.codec, copies_payload, copies.stored);
	section_header_write(&copies, hash, copies_header);
	write_at(fd, file, size, 0);
	free(file);
}

static const char *const hostile_names[] = { "=1+1", "\x1b[2J", "a,bc", "a\nbc", "a bc" };
enum { N_HOSTILE = sizeof(hostile_names) / sizeof(*hostile_names) };

/* Names that a table or a terminal would take for more than names are damage. */
START_TEST(hostile_names_are_refused)
{
	for (size_t i = 0; i <= N_HOSTILE; i++) {
		struct tf_insn_kind named = add;
		const struct tf_insn_kind *const others[] = { &named, &named, &ret };
		bool hostile = i < N_HOSTILE;
		struct tf_reader *reader;
		int fd;

		named.mnemonic = "name";
		fd = make_trace_of(others);
		replace_in_kinds(fd, "name", hostile ? hostile_names[i] : "Na_9");
		reader = open_file(fd);
		ck_assert_int_eq(tf_verify(reader, print_fault, NULL, NULL) != 0, hostile);
		ck_assert_int_eq(tf_load(reader, NULL), 0);
		ck_assert_int_eq(tf_block(reader, 0) == NULL, hostile);
		tf_close(reader);
		close(fd);
	}
}
END_TEST

static void check_refusal(const struct tf_insn_kind *kind)
{
	const struct tf_insn_kind *const first[] = { &add, kind, &ret };
	struct tf_block named = block;
	int fd = new_file();
	struct tf_writer *writer = create(fd, true);
	struct tf_error error;

	named.kinds = first;
	ck_assert_int_eq(tf_writer_add_block(writer, &named, NULL, &error), TF_E_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(error.text, "0x1000: instruction 1: a name of its kind"));
	tf_writer_free(writer);
	close(fd);
}

/* The writer writes no names that a reader takes for damage. */
START_TEST(writer_refuses_hostile_names)
{
	static const char longest[] = "1234567890123456789012345678901";
	struct tf_insn_kind fits = add, category = add, iclass = add, mnemonic = add;
	const struct tf_insn_kind *const others[] = { &fits, &add, &ret };

	ck_assert_uint_eq(strlen(longest), TF_MAX_KIND_TEXT);
	fits.mnemonic = longest;
	close(make_trace_of(others));
	category.category = "12345678901234567890123456789012";
	check_refusal(&category);
	iclass.iclass = "ADD,SUB";
	check_refusal(&iclass);
	for (size_t i = 0; i < N_HOSTILE; i++) {
		mnemonic.mnemonic = hostile_names[i];
		check_refusal(&mnemonic);
	}
}
END_TEST

/* A reader that does not know the feature refuses the trace: its bit is set, and a version. */
START_TEST(old_readers_refuse)
{
	int fd = make_trace();
	uint8_t header[64];

	read_at(fd, header, sizeof(header), 0);
	ck_assert_uint_eq(header[14], 7);
	ck_assert_uint_eq(header[24], 1);
	close(fd);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("traceformat kinds");
	TCase *tests = tcase_create("kinds");

	tcase_add_test(tests, kinds_are_read_back);
	tcase_add_test(tests, facts_come_from_kinds);
	tcase_add_test(tests, mixtures_are_refused);
	tcase_add_test(tests, hostile_names_are_refused);
	tcase_add_test(tests, writer_refuses_hostile_names);
	tcase_add_test(tests, old_readers_refuse);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
