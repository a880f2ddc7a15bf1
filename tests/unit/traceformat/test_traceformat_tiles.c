/* SPDX-License-Identifier: MIT */
/*
 * A matrix program in a trace loads two tiles from each KiB of 8 MiB, and stores one. The accesses
 * read from the trace are those that the processor would make by the tile configuration.
 */
#include <check.h>
#include <string.h>

#include "tests/unit/run_suite.h"
#include "tests/unit/traces/synthetic.h"
#include "traceformat/traceisa.h"

/* tileloadd (%rax,%rbx,1),%tmm1; tileloadd (%rax,%rbx,1),%tmm2; tilestored %tmm0,(%rcx,%rbx,1) */
#define TILES                      \
	"\xc4\xe2\x7b\x4b\x0c\x18" \
	"\xc4\xe2\x7b\x4b\x14\x18" \
	"\xc4\xe2\x7a\x4b\x04\x19"

enum { INSN_SIZE = 6, N_INSNS = 3, MATRIX = 8 << 20, TILE = 1024, LINE = 64, STRIDE = 64 };

static const uint64_t first = 0x7f0000000000, result = 0x7f8000000000;
static uint8_t lines[MATRIX / LINE];

static void set_tiles(struct isa_registers *r, unsigned columns, unsigned rows)
{
	memset(r, 0, sizeof(*r));
	r->tile_config[0] = 1;
	for (unsigned tile = 0; tile < 3; tile++) {
		r->tile_config[16 + 2 * tile] = (uint8_t)columns;
		r->tile_config[48 + tile] = (uint8_t)rows;
	}
	r->general[ISA_RBX] = STRIDE;
	r->general[ISA_RCX] = result;
}

/* Computes the block's values: addresses of all instructions, then the extras of all. */
static void find_values(const struct isa_registers *r, uint64_t *values)
{
	uint64_t one[ISA_MAX_VALUES];
	unsigned addresses = 0, extras = N_INSNS * ISA_MAX_OPERANDS;

	for (unsigned i = 0; i < N_INSNS; i++) {
		struct isa_insn insn;
		unsigned n;

		ck_assert_int_eq(isa_decode((const uint8_t *)TILES + INSN_SIZE * i, INSN_SIZE, 0,
					    ISA_INTEL, &insn),
				 0);
		isa_values(&insn, r, one);
		n = insn.n_values - insn.n_operands;
		memcpy(values + addresses, one, insn.n_operands * sizeof(*one));
		memcpy(values + extras, one + insn.n_operands, n * sizeof(*one));
		addresses += insn.n_operands;
		extras += n;
	}
}

static void write_trace(struct synthetic *s, unsigned columns, unsigned rows)
{
	uint64_t values[N_INSNS * ISA_MAX_VALUES];
	struct synthetic_code code;
	struct isa_registers r;

	synthetic_begin(s, NULL);
	synthetic_thread(s, synthetic_process(s, 1));
	code = synthetic_code(s, 0x1000, BYTES(TILES));
	ck_assert_uint_eq(code.n_values, N_INSNS * ISA_MAX_VALUES);
	set_tiles(&r, columns, rows);
	for (uint64_t at = 0; at < MATRIX; at += TILE) {
		r.general[ISA_RAX] = first + at;
		find_values(&r, values);
		synthetic_exec(s, 0, code.not_taken, values);
	}
	synthetic_end(s);
}

struct seen {
	uint64_t loads, stores, bytes, lines;
};

static void see_operand(const struct tf_operand *operand, const struct tf_block_exec *exec,
			struct seen *seen)
{
	bool load = operand->access == TF_LOAD;
	struct tf_accesses it;

	tf_accesses_begin(&it, operand, exec->block, exec->values);
	while (tf_accesses_next(&it)) {
		uint64_t at = it.address - (load ? first : result);

		ck_assert_uint_le(at + it.size, load ? MATRIX : TILE);
		seen->loads += load;
		seen->stores += !load;
		seen->bytes += it.size;
		if (load)
			lines[at / LINE] = 1;
	}
}

/* Checks the totals that the trace states, too. */
static struct seen read_trace(struct synthetic *s)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct seen seen = { 0 };
	struct tf_reader *reader;
	struct tf_cursor *cursor;
	struct tf_item item;
	struct tf_info info;

	memset(lines, 0, sizeof(lines));
	options.columns = TF_ADDRESSES;
	synthetic_ok(s, tf_open(s->path, &reader, &s->error));
	synthetic_ok(s, tf_cursor_open(reader, &options, &cursor, &s->error));
	while (tf_next(cursor, &item, &s->error) > 0)
		for (size_t i = 0; i < item.count; i++)
			for (unsigned k = 0; k < item.blocks[i].block->n_operands; k++)
				see_operand(&item.blocks[i].block->operands[k], &item.blocks[i],
					    &seen);
	synthetic_ok(s, tf_get_info(reader, &info, &s->error));
	ck_assert_uint_eq(info.totals.loads, seen.loads);
	ck_assert_uint_eq(info.totals.stores, seen.stores);
	ck_assert_uint_eq(info.totals.opaque, 0);
	tf_cursor_close(cursor);
	tf_close(reader);
	for (size_t i = 0; i < sizeof(lines); i++)
		seen.lines += lines[i];
	return seen;
}

/* pieces: the number of pieces of a row. */
static void check_trace(unsigned columns, unsigned rows, unsigned pieces)
{
	enum { TIMES = MATRIX / TILE };
	struct synthetic s;
	struct seen seen;

	write_trace(&s, columns, rows);
	seen = read_trace(&s);
	ck_assert_uint_eq(seen.loads, 2ull * TIMES * rows * pieces);
	ck_assert_uint_eq(seen.stores, (uint64_t)TIMES * rows * pieces);
	ck_assert_uint_eq(seen.bytes, 3ull * TIMES * rows * columns);
	ck_assert_uint_eq(seen.lines, (uint64_t)TIMES * rows);
	synthetic_remove(&s);
}

START_TEST(whole_tiles)
{
	check_trace(64, 16, 1);
}
END_TEST

START_TEST(parts_of_tiles)
{
	check_trace(48, 5, 2);
	check_trace(4, 1, 1);
	check_trace(63, 16, 6);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("traceformat-tiles");
	TCase *tests = tcase_create("tiles");

	tcase_add_test(tests, whole_tiles);
	tcase_add_test(tests, parts_of_tiles);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
