/* SPDX-License-Identifier: MIT */
#include "analyzers/cache/machines.h"

#include <stdio.h>
#include <string.h>

#include "analyzers/ibs/model/machine.h"
#include "cli/common/input_file.h"

/* The preset that a machine file changes, as for trace-ibs. */
static const char default_preset[] = "zen4";

/* ---- machines of trace-ibs ----------------------------------------------------------------- */

/* Rounds down to whole sets, but to one at least, as trace-ibs does. */
static struct cache_geometry geometry(uint64_t lines, uint32_t ways, uint32_t line)
{
	struct cache_geometry g = cache_default_geometry;

	g.ways = ways;
	g.line = line;
	g.size = (lines / ways ? lines / ways : 1) * (uint64_t)ways * line;
	return g;
}

static struct cache_geometry cache(uint32_t size, uint32_t ways)
{
	enum { LINE = 1 << MACHINE_LINE_SHIFT };

	return geometry(size / LINE, ways, LINE);
}

static struct cache_geometry tlb(uint32_t entries, uint32_t ways)
{
	return geometry(entries, ways, 1 << MACHINE_PAGE_SHIFT);
}

static void set_prefetch(struct cache_geometry *g, uint32_t prefetcher, uint32_t distance)
{
	g->prefetch = prefetcher == PREFETCH_STRIDE      ? CACHE_STRIDE
		      : prefetcher == PREFETCH_NEXT_LINE ? CACHE_NEXT_LINE
							 : CACHE_NO_PREFETCH;
	if (g->prefetch == CACHE_STRIDE)
		g->prefetch_distance = distance;
}

static void set_caches(struct cache_config *c, const struct machine *m)
{
	*c = (struct cache_config){ .n_levels = 3, .n_split = 1, .n_shared = 1, .n_cores = 1 };
	c->instructions[0] = cache(m->l1i_size, m->l1i_ways);
	c->data[0] = cache(m->l1d_size, m->l1d_ways);
	c->data[1] = cache(m->l2_size, m->l2_ways);
	c->data[2] = cache(m->l3_size, m->l3_ways);
	if (m->l3_victim)
		c->data[2].inclusion = CACHE_EXCLUSIVE;
	set_prefetch(&c->data[0], m->l1_prefetcher, m->prefetch_distance);
	set_prefetch(&c->data[1], m->l2_prefetcher, m->prefetch_distance);
}

static void set_tlbs(struct cache_config *c, const struct machine *m)
{
	*c = (struct cache_config){ .n_levels = 2, .n_split = 1, .n_cores = 1, .pages = true };
	c->instructions[0] = tlb(m->itlb_entries, m->itlb_entries);
	c->data[0] = tlb(m->dtlb_entries, m->dtlb_entries);
	c->data[1] = tlb(m->l2_tlb_entries, m->l2_tlb_ways);
	if (m->l2_itlb_entries) {
		c->instructions[1] = tlb(m->l2_itlb_entries, m->l2_itlb_ways);
		c->n_split = 2;
	}
}

static void set_names(struct cache_machine *machine, const char *name)
{
	snprintf(machine->caches.name, CACHE_NAME_SIZE, "%s", name);
	snprintf(machine->tlbs.name, CACHE_NAME_SIZE, "%s", name);
}

static void set_machine(struct cache_machine *machine, const struct machine *m)
{
	set_caches(&machine->caches, m);
	set_tlbs(&machine->tlbs, m);
	machine->has_tlbs = true;
}

/* Returns NULL, or what is wrong with a machine. */
static const char *check(const struct cache_machine *machine)
{
	const char *wrong = cache_config_check(&machine->caches);

	return wrong || !machine->has_tlbs ? wrong : cache_config_check(&machine->tlbs);
}

/* Removes the option that begins a message of trace-ibs, since the caller names the option. */
static void omit_option(char *error)
{
	static const char option[] = "--machine=";
	const char *end = strstr(error, ": ");

	if (end && !strncmp(error, option, strlen(option)))
		memmove(error, end + 2, strlen(end + 2) + 1);
}

bool cache_machine_read(struct cache_machine *machine, const char *name, char *error, size_t size)
{
	struct machine m;
	const char *wrong;

	if (!machine_preset(&m, name)) {
		machine_preset(&m, default_preset);
		if (!machine_read(&m, name, error, size)) {
			omit_option(error);
			return false;
		}
	}
	set_machine(machine, &m);
	set_names(machine, name);
	wrong = check(machine);
	if (wrong)
		snprintf(error, size, "%s: %s", name, wrong);
	return !wrong;
}

/* ---- files of levels ----------------------------------------------------------------------- */

/* Reads a line of one cache, such as "l1i", "l2", "l2_tlb". Returns NULL, or what is wrong. */
static const char *set_one(struct cache_machine *machine, const char *name, const char *value)
{
	for (unsigned tlbs = 0; tlbs < 2; tlbs++) {
		struct cache_config *c = tlbs ? &machine->tlbs : &machine->caches;

		for (unsigned depth = 0; depth < c->n_levels; depth++)
			for (int side = depth < c->n_split; side >= 0; side--)
				if (cache_level_is(c, depth, side, name))
					return cache_config_parse_one(c, depth, side, value);
	}
	return machine->caches.n_levels
		       ? "the levels have no such cache"
		       : "a line \"levels = ...\" or \"machine = ...\" must come first";
}

static const char *set_value(struct cache_machine *machine, const char *name, const char *value)
{
	struct machine preset;

	if (!strcmp(name, "levels"))
		return cache_config_parse(&machine->caches, value, false);
	if (!strcmp(name, "tlb")) {
		machine->has_tlbs = true;
		return cache_config_parse(&machine->tlbs, value, true);
	}
	if (strcmp(name, "machine") != 0)
		return set_one(machine, name, value);
	if (!machine_preset(&preset, value))
		return "no such machine; trace-cache(1) lists them under --machine";
	set_machine(machine, &preset);
	return NULL;
}

/* Returns NULL, or what is wrong. */
static const char *parse_line(struct cache_machine *machine, char *line)
{
	char name[32], value[512], rest;

	line[strcspn(line, "#")] = '\0';
	if (line[strspn(line, " \t\r\n")] == '\0')
		return NULL;
	if (sscanf(line, " %31[a-z0-9_] = %511s %c", name, value, &rest) != 2)
		return "not \"name = value\" with a value without spaces";
	return set_value(machine, name, value);
}

bool cache_file_read(struct cache_machine *machine, const char *path, char *error, size_t size)
{
	FILE *file = open_input(path);
	const char *wrong = NULL;
	unsigned number = 1;
	char *line = NULL;
	size_t room = 0;

	if (!file) {
		snprintf(error, size, "%m");
		return false;
	}
	*machine = (struct cache_machine){ 0 };
	for (; !wrong && read_line(&line, &room, file) > 0; number += !wrong)
		wrong = parse_line(machine, line);
	if (!wrong)
		wrong = read_line_fault();
	free(line);
	fclose(file);
	if (wrong) {
		snprintf(error, size, "line %u: %s", number, wrong);
		return false;
	}
	wrong = machine->caches.n_levels
			? check(machine)
			: "a line \"levels = ...\" or \"machine = ...\" is missing";
	if (wrong)
		snprintf(error, size, "%s", wrong);
	set_names(machine, path);
	return !wrong;
}
