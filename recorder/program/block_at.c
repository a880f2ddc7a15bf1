/* SPDX-License-Identifier: MIT */
#include "recorder/program/block_at.h"

#include <string.h>

#include "recorder/output.h"
#include "recorder/program/dictionary.h"
#include "recorder/tracee/code_pages.h"
#include "recorder/tracee/space.h"
#include "recorder/tracee/task.h"

struct code_source block_source(const struct task *t, uint64_t pc)
{
	const struct mapping *m = space_find(t->process->space, pc);
	struct code_source source = { .pc = pc, .vendor = t->session->vendor,
				      .facts = dictionary_facts(t->session->dictionary) };

	if (m && m->module) {
		source.module = m->module;
		source.module_offset = pc - m->bias;
	}
	return source;
}

static void keep_bytes(const struct code_source *source, struct undecoded *undecoded)
{
	undecoded->count = source->available < sizeof(undecoded->bytes) ? source->available
								       : sizeof(undecoded->bytes);
	memcpy(undecoded->bytes, source->code, undecoded->count);
}

/* The block of the bytes at source->code. */
static int find_or_add(const struct task *t, const struct code_source *source,
		       struct code_block **block, struct undecoded *undecoded)
{
	struct dictionary *d = t->session->dictionary;

	*block = dictionary_find(d, source);
	if (*block)
		return 0;
	switch (code_block_build(source, block)) {
	case CODE_BLOCK:
		if (dictionary_insert(d, *block))
			return 0;
		break;
	case CODE_UNDECODABLE:
		*block = NULL;
		if (undecoded)
			keep_bytes(source, undecoded);
		return 0;
	case CODE_MEMORY:
		break;
	}
	return output_memory(t->session->output);
}

int block_at(struct task *t, uint64_t pc, struct code_block **block, struct undecoded *undecoded)
{
	struct code_source source = block_source(t, pc);
	uint8_t code[CODE_BLOCK_BYTES];

	source.code = code;
	source.available = task_read_code(t, pc, code, sizeof(code));
	return find_or_add(t, &source, block, undecoded);
}

int block_at_kept(struct task *t, uint64_t pc, struct code_block **block)
{
	struct code_source source = block_source(t, pc);
	uint8_t code[CODE_BLOCK_BYTES];

	source.code = code_pages_at(t, pc, &source.available);
	if (!source.code || source.available < sizeof(code)) {
		source.code = code;
		source.available = code_pages_read(t, pc, code, sizeof(code));
	}
	return find_or_add(t, &source, block, NULL);
}
