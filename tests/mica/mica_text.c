/* SPDX-License-Identifier: MIT */
/*
 * mica_text [--interval=N] [--block=LOG2] [--page=LOG2] [--windows=N,...] [--spec=FILE] TEXT DIR
 *
 * Feeds MICA's analyses with a program in the text format of tests/oracle/mica_oracle.py, and writes
 * their files to DIR, as the oracle does: what the algorithms are compared by, without traces.
 */
#include <err.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/mica/files.h"
#include "analyzers/mica/itypes.h"


struct program {
	struct mica_insn **insns;
	size_t n_insns;
	struct mica_event *events;
	size_t n_events;
	struct mica_numbers numbers;
};

static uint8_t number_of(const char *name)
{
	for (unsigned i = 0; i < ISA_N_REGISTERS; i++)
		if (!strcmp(isa_register_name(i), name))
			return i;
	errx(1, "no register %s", name);
}

static uint8_t parse_registers(char *list, uint8_t *set)
{
	char *save = NULL;
	uint8_t n = 0;

	for (char *w = strtok_r(list, ",", &save); w; w = strtok_r(NULL, ",", &save))
		set[n++] = number_of(w);
	return n;
}

struct access {
	uint64_t address, size, step;
};

static unsigned parse_accesses(char *list, struct access *accesses)
{
	char *save = NULL;
	unsigned n = 0;

	for (char *w = strtok_r(list, ",", &save); w && n < 2; w = strtok_r(NULL, ",", &save)) {
		char *end;
		struct access *a = &accesses[n++];

		a->address = strtoull(w, &end, 0);
		a->step = a->size = strtoull(end + 1, &end, 0);
		if (*end == ':')
			a->step = strtoll(end + 1, NULL, 0);
	}
	return n;
}

/* Instructions of equal pc share place and branch; each line is an instruction of its own. */
static void number_insn(struct program *p, struct mica_insn *insn)
{
	insn->index = p->n_insns;
	insn->place = p->numbers.places;
	insn->branch = p->numbers.branches;
	for (size_t i = 0; i < p->n_insns; i++)
		if (p->insns[i]->pc == insn->pc) {
			insn->place = p->insns[i]->place;
			insn->branch = p->insns[i]->branch;
			break;
		}
	p->numbers.places += insn->place == p->numbers.places;
	p->numbers.branches += insn->branch == p->numbers.branches;
	p->numbers.insns++;
	p->insns = realloc(p->insns, (p->n_insns + 1) * sizeof(*p->insns));
	p->insns[p->n_insns++] = insn;
}

static void add_line(struct program *p, char *line)
{
	struct mica_insn *insn = calloc(1, sizeof(*insn));
	struct access reads[2], writes[2];
	unsigned n_reads = 0, n_writes = 0;
	bool taken = false, repeats = false;
	char *save = NULL, *word;
	uint64_t repetitions = 1;

	insn->pc = strtoull(strtok_r(line, " \n", &save), NULL, 0);
	insn->length = atoi(strtok_r(NULL, " \n", &save));
	insn->facts.category = strdup(strtok_r(NULL, " \n", &save));
	snprintf(insn->facts.iclass, sizeof(insn->facts.iclass), "%s", strtok_r(NULL, " \n", &save));
	insn->facts.conditional = !strcmp(insn->facts.category, "COND_BR");
	while ((word = strtok_r(NULL, " \n", &save))) {
		char *value = strchr(word, '=');

		*value++ = '\0';
		if (!strcmp(word, "r"))
			insn->facts.n_reads = parse_registers(value, insn->facts.reads);
		else if (!strcmp(word, "w"))
			insn->facts.n_writes = parse_registers(value, insn->facts.writes);
		else if (!strcmp(word, "ops"))
			insn->facts.n_register_operands = atoi(value);
		else if (!strcmp(word, "ld"))
			n_reads = parse_accesses(value, reads);
		else if (!strcmp(word, "st"))
			n_writes = parse_accesses(value, writes);
		else if (!strcmp(word, "t"))
			taken = atoi(value);
		else if (!strcmp(word, "mov"))
			insn->facts.register_transfer = atoi(value);
		else if (!strcmp(word, "rep"))
			repeats = true, repetitions = strtoull(value, NULL, 0);
	}
	insn->has_read = n_reads;
	insn->has_write = n_writes;
	number_insn(p, insn);
	for (uint64_t k = 0; k < (repetitions ? repetitions : 1); k++) {
		p->events = realloc(p->events, (p->n_events + 1) * sizeof(*p->events));
		struct mica_event *e = &p->events[p->n_events++];

		*e = (struct mica_event){ .insn = insn, .n_reads = n_reads, .n_writes = n_writes,
					  .taken = taken, .counts = !repeats || (!k && repetitions) };
		for (unsigned i = 0; i < n_reads; i++)
			e->read[i] = reads[i].address + k * reads[i].step;
		if (n_reads)
			e->read_size = reads[0].size;
		if (n_writes) {
			e->write = writes[0].address + k * writes[0].step;
			e->write_size = writes[0].size;
		}
	}
}

static void read_program(struct program *p, const char *path)
{
	FILE *file = fopen(path, "r");
	char line[512];

	if (!file)
		err(1, "%s", path);
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "#")] = '\0';
		if (strspn(line, " \n") < strlen(line))
			add_line(p, line);
	}
	fclose(file);
}

struct output {
	struct mica_output how;
	FILE *file;
};

static void emit(void *opaque, const struct mica_line *line)
{
	struct output *output = (struct output *)opaque + line->analysis;

	mica_write_line(output->file, &output->how, line);
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "interval", 1, NULL, 'i' }, { "block", 1, NULL, 'b' }, { "page", 1, NULL, 'p' },
		{ "ilp-size", 1, NULL, 'w' }, { "spec", 1, NULL, 's' }, { NULL, 0, NULL, 0 },
	};
	static const struct {
		const struct mica_analysis *analysis;
		enum mica_layout layout;
	} analyses[] = {
		{ &mica_ilp, MICA_ILP }, { &mica_itypes, MICA_ITYPES }, { &mica_ppm, MICA_COUNTED },
		{ &mica_reg, MICA_COUNTED }, { &mica_stride, MICA_STRIDE },
		{ &mica_footprint, MICA_FOOTPRINT }, { &mica_ilp, MICA_ILP_ONE },
	};
	struct mica_setup setup = { .block_shift = 6, .page_shift = 12, .n_windows = 4,
				    .windows = { 32, 64, 128, 256 }, .ppm_lengths = { 12, 8, 4 } }, one;
	struct output outputs[sizeof(analyses) / sizeof(analyses[0])];
	struct mica_run run = { .emit = emit, .opaque = outputs };
	struct itypes_groups groups;
	struct program program = { 0 };
	char error[256], name[64], base[32], path[512];
	unsigned ilp_size = 32;
	int option;

	itypes_default_groups(&groups);
	while ((option = getopt_long(argc, argv, "", longs, NULL)) >= 0)
		switch (option) {
		case 'i': run.interval = strtoull(optarg, NULL, 0); break;
		case 'b': setup.block_shift = atoi(optarg); break;
		case 'p': setup.page_shift = atoi(optarg); break;
		case 'w': ilp_size = atoi(optarg); break;
		case 's':
			itypes_free_groups(&groups);
			if (!itypes_read_groups(optarg, &groups, error, sizeof(error)))
				errx(1, "%s", error);
			break;
		default: return 2;
		}
	read_program(&program, argv[optind]);
	setup.numbers = program.numbers;
	setup.groups = &groups;
	setup.intervals = run.interval;
	one = setup;
	one.n_windows = 1;
	one.windows[0] = ilp_size;
	one.ilp_one = true;
	for (unsigned i = 0; i < sizeof(analyses) / sizeof(analyses[0]); i++) {
		bool is_one = analyses[i].layout == MICA_ILP_ONE;

		mica_run_add(&run, analyses[i].analysis, is_one ? &one : &setup);
		if (is_one)
			snprintf(base, sizeof(base), "ilp-win%u", ilp_size);
		mica_file_name(is_one ? base : analyses[i].analysis->base, MICA_CHERAMY,
			       !run.interval, 0, name, sizeof(name));
		snprintf(path, sizeof(path), "%s/%s", argv[optind + 1], name);
		outputs[i].file = fopen(path, "w");
		if (!outputs[i].file)
			err(1, "%s", path);
		outputs[i].how = (struct mica_output){ MICA_CHERAMY, analyses[i].layout,
						       run.interval };
	}
	mica_run_feed(&run, program.events, program.n_events);
	mica_run_end(&run);
	mica_run_stop(&run);
	for (unsigned i = 0; i < sizeof(analyses) / sizeof(analyses[0]); i++)
		fclose(outputs[i].file);
	for (size_t i = 0; i < program.n_insns; i++) {
		free((void *)program.insns[i]->facts.category);
		free(program.insns[i]);
	}
	free(program.insns);
	free(program.events);
	itypes_free_groups(&groups);
	return 0;
}
