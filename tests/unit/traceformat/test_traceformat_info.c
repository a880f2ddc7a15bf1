/* SPDX-License-Identifier: MIT */
/* Information about a trace: totals, META, dictionary, symbols, sections; operand accesses. */
#include "tests/unit/run_suite.h"
#include "tests/unit/traces/trace_file.h"

static void check_totals(const struct tf_totals *found, const struct tf_totals *expected)
{
	ck_assert_uint_eq(found->instructions, expected->instructions);
	ck_assert_uint_eq(found->loads, expected->loads);
	ck_assert_uint_eq(found->stores, expected->stores);
	ck_assert_uint_eq(found->prefetches, expected->prefetches);
	ck_assert_uint_eq(found->repetitions, expected->repetitions);
	ck_assert_uint_eq(found->opaque, expected->opaque);
	ck_assert_uint_eq(found->blocks, expected->blocks);
	ck_assert_uint_eq(found->paths, expected->paths);
	ck_assert_uint_eq(found->events, expected->events);
}

/* The totals of a finished trace are stored; those of an unfinished trace come from its chunks. */
START_TEST(totals)
{
	struct random_options options = small_options(100 + (uint64_t)_i);
	struct random_trace *t = random_trace_new(&options);
	bool finish = _i % 2;
	int fd = file_of_trace(t, finish);
	struct tf_reader *reader = open_file(fd);
	struct tf_totals sum = { 0 }, found;
	struct tf_info info;

	for (uint32_t i = 0; i < options.n_threads; i++) {
		struct tf_totals thread = { 0 };

		truth_totals(t, i, &thread);
		truth_totals(t, i, &sum);
		ck_assert_int_eq(tf_get_thread_totals(reader, i, &found, NULL), 0);
		check_totals(&found, &thread);
	}
	ck_assert_int_eq(tf_get_thread_totals(reader, options.n_threads, &found, NULL),
			 TF_E_ARGUMENT);
	ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);
	check_totals(&info.totals, &sum);
	ck_assert_int_eq(info.complete, finish);
	ck_assert_int_eq(info.wait_status, finish ? t->wait_status : -1);
	ck_assert_str_eq(info.stop_reason, finish ? "exit" : "");
	ck_assert_mem_eq(info.uuid, t->uuid, 16);
	ck_assert_uint_eq(info.created_ns, 1700000000000000000);
	ck_assert_uint_eq(info.file_size, file_size(fd));
	ck_assert(info.has_addresses && info.order_exact);
	ck_assert_uint_eq(info.n_threads, options.n_threads);
	ck_assert_uint_eq(info.n_processes, options.n_processes);
	ck_assert_uint_eq(info.n_modules, options.n_modules);
	ck_assert_uint_eq(info.n_sections_lost, 0);
	ck_assert_uint_eq(info.bytes_lost, 0);
	ck_assert_int_eq(tf_verify(reader, finish ? print_fault : ignore_fault, NULL, NULL),
			 finish ? 0 : 1);
	tf_close(reader);
	close(fd);
	random_trace_free(t);
}
END_TEST

static void check_block(const struct tf_block *found, const struct tf_block *expected)
{
	ck_assert_ptr_nonnull(found);
	ck_assert_uint_eq(found->id, expected->id);
	ck_assert_uint_eq(found->module, expected->module);
	ck_assert_uint_eq(found->pc, expected->pc);
	ck_assert_uint_eq(found->module_offset, expected->module_offset);
	ck_assert_uint_eq(found->target, expected->target);
	ck_assert_uint_eq(found->end, expected->end);
	ck_assert_uint_eq(found->n_insns, expected->n_insns);
	ck_assert_uint_eq(found->n_operands, expected->n_operands);
	ck_assert_uint_eq(found->n_values, expected->n_values);
	ck_assert_uint_eq(found->code_size, expected->code_size);
	ck_assert_mem_eq(found->code, expected->code, expected->code_size);
	for (unsigned i = 0; i < found->n_insns; i++) {
		const struct tf_insn *a = &found->insns[i], *b = &expected->insns[i];

		ck_assert(a->offset == b->offset && a->length == b->length &&
			  a->flags == b->flags && a->first_operand == b->first_operand &&
			  a->n_operands == b->n_operands);
	}
	for (unsigned k = 0; k < found->n_operands; k++) {
		const struct tf_operand *a = &found->operands[k], *b = &expected->operands[k];

		ck_assert(a->insn == b->insn && a->access == b->access && a->form == b->form &&
			  a->flags == b->flags && a->segment == b->segment &&
			  a->lanes == b->lanes && a->index_size == b->index_size &&
			  a->scale == b->scale && a->size == b->size &&
			  (a->form == TF_PLAIN || a->extra == b->extra));
	}
}

static void check_path(const struct tf_path *found, const struct tf_path *expected)
{
	ck_assert_ptr_nonnull(found);
	ck_assert(found->id == expected->id && found->first_exit == expected->first_exit);
	ck_assert(found->n_blocks == expected->n_blocks && found->n_exits == expected->n_exits);
	ck_assert(found->n_slots == expected->n_slots && found->n_values == expected->n_values);
	ck_assert_uint_eq(found->n_insns, expected->n_insns);
	ck_assert_int_eq(!found->recipes, !expected->recipes);
	for (unsigned i = 0; i < found->n_blocks; i++)
		ck_assert_uint_eq(found->blocks[i], expected->blocks[i]);
	for (unsigned i = 0; found->recipes && i < found->n_values; i++) {
		const struct tf_recipe *a = &found->recipes[i], *b = &expected->recipes[i];

		ck_assert(a->base == b->base && a->scale == b->scale && a->slot == b->slot &&
			  a->bit_string == b->bit_string && a->address32 == b->address32 &&
			  a->segment == b->segment && a->index_slot == b->index_slot &&
			  a->displacement == b->displacement);
	}
	for (unsigned k = 0; k < found->n_exits; k++) {
		const struct tf_exit *a = &found->exits[k], *b = &expected->exits[k];

		ck_assert(a->n_blocks == b->n_blocks && a->outcome == b->outcome &&
			  a->n_slots == b->n_slots && a->rsp_rule == b->rsp_rule &&
			  a->rsp_slot == b->rsp_slot && a->rsp_value == b->rsp_value);
	}
}

static void check_exits(const struct tf_reader *reader, const struct random_trace *t,
			const struct tf_path *p)
{
	struct tf_exit_info info;

	for (unsigned k = 0; k <= p->n_exits; k++) {
		ck_assert(tf_exit(reader, p->first_exit + k, &info));
		ck_assert_uint_eq(info.path->id, p->id);
		ck_assert_uint_eq(info.n_blocks, k < p->n_exits ? p->exits[k].n_blocks : 0);
		ck_assert_uint_eq(info.outcome, k < p->n_exits ? p->exits[k].outcome : TF_PARTIAL);
		ck_assert_uint_eq(info.n_insns,
				  k < p->n_exits ? random_insns_of(t, p, p->exits[k].n_blocks) : 0);
	}
}

static void check_names(const struct tf_reader *reader, const struct random_trace *t)
{
	for (uint32_t i = 0; i < t->modules.count; i++) {
		const struct tf_module *a = tf_module(reader, i), *b = &t->modules.at[i];

		ck_assert_ptr_nonnull(a);
		ck_assert_str_eq(a->path, b->path);
		ck_assert(a->index == i && a->kind == b->kind && a->file_size == b->file_size);
		ck_assert_uint_eq(a->build_id_size, b->build_id_size);
		ck_assert_mem_eq(a->build_id, b->build_id, 20);
	}
	for (uint32_t i = 0; i < t->processes.count; i++) {
		const struct tf_process *a = tf_process(reader, i), *b = &t->processes.at[i];

		ck_assert(a && a->index == i && a->pid == b->pid && a->parent == b->parent);
	}
	for (uint32_t i = 0; i < t->threads.count; i++) {
		const struct tf_thread *a = tf_thread(reader, i), *b = &t->threads.at[i];

		ck_assert(a && a->index == i && a->process == b->process && a->tid == b->tid);
	}
	for (uint32_t i = 0; i < t->functions.count; i++) {
		const struct tf_function *a = tf_function(reader, i), *b = &t->functions.at[i];

		ck_assert(a && a->index == i && a->n_args == b->n_args);
		ck_assert_str_eq(a->name, b->name);
	}
	for (uint32_t i = 0; i < t->regions.count; i++)
		ck_assert_str_eq(tf_region(reader, i)->name, t->regions.at[i].name);
	for (uint32_t i = 0; i < t->mappings.count; i++) {
		const struct tf_mapping *a = tf_mapping(reader, i), *b = &t->mappings.at[i];

		ck_assert(a && a->index == i && a->change == b->change &&
			  a->process == b->process && a->module == b->module &&
			  a->start == b->start && a->size == b->size &&
			  a->file_offset == b->file_offset && a->protection == b->protection);
		ck_assert_str_eq(a->name, b->name);
	}
}

START_TEST(dictionary)
{
	struct random_options options = small_options(200 + (uint64_t)_i);
	struct open_trace t = open_random_trace(&options);
	struct tf_reader *reader = t.reader;
	struct tf_exit_info info;

	ck_assert_ptr_null(tf_module(reader, 0));
	ck_assert_ptr_null(tf_block(reader, 0));
	ck_assert_int_eq(tf_load(reader, NULL), 0);
	check_names(reader, t.trace);
	ck_assert_uint_gt(tf_n_paths(reader), 0);
	for (uint32_t i = 0; i < tf_n_blocks(reader); i++)
		check_block(tf_block(reader, i), &t.trace->blocks.at[i]);
	for (uint32_t i = 0; i < tf_n_paths(reader); i++) {
		check_path(tf_path(reader, i), &t.trace->paths.at[i]);
		check_exits(reader, t.trace, &t.trace->paths.at[i]);
	}
	ck_assert(!tf_exit(reader, tf_n_exits(reader), &info));
	ck_assert_ptr_null(tf_block(reader, tf_n_blocks(reader)));
	ck_assert_ptr_null(tf_path(reader, tf_n_paths(reader)));
	ck_assert_ptr_null(tf_module(reader, options.n_modules));
	ck_assert_ptr_null(tf_process(reader, TF_NONE));
	ck_assert_ptr_null(tf_thread(reader, options.n_threads));
	ck_assert_ptr_null(tf_function(reader, 3));
	ck_assert_ptr_null(tf_mapping(reader, 3));
	ck_assert_ptr_null(tf_region(reader, 3));
	close_random_trace(&t);
}
END_TEST

START_TEST(meta)
{
	static const struct {
		const char *key, *value;
	} lines[] = {
		{ "a", "1" },
		{ "two.lines", "first\nsecond" },
		{ "back-slash", "c:\\new\\\\n" },
		{ "empty", "" },
		{ "colon", "x: y: z" },
		{ "utf8", "\xc3\xa4\xe2\x82\xac" },
		{ "end", "tail\n" },
		{ "a", "2" },
		{ "only", "\\" },
		{ "env.LC_ALL", "C" },
	};
	enum { N = sizeof(lines) / sizeof(*lines) };
	int fd = new_file();
	struct tf_reader *reader;
	struct tf_writer *writer;
	const char *value;

	ck_assert_int_eq(tf_writer_create_fd(fd, "x", NULL, &writer, NULL), 0);
	for (unsigned i = 0; i < N; i++) {
		ck_assert_int_eq(tf_writer_meta(writer, lines[i].key, lines[i].value, NULL), 0);
		if (i == 4)
			ck_assert_int_eq(tf_writer_flush(writer, NULL), 0);
	}
	ck_assert_int_eq(tf_writer_meta(writer, "", "x", NULL), TF_E_ARGUMENT);
	ck_assert_int_eq(tf_writer_meta(writer, "a b", "x", NULL), TF_E_ARGUMENT);
	ck_assert_int_eq(tf_writer_meta(writer, "a:", "x", NULL), TF_E_ARGUMENT);
	ck_assert_int_eq(tf_writer_meta(writer, "\xc3\xa4", "x", NULL), TF_E_ARGUMENT);
	ck_assert_int_eq(tf_writer_finish(writer, -1, "exit", NULL), 0);
	tf_writer_free(writer);

	reader = open_file(fd);
	for (unsigned i = 1; i < N; i++)
		ck_assert_str_eq(tf_meta(reader, lines[i].key), lines[i].value);
	ck_assert_ptr_null(tf_meta(reader, "none"));
	for (unsigned i = 0; i < N - 1; i++) /* in order of first mention */
		ck_assert_str_eq(tf_meta_at(reader, i, &value), lines[i < 7 ? i : i + 1].key);
	ck_assert_ptr_null(tf_meta_at(reader, N - 1, &value));
	tf_close(reader);
	close(fd);
}
END_TEST

static bool covers(const struct tf_symbol *s, const struct tf_symbol *next, uint64_t offset)
{
	if (s->size)
		return offset >= s->value && offset - s->value < s->size;
	return offset >= s->value && (!next || offset < next->value);
}

/* Each look-up finds a symbol that covers the offset, if there is one; a sized one first. */
START_TEST(symbols)
{
	struct random_options options = small_options(300 + (uint64_t)_i);
	struct random_trace *t;
	int fd;
	struct tf_reader *reader;

	options.n_symbols = 50;
	t = random_trace_new(&options);
	fd = file_of_trace(t, true);
	reader = open_file(fd);
	ck_assert_int_eq(tf_load(reader, NULL), 0);
	for (uint32_t m = 0; m < options.n_modules; m++) {
		size_t count;
		const struct tf_symbol *sorted = tf_symbols(reader, m, &count);

		ck_assert_uint_eq(count, t->symbols.at[m].count);
		for (size_t i = 1; i < count; i++)
			ck_assert_uint_le(sorted[i - 1].value, sorted[i].value);
		for (size_t i = 0; i < count; i++) { /* each is there with its fields */
			const struct tf_symbol *s = &t->symbols.at[m].symbols[i];
			bool found = false;

			for (size_t k = 0; k < count; k++)
				found |= sorted[k].value == s->value && sorted[k].size == s->size &&
					 sorted[k].kind == s->kind &&
					 !strcmp(sorted[k].name, s->name);
			ck_assert(found);
		}
		for (uint64_t offset = 0; offset < 5000; offset++) {
			const struct tf_symbol *s = tf_symbol(reader, m, offset);
			bool exists = false;

			for (size_t i = 0; i < count && sorted[i].value <= offset; i++)
				exists |= covers(&sorted[i], i + 1 < count ? &sorted[i + 1] : NULL,
						 offset);
			ck_assert_int_eq(s != NULL, exists);
			if (s)
				ck_assert(covers(s, s + 1 < sorted + count ? s + 1 : NULL, offset));
		}
	}
	ck_assert_ptr_null(tf_symbol(reader, options.n_modules, 0));
	tf_close(reader);
	close(fd);
	random_trace_free(t);
}
END_TEST

struct column_sum {
	uint64_t stored, n;
};

static void add_column(void *opaque, unsigned id, unsigned coding, uint64_t stored, uint64_t raw)
{
	struct column_sum *sum = opaque;

	(void)coding;
	(void)raw;
	ck_assert(id == 0 || tf_column_name(id)[0] != '(');
	sum->stored += stored;
	sum->n++;
}

/* The sections and their columns account for the whole file. */
START_TEST(sections)
{
	struct random_options options = small_options(7);
	struct open_trace t = open_random_trace(&options);
	struct tf_reader *reader = t.reader;
	uint64_t end = 64, instructions = 0;
	struct tf_section_info s;
	struct tf_info info;
	uint32_t n = 0, chunks = 0;

	ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);
	for (; tf_section(reader, n, &s); n++) {
		struct column_sum sum = { 0 };

		ck_assert_uint_eq(s.number, n);
		ck_assert_uint_eq(s.offset, end);
		ck_assert_str_ne(tf_section_kind_name(s.kind), "(unknown)");
		ck_assert_int_eq(tf_section_columns(reader, n, add_column, &sum, NULL), 0);
		ck_assert_uint_eq(sum.stored, s.stored_size - (sum.n > 1 ? 8 + 32 * sum.n : 0));
		end += 80 + (s.stored_size + 7) / 8 * 8;
		chunks += sum.n > 1;
		instructions += s.instructions;
	}
	ck_assert_uint_eq(n, info.n_sections);
	ck_assert_uint_eq(chunks, info.n_chunks);
	ck_assert_uint_eq(instructions, info.totals.instructions);
	ck_assert_int_eq(tf_section_columns(reader, n, add_column, NULL, NULL), TF_E_ARGUMENT);
	ck_assert_uint_lt(end, info.file_size); /* INDEX and trailer follow */
	close_random_trace(&t);
}
END_TEST

struct access {
	uint64_t address;
	uint32_t size;
};

static void check_accesses(const struct tf_block *block, const uint64_t *values,
			   const struct access *expected, unsigned count)
{
	struct tf_accesses it;

	ck_assert_uint_eq(tf_access_count(block->operands, values), count);
	tf_accesses_begin(&it, block->operands, block, values);
	for (unsigned i = 0; i < count; i++) {
		ck_assert(tf_accesses_next(&it));
		ck_assert_uint_eq(it.address, expected[i].address);
		ck_assert_uint_eq(it.size, expected[i].size);
	}
	ck_assert(!tf_accesses_next(&it));
	ck_assert(!tf_accesses_next(&it));
}

START_TEST(accesses)
{
	struct tf_operand o = { .access = TF_LOAD, .form = TF_PLAIN, .size = 8, .extra = 1 };
	struct tf_block b = { .n_operands = 1, .operands = &o };

	check_accesses(&b, (uint64_t[]){ 0x1000 }, (struct access[]){ { 0x1000, 8 } }, 1);

	o.form = TF_SIZED;
	o.size = 0;
	check_accesses(&b, (uint64_t[]){ 0x1000, 576 }, (struct access[]){ { 0x1000, 576 } }, 1);

	o.form = TF_MASKED;
	o.size = 4;
	o.lanes = 4; /* bit 4 and those above are no lanes */
	check_accesses(&b, (uint64_t[]){ 0x1000, 0xfa },
		       (struct access[]){ { 0x1004, 4 }, { 0x100c, 4 } }, 2);
	check_accesses(&b, (uint64_t[]){ 0x1000, 0x10 }, NULL, 0);

	o.lanes = 64;
	check_accesses(&b, (uint64_t[]){ 0, UINT64_C(1) << 63 | 1 },
		       (struct access[]){ { 0, 4 }, { 252, 4 } }, 2);

	o.form = TF_REP;
	o.lanes = 0;
	check_accesses(&b, (uint64_t[]){ 0x1000, 9, 3, 0 },
		       (struct access[]){ { 0x1000, 4 }, { 0x1004, 4 }, { 0x1008, 4 } }, 3);
	check_accesses(&b, (uint64_t[]){ 0x1000, 9, 2, TF_REP_DOWN | TF_REP_ZF },
		       (struct access[]){ { 0x1000, 4 }, { 0xffc, 4 } }, 2);
	check_accesses(&b, (uint64_t[]){ 0x1000, 0, 0, 0 }, NULL, 0);

	o.form = TF_LANES;
	o.lanes = 3;
	o.index_size = 4;
	o.scale = 8;
	check_accesses(&b, (uint64_t[]){ 0x1000, 7, 0xffffffff00000002, 5 },
		       (struct access[]){ { 0x1010, 4 }, { 0xff8, 4 }, { 0x1028, 4 } }, 3);
	o.index_size = 8;
	check_accesses(&b, (uint64_t[]){ 0x1000, 5, (uint64_t)-1, 99, 1 },
		       (struct access[]){ { 0xff8, 4 }, { 0x1008, 4 } }, 2);
	o.flags = TF_ADDRESS32;
	check_accesses(&b, (uint64_t[]){ 0, 1, (uint64_t)-1, 0, 0 },
		       (struct access[]){ { 0xfffffff8, 4 } }, 1);
}
END_TEST

/* Checks that the iterator over executed instructions of a block gives these accesses. */
static void check_block_accesses(const struct tf_block *block, const uint64_t *values,
				 uint16_t executed, const uint64_t *addresses, unsigned count)
{
	const struct tf_block_exec exec = { .block = block,
					    .values = values,
					    .executed = executed };
	struct tf_block_accesses it;

	tf_block_accesses_begin(&it, &exec);
	for (unsigned i = 0; i < count; i++) {
		ck_assert(tf_block_accesses_next(&it));
		ck_assert_uint_eq(it.address, addresses[i]);
		ck_assert_ptr_eq(it.operand, &block->operands[addresses[i] >> 12]);
		ck_assert_uint_eq(it.size, it.operand->size);
	}
	ck_assert(!tf_block_accesses_next(&it));
	ck_assert(!tf_block_accesses_next(&it));
}

START_TEST(block_accesses)
{
	/* A load by instruction 0, no repetition by 1, two lanes and a store by 2. */
	const struct tf_operand operands[] = {
		{ .insn = 0, .access = TF_LOAD, .size = 8 },
		{ .insn = 1, .access = TF_LOAD, .form = TF_REP, .size = 1, .extra = 4 },
		{ .insn = 2,
		  .access = TF_LOAD,
		  .form = TF_MASKED,
		  .lanes = 4,
		  .size = 4,
		  .extra = 7 },
		{ .insn = 2, .access = TF_STORE, .size = 2 },
	};
	const struct tf_block block = { .n_operands = 4, .operands = operands };
	const uint64_t values[] = { 0x0100, 0x1000, 0x2000, 0x3000, 5, 0, 0, 5 };
	const uint64_t addresses[] = { 0x0100, 0x2000, 0x2008, 0x3000 };

	check_block_accesses(&block, values, 0, addresses, 0);
	check_block_accesses(&block, values, 1, addresses, 1);
	check_block_accesses(&block, values, 2, addresses, 1);
	check_block_accesses(&block, values, 3, addresses, 4);
	check_block_accesses(&(struct tf_block){ .n_operands = 0 }, values, 3, addresses, 0);
}
END_TEST

/* The header has the options: withheld time, no addresses, approximate order. */
START_TEST(header_flags)
{
	struct tf_writer_options options = {
		.size = sizeof(options),
		.created_ns = UINT64_MAX,
		.no_addresses = true,
	};
	static const uint8_t zero[16];
	struct tf_reader *reader;
	struct tf_writer *writer;
	struct tf_info info;
	int fd = new_file();

	ck_assert_int_eq(tf_writer_create_fd(fd, "x", &options, &writer, NULL), 0);
	ck_assert_int_eq(tf_writer_finish(writer, 9, "signal", NULL), 0);
	ck_assert_uint_eq(tf_writer_size(writer), file_size(fd));
	tf_writer_free(writer);
	reader = open_file(fd);
	ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);
	ck_assert(!info.has_addresses && !info.order_exact && info.complete);
	ck_assert_uint_eq(info.created_ns, 0);
	ck_assert_int_eq(info.wait_status, 9);
	ck_assert_str_eq(info.stop_reason, "signal");
	ck_assert_uint_eq(info.totals.instructions, 0);
	ck_assert(info.major == TF_FORMAT_MAJOR && info.minor == TF_FORMAT_MINOR);
	ck_assert_mem_ne(info.uuid, zero, 16);
	ck_assert_int_eq(tf_verify(reader, print_fault, NULL, NULL), 0);
	tf_close(reader);
	close(fd);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("traceformat info");
	TCase *tests = tcase_create("info");

	tcase_set_timeout(tests, 120);
	tcase_add_loop_test(tests, totals, 0, 20);
	tcase_add_loop_test(tests, dictionary, 0, 10);
	tcase_add_test(tests, meta);
	tcase_add_loop_test(tests, symbols, 0, 5);
	tcase_add_test(tests, sections);
	tcase_add_test(tests, accesses);
	tcase_add_test(tests, block_accesses);
	tcase_add_test(tests, header_flags);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
