/* SPDX-License-Identifier: MIT */
/* Makes the parts that a random trace has once: modules, threads, blocks, paths, ... */
#include <string.h>

#include "tests/unit/random.h"
#include "tests/unit/traces/random/parts.h"

char *random_text(struct random_trace *t, unsigned max)
{
	static const char *const letters[] = {
		"a", "Z", "/", ".", " ", "_", "7", "\xc3\xa9", "\xe2\x82\xac", "\\", ":", "\""
	};
	unsigned n = random_below(&t->state, max + 1);
	char *text = random_memory(t, 3 * n);

	for (unsigned i = 0; i < n; i++)
		strcat(text, letters[random_below(&t->state, 12)]);
	return text;
}

static void random_module(struct random_trace *t)
{
	uint64_t *r = &t->state;
	struct tf_module m = {
		.index = (uint32_t)t->modules.count,
		.kind = (enum tf_module_kind)random_below(r, 3),
		.path = random_text(t, 12),
		.build_id_size = (uint8_t)random_below(r, 21),
		.file_size = random_value(r),
	};
	struct random_symbols s = { .module = m.index };

	for (unsigned i = 0; i < m.build_id_size; i++)
		m.build_id[i] = (uint8_t)random_below(r, 256);
	PUSH(&t->modules, m);
	s.count = random_below(r, t->options.n_symbols + 1);
	s.symbols = random_memory(t, s.count * sizeof(*s.symbols));
	for (size_t i = 0; i < s.count; i++)
		s.symbols[i] = (struct tf_symbol){
			.value = random_below(r, 4096),
			.size = random_chance(r, 20) ? 0 : random_below(r, 64),
			.kind = (uint8_t)random_below(r, 11),
			.name = random_text(t, 8),
		};
	PUSH(&t->symbols, s);
}

void random_dictionary(struct random_trace *t)
{
	static const char *const keys[] = { "command.argv", "host.cpu", "order", "x-1.y" };
	const struct random_options *o = &t->options;
	uint64_t *r = &t->state;

	for (unsigned i = 0; i < o->n_modules; i++)
		random_module(t);
	for (unsigned i = 0; i < o->n_processes; i++)
		PUSH(&t->processes,
		     (struct tf_process){ .index = i,
					  .pid = 1000 + i,
					  .parent = i ? random_below(r, i) : TF_NONE });
	for (unsigned i = 0; i < o->n_threads; i++)
		PUSH(&t->threads, (struct tf_thread){ .index = i,
						      .process = random_below(r, o->n_processes),
						      .tid = (uint32_t)random_value(r) });
	for (unsigned i = 0; i < 3; i++) {
		PUSH(&t->functions,
		     (struct tf_function){ .index = i,
					   .n_args = random_below(r, TF_MAX_CALL_ARGS + 1),
					   .name = random_text(t, 8) });
		PUSH(&t->regions, (struct tf_region){ .index = i, .name = random_text(t, 8) });
		PUSH(&t->mappings,
		     (struct tf_mapping){ .index = i,
					  .change = (enum tf_mapping_change)random_below(r, 3),
					  .process = random_below(r, o->n_processes),
					  .module = o->n_modules && random_chance(r, 50)
							    ? random_below(r, o->n_modules)
							    : TF_NONE,
					  .start = random_value(r),
					  .size = random_value(r),
					  .file_offset = random_value(r),
					  .protection = random_below(r, 8),
					  .name = random_text(t, 12) });
	}
	for (unsigned i = 0; i < 6; i++) {
		char *value = random_text(t, 20), *space;

		while ((space = strchr(value, ' ')))
			*space = '\n';
		PUSH(&t->meta, (struct random_meta){ keys[random_below(r, 4)], value });
	}
	for (unsigned i = 0; i < o->n_blocks; i++)
		random_block(t);
	for (unsigned i = 0; i < o->n_paths; i++)
		random_path(t);
}
