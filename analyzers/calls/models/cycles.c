/* SPDX-License-Identifier: MIT */
#include "analyzers/calls/models/cycles.h"

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/input_file.h"

#define DEFAULT_MACHINE "zen4"

enum { ADDRESS_BITS = 48 };

/* The core of a thread. */
struct call_cycles_core {
	const struct call_cycles *cycles;
	struct pipeline pipeline;
	struct ibs_program program;
	uint64_t retired;  /* cycle in which the latest op retired */
	uint64_t *by_insn; /* of the present execution */
	struct call_model_late
		*late; /* of the next op, if it is of the execution before; or NULL */
};

static void execute(void *opaque, const struct ibs_op *ops, size_t count)
{
	struct call_cycles_core *core = opaque;
	const struct ibs_code *code = &core->cycles->code;

	for (size_t i = 0; i < count; i++) {
		const struct ibs_insn *insn = &code->insns[ops[i].facts->insn];
		unsigned index = (unsigned)(ops[i].facts->insn - code->blocks[insn->block].first);
		struct ibs_timing timing;
		uint64_t cycles;

		pipeline_step(&core->pipeline, &ops[i], &timing);
		cycles = timing.retired - core->retired;
		core->retired = timing.retired;
		if (core->late)
			*core->late = (struct call_model_late){ tf_block(code->reader, insn->block),
								index, cycles };
		else
			core->by_insn[index] += cycles;
		core->late = NULL;
	}
}

static int read_machine(struct machine *machine, const char *name)
{
	char error[512];

	if (machine_preset(machine, name))
		return 0;
	if (!expect_file(name, "a file of a machine", 0))
		return EXIT_FAILED;
	machine_preset(machine, DEFAULT_MACHINE);
	if (machine_read(machine, name, error, sizeof(error)))
		return 0;
	command_error("%s", error);
	return EXIT_FAILED;
}

int call_cycles_init(struct call_cycles *c, const struct analysis *run,
		     const struct call_model_options *options)
{
	int status = analyzer_needs_addresses(run);

	if (!status)
		status = read_machine(&c->machine,
				      options->machine ? options->machine : DEFAULT_MACHINE);
	if (status)
		return status;
	ibs_code_init(&c->code, run->reader, &c->machine);
	set_cache_init(&c->l3, c->machine.l3_size >> MACHINE_LINE_SHIFT, c->machine.l3_ways);
	c->n_threads = run->n_threads;
	c->cores = checked_array(run->n_threads, sizeof(*c->cores));
	return 0;
}

void call_cycles_free(struct call_cycles *c)
{
	for (uint32_t i = 0; i < c->n_threads; i++)
		if (c->cores[i]) {
			pipeline_free(&c->cores[i]->pipeline);
			ibs_program_free(&c->cores[i]->program);
			free(c->cores[i]);
		}
	free(c->cores);
	set_cache_free(&c->l3);
	ibs_code_free(&c->code);
}

static struct call_cycles_core *new_core(struct call_cycles *c, uint32_t thread)
{
	struct call_cycles_core *core = checked_array(1, sizeof(*core));
	uint64_t process = tf_thread(c->code.reader, thread)->process;

	core->cycles = c;
	pipeline_init(&core->pipeline, &c->machine, &c->l3);
	core->pipeline.memory.lower.space = process << (ADDRESS_BITS - MACHINE_LINE_SHIFT);
	ibs_program_init(&core->program, &c->machine, &c->code);
	core->program.consume = execute;
	core->program.opaque = core;
	return core;
}

void call_cycles_execute(struct call_cycles *c, const struct tf_item *item, uint64_t *by_insn,
			 struct call_model_late *late)
{
	struct call_cycles_core *core = c->cores[item->thread];

	if (!core)
		core = c->cores[item->thread] = new_core(c, item->thread);
	core->by_insn = by_insn;
	core->late = core->program.n_ops ? late : NULL;
	ibs_program_feed(&core->program, item);
	core->late = NULL;
}

void call_cycles_end(struct call_cycles *c, uint32_t thread, struct call_model_late *late)
{
	struct call_cycles_core *core = c->cores[thread];

	if (!core)
		return;
	core->late = core->program.n_ops ? late : NULL;
	ibs_program_end(&core->program);
	core->late = NULL;
}
