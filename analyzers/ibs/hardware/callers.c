/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/hardware/callers.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"

struct ibs_callers {
	const struct tf_reader *reader;
	struct sample_places *places;
	struct symbol_names *functions;
	uint32_t n_threads;
	char **names; /* by thread; NULL: no record has it */
	char *stack;
};

struct ibs_callers *ibs_callers_new(const struct tf_reader *reader, struct sample_places *places,
				    struct symbol_names *functions)
{
	struct ibs_callers *c = checked_array(1, sizeof(*c));

	*c = (struct ibs_callers){ .reader = reader, .places = places, .functions = functions };
	c->n_threads = tf_n_threads(reader);
	c->names = checked_array(c->n_threads + (size_t)1, sizeof(*c->names));
	return c;
}

void ibs_callers_free(struct ibs_callers *c)
{
	for (uint32_t i = 0; i < c->n_threads; i++)
		free(c->names[i]);
	free(c->names);
	free(c->stack);
	free(c);
}

void ibs_callers_follow(struct ibs_callers *c, const struct tf_sample *sample)
{
	if (sample->kind != TF_SAMPLES_NAME || sample->thread >= c->n_threads)
		return;
	free(c->names[sample->thread]);
	c->names[sample->thread] = checked_copy(sample->name);
}

/* ---- names ------------------------------------------------------------------------------- */

static const char *name_in(const struct ibs_callers *c, uint32_t process)
{
	for (uint32_t i = 0; i < c->n_threads; i++)
		if (c->names[i] && tf_thread(c->reader, i) &&
		    tf_thread(c->reader, i)->process == process)
			return c->names[i];
	return NULL;
}

/* A new thread has the name of its creator until it gets another one. */
const char *ibs_callers_thread(const struct ibs_callers *c, uint32_t thread)
{
	const char *name = thread < c->n_threads ? c->names[thread] : NULL;
	const struct tf_thread *record = tf_thread(c->reader, thread);
	uint32_t process = record ? record->process : TF_NONE;
	const struct tf_process *p;

	while (!name && (p = tf_process(c->reader, process))) {
		name = name_in(c, process);
		process = p->parent < process ? p->parent : TF_NONE;
	}
	return name;
}

/* ---- stacks ------------------------------------------------------------------------------ */

static void put_function(FILE *out, const struct ibs_callers *c, const struct sample_place *place,
			 uint64_t pc)
{
	const struct tf_symbol *symbol = tf_symbol(c->reader, place->module, place->module_offset);
	const struct tf_module *module = tf_module(c->reader, place->module);
	const char *slash = module ? strrchr(module->path, '/') : NULL;

	if (symbol)
		fputs(symbol_name(c->functions, symbol), out);
	else if (module)
		fprintf(out, "[%s]", slash ? slash + 1 : module->path);
	else
		fprintf(out, "0x%" PRIx64, pc);
}

/* Returns true if a frame is a mode (user, kernel, ...), to which the frames after it belong. */
static bool is_mode(uint64_t frame)
{
	return frame >= (uint64_t)PERF_CONTEXT_MAX;
}

/* Returns true if frame i is the sampled instruction itself, not a caller. */
static bool is_leaf(const struct tf_sample *sample, uint64_t i)
{
	return i == 0 || (i == 1 && is_mode(sample->chain[0]));
}

static bool is_kernel(const struct tf_sample *sample, uint64_t i)
{
	while (i--)
		if (is_mode(sample->chain[i]))
			return sample->chain[i] == (uint64_t)PERF_CONTEXT_KERNEL;
	return sample->mode == TF_MODE_KERNEL;
}

/*
 * Returns the address of a frame's call. A return address is after the call, maybe in the next
 * function. The first frame of a mode that another one interrupts is no return address.
 */
static uint64_t call_of(const struct tf_sample *sample, uint64_t i)
{
	return sample->chain[i] - !is_mode(sample->chain[i - 1]);
}

const char *ibs_callers_stack(struct ibs_callers *c, const struct tf_sample *sample,
			      const struct sample_place *leaf, uint64_t leaf_pc)
{
	struct sample_place place;
	size_t size;
	FILE *out;

	if (!(sample->fields & TF_SAMPLE_CHAIN))
		return NULL;
	free(c->stack);
	out = checked(open_memstream(&c->stack, &size));
	for (uint64_t i = sample->n_chain; i--;) {
		if (is_mode(sample->chain[i]) || is_leaf(sample, i))
			continue;
		sample_places_find(c->places, sample->thread, is_kernel(sample, i),
				   call_of(sample, i), &place);
		put_function(out, c, &place, sample->chain[i]);
		fputc(';', out);
	}
	put_function(out, c, leaf, leaf_pc);
	fclose(out);
	return c->stack;
}
