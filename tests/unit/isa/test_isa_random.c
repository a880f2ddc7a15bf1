/* SPDX-License-Identifier: MIT */
/* libtraceisa on random bytes: its results are consistent, and it accesses only its arguments. */
#include <check.h>
#include <string.h>

#include "tests/unit/isa/border.h"
#include "tests/unit/random.h"
#include "tests/unit/run_suite.h"
#include "traceformat/traceisa.h"

enum { SENTINEL = 0x5e };

static uint64_t random_state = 0x2545f4914f6cdd1d;

static uint64_t random64(void)
{
	return xorshift(&random_state);
}

/* Half of them begin like the instructions that random bytes seldom hit. */
static void fill_randomly(uint8_t *bytes, size_t size)
{
	static const uint8_t starts[] = { 0x0f, 0x0f, 0x62, 0x62, 0x62, 0xc4, 0xc4, 0xc5,
					  0x66, 0xf2, 0xf3, 0x48, 0x67, 0x64, 0x8f, 0xf0 };
	uint64_t choice = random64();

	for (size_t i = 0; i < size; i++)
		bytes[i] = random64() >> 32;
	if (choice & 1 && size)
		bytes[0] = starts[choice >> 32 & 15];
}

static void check_operand(const struct isa_operand *operand)
{
	const struct tf_operand *trace = &operand->trace;
	static const uint8_t fixed_extras[] = {
		[TF_PLAIN] = 0, [TF_MASKED] = 1, [TF_REP] = 3, [TF_SIZED] = 1
	};

	ck_assert_uint_ne(trace->access, 0);
	ck_assert_uint_le(trace->access, TF_PREFETCH);
	ck_assert_uint_le(trace->form, TF_SIZED);
	ck_assert_uint_eq(trace->size == 0, trace->form == TF_SIZED);
	ck_assert_uint_le(trace->lanes, TF_MAX_LANES);
	ck_assert_uint_eq(trace->lanes != 0, trace->form == TF_MASKED || trace->form == TF_LANES);
	ck_assert_uint_eq(trace->index_size != 0, trace->form == TF_LANES);
	ck_assert_uint_eq(trace->scale != 0, trace->form == TF_LANES);
	ck_assert_uint_eq(operand->address.scale != 0,
			  operand->address.index != ISA_NO_REGISTER ||
				  operand->address.row_stride != ISA_NO_REGISTER);
	if (trace->form == TF_LANES)
		ck_assert_uint_eq(operand->n_extras,
				  1 + (trace->lanes * trace->index_size + 7) / 8);
	else
		ck_assert_uint_eq(operand->n_extras, fixed_extras[trace->form]);
}

static void check_insn(const struct isa_insn *insn, size_t available)
{
	unsigned n_values = insn->n_operands;
	bool transfers = insn->end == TF_END_CONDITIONAL || insn->end == TF_END_JUMP ||
			 insn->end == TF_END_CALL;

	ck_assert_uint_ge(insn->length, 1);
	ck_assert_uint_le(insn->length, available);
	ck_assert_uint_le(insn->n_operands, ISA_MAX_OPERANDS);
	ck_assert_uint_le(insn->end, TF_END_OPAQUE);
	ck_assert_uint_lt(insn->insn_class, ISA_N_CLASSES);
	ck_assert_uint_eq(insn->end == TF_END_OPAQUE, insn->insn_class == ISA_CLASS_OPAQUE);
	ck_assert_uint_eq(insn->end == TF_END_OPAQUE, !!(insn->flags & TF_INSN_OPAQUE));
	ck_assert_uint_eq(insn->rep_element != 0, !!(insn->flags & TF_INSN_REP));
	if (insn->target)
		ck_assert(transfers);
	for (int i = 0; i < insn->n_operands; i++) {
		const struct isa_operand *operand = &insn->operands[i];

		check_operand(operand);
		ck_assert_uint_eq(operand->trace.form == TF_REP, !!(insn->flags & TF_INSN_REP));
		if (operand->trace.form != TF_REP || i == 0)
			n_values += operand->n_extras;
	}
	ck_assert_uint_eq(insn->n_values, n_values);
	ck_assert_uint_le(insn->n_values, ISA_MAX_VALUES);
}

/* isa_values writes only n_values values. */
static void check_values(const struct isa_insn *insn)
{
	static struct isa_registers registers;
	uint64_t values[ISA_MAX_VALUES + 1];

	for (int i = 0; i < 16; i++)
		registers.general[i] = random64();
	registers.mask[random64() % 8] = random64();
	registers.vector[random64() % 32][random64() % 64] = random64();
	values[insn->n_values] = SENTINEL;
	isa_values(insn, &registers, values);
	ck_assert_uint_eq(values[insn->n_values], SENTINEL);
}

static void check_text(const uint8_t *bytes, size_t size)
{
	char text[24];
	size_t room = random64() % sizeof(text);

	text[room] = SENTINEL;
	isa_disassemble(bytes, size, random64(), ISA_INTEL, random64() % 2, text, room);
	ck_assert_int_eq(text[room], SENTINEL);
	if (room)
		ck_assert_uint_lt(strnlen(text, room), room);
}

START_TEST(test_random_bytes)
{
	uint8_t *border = map_border();
	long strings = is_quick() ? 1000000 : 5000000, decoded = 0, operands = 0;

	for (long i = 0; i < strings; i++) {
		size_t size = random64() % 17;
		struct isa_insn insn;

		fill_randomly(border - size, size);
		if (i % 16 == 0)
			check_text(border - size, size);
		if (isa_decode(border - size, size, random64(), ISA_INTEL, &insn) < 0)
			continue;
		check_insn(&insn, size);
		check_values(&insn);
		decoded++;
		operands += insn.n_operands;
	}
	ck_assert_int_gt(decoded, strings / 4);
	ck_assert_int_gt(operands, strings / 10);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("isa-random");
	TCase *tests = tcase_create("bytes");

	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, test_random_bytes);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
