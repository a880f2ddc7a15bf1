/* SPDX-License-Identifier: MIT */
/*
 * mica_text DIALECT CONFIG TEXT DIR [no-avx2]
 *
 * Runs MICA's analyses, as a mica.conf selects them, on a program in the text format of
 * tests/oracle/mica_oracle.py, and writes their files to DIR. Tests compare the files with the
 * oracle's without making traces.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/mica/program.h"
#include "cli/common/command.h"

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

/* Instructions of equal pc share their place and branch. Each line is an instruction of its own. */
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

/* The facts that a line has about one execution, besides the instruction. */
struct execution {
	struct access reads[2], writes[2];
	unsigned n_reads, n_writes;
	bool taken, repeats;
	uint64_t repetitions;
};

/* Takes a NAME=VALUE of a line. */
static void take_fact(struct mica_insn *insn, struct execution *x, const char *name, char *value)
{
	if (!strcmp(name, "r"))
		insn->facts.n_reads = parse_registers(value, insn->facts.reads);
	else if (!strcmp(name, "w"))
		insn->facts.n_writes = parse_registers(value, insn->facts.writes);
	else if (!strcmp(name, "ops"))
		insn->facts.n_register_operands = atoi(value);
	else if (!strcmp(name, "ld"))
		x->n_reads = parse_accesses(value, x->reads);
	else if (!strcmp(name, "st"))
		x->n_writes = parse_accesses(value, x->writes);
	else if (!strcmp(name, "t"))
		x->taken = atoi(value);
	else if (!strcmp(name, "mov"))
		insn->facts.register_transfer = atoi(value);
	else if (!strcmp(name, "rep"))
		x->repeats = true, x->repetitions = strtoull(value, NULL, 0);
}

/* Adds the event of repetition k. */
static void add_event(struct program *p, struct mica_insn *insn, const struct execution *x,
		      uint64_t k)
{
	p->events = realloc(p->events, (p->n_events + 1) * sizeof(*p->events));
	struct mica_event *e = &p->events[p->n_events++];

	*e = (struct mica_event){
		.insn = insn,
		.n_reads = x->n_reads,
		.n_writes = x->n_writes,
		.taken = x->taken,
		.counts = !x->repeats || (!k && x->repetitions),
	};
	for (unsigned i = 0; i < x->n_reads; i++)
		e->read[i] = x->reads[i].address + k * x->reads[i].step;
	if (x->n_reads)
		e->read_size = x->reads[0].size;
	if (x->n_writes) {
		e->write = x->writes[0].address + k * x->writes[0].step;
		e->write_size = x->writes[0].size;
	}
}

static void add_line(struct program *p, char *line)
{
	struct mica_insn *insn = calloc(1, sizeof(*insn));
	struct execution x = { .repetitions = 1 };
	char *save = NULL, *word;

	insn->pc = strtoull(strtok_r(line, " \n", &save), NULL, 0);
	insn->length = atoi(strtok_r(NULL, " \n", &save));
	insn->facts.category = strdup(strtok_r(NULL, " \n", &save));
	snprintf(insn->facts.iclass, sizeof(insn->facts.iclass), "%s",
		 strtok_r(NULL, " \n", &save));
	insn->facts.conditional = !strcmp(insn->facts.category, "COND_BR");
	while ((word = strtok_r(NULL, " \n", &save))) {
		char *value = strchr(word, '=');

		*value++ = '\0';
		take_fact(insn, &x, word, value);
	}
	insn->has_read = x.n_reads;
	insn->has_write = x.n_writes;
	number_insn(p, insn);
	add_event(p, insn, &x, 0);
	for (uint64_t k = 1; k < x.repetitions; k++)
		add_event(p, insn, &x, k);
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

static void free_program(struct program *p)
{
	for (size_t i = 0; i < p->n_insns; i++) {
		free((void *)p->insns[i]->facts.category);
		free(p->insns[i]);
	}
	free(p->insns);
	free(p->events);
}

int main(int argc, char **argv)
{
	struct mica_extensions how = { .no_avx2 = argc == 6 };
	struct mica_program run;
	struct mica_config config;
	struct mica_plan plan;
	struct program program = { 0 };
	enum mica_dialect dialect;
	int status;

	command_init("mica_text");
	if (argc < 5 || argc > 6 || !mica_parse_dialect(argv[1], &dialect))
		errx(2, "usage: mica_text DIALECT CONFIG TEXT DIR [no-avx2]");
	if (!mica_config_read(argv[2], dialect, &config))
		return 1;
	read_program(&program, argv[3]);
	if (!mica_plan_make(&plan, &config, dialect, &program.numbers, &how) ||
	    !mica_program_start(&run, &plan, NULL, argv[4], 0))
		return 1;
	mica_program_feed(&run, program.events, program.n_events);
	status = mica_program_end(&run);
	mica_program_stop(&run);
	mica_plan_free(&plan);
	free_program(&program);
	return status;
}
