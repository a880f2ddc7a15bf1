/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/machine.h"

#include <string.h>

#include "cli/common/command.h"

enum { KIB = 1 << 10, MIB = 1 << 20 };

/*
 * simple is for tests and for teaching. The others follow LLVM's scheduler descriptions, which
 * quote the vendors' optimization guides, vendors' talks, and published measurements; latencies
 * beyond L2 are typical ones of desktop machines.
 */
static const struct preset {
	const char *name;
	struct machine machine;
} presets[] = {
	{ "simple", {
		.dispatch_width = 4, .retire_width = 4, .rob = 128, .load_queue = 64,
		.store_queue = 64, .frontend_depth = 4, .restart = 6,
		.l1i_size = 32 * KIB, .l1i_ways = 8,
		.l1d_size = 32 * KIB, .l1d_ways = 8, .l1d_latency = 4,
		.l2_size = 512 * KIB, .l2_ways = 8, .l2_latency = 14,
		.l3_size = 8 * MIB, .l3_ways = 16, .l3_latency = 40, .memory_latency = 200,
		.miss_buffers = 8, .itlb_entries = 64, .dtlb_entries = 64,
		.l2_tlb_entries = 1024, .l2_tlb_ways = 8, .l2_tlb_latency = 6, .walk_latency = 24,
		.integer = 1, .multiply = 3, .divide = 20, .vector = 1, .floating = 4, .crypto = 4,
		.atomic = 20, .system = 100,
		.predictor = PREDICTOR_GSHARE, .gshare_bits = 14, .history_bits = 8,
		.return_stack = 16, .target_entries = 1024,
	} },
	{ "zen4", {
		.dispatch_width = 6, .retire_width = 8, .rob = 320, .load_queue = 88,
		.store_queue = 64, .frontend_depth = 8, .restart = 5,
		.l1i_size = 32 * KIB, .l1i_ways = 8,
		.l1d_size = 32 * KIB, .l1d_ways = 8, .l1d_latency = 4,
		.l2_size = 1 * MIB, .l2_ways = 8, .l2_latency = 14,
		.l3_size = 32 * MIB, .l3_ways = 16, .l3_latency = 50, .memory_latency = 320,
		.miss_buffers = 24, .itlb_entries = 64, .dtlb_entries = 72,
		.l2_tlb_entries = 3072, .l2_tlb_ways = 12, .l2_tlb_latency = 7, .walk_latency = 30,
		.integer = 1, .multiply = 3, .divide = 12, .vector = 1, .floating = 3, .crypto = 4,
		.atomic = 18, .system = 100,
		.predictor = PREDICTOR_GSHARE, .gshare_bits = 16, .history_bits = 16,
		.return_stack = 32, .target_entries = 4096,
	} },
	{ "zen5", {
		.dispatch_width = 8, .retire_width = 8, .rob = 448, .load_queue = 200,
		.store_queue = 104, .frontend_depth = 9, .restart = 6,
		.l1i_size = 32 * KIB, .l1i_ways = 8,
		.l1d_size = 48 * KIB, .l1d_ways = 12, .l1d_latency = 4,
		.l2_size = 1 * MIB, .l2_ways = 16, .l2_latency = 14,
		.l3_size = 32 * MIB, .l3_ways = 16, .l3_latency = 50, .memory_latency = 320,
		.miss_buffers = 24, .itlb_entries = 64, .dtlb_entries = 96,
		.l2_tlb_entries = 4096, .l2_tlb_ways = 16, .l2_tlb_latency = 7, .walk_latency = 30,
		.integer = 1, .multiply = 3, .divide = 12, .vector = 1, .floating = 3, .crypto = 4,
		.atomic = 18, .system = 100,
		.predictor = PREDICTOR_GSHARE, .gshare_bits = 16, .history_bits = 16,
		.return_stack = 48, .target_entries = 8192,
	} },
	{ "goldencove", {
		.dispatch_width = 6, .retire_width = 8, .rob = 512, .load_queue = 192,
		.store_queue = 114, .frontend_depth = 9, .restart = 8,
		.l1i_size = 32 * KIB, .l1i_ways = 8,
		.l1d_size = 48 * KIB, .l1d_ways = 12, .l1d_latency = 5,
		.l2_size = 2 * MIB, .l2_ways = 16, .l2_latency = 15,
		.l3_size = 30 * MIB, .l3_ways = 12, .l3_latency = 70, .memory_latency = 340,
		.miss_buffers = 16, .itlb_entries = 256, .dtlb_entries = 96,
		.l2_tlb_entries = 2048, .l2_tlb_ways = 16, .l2_tlb_latency = 7, .walk_latency = 30,
		.integer = 1, .multiply = 3, .divide = 14, .vector = 1, .floating = 4, .crypto = 3,
		.atomic = 18, .system = 100,
		.predictor = PREDICTOR_GSHARE, .gshare_bits = 16, .history_bits = 16,
		.return_stack = 24, .target_entries = 8192,
	} },
	{ "k10", {
		.dispatch_width = 3, .retire_width = 3, .rob = 72, .load_queue = 44,
		.store_queue = 44, .frontend_depth = 6, .restart = 6,
		.l1i_size = 64 * KIB, .l1i_ways = 2,
		.l1d_size = 64 * KIB, .l1d_ways = 2, .l1d_latency = 3,
		.l2_size = 512 * KIB, .l2_ways = 16, .l2_latency = 15,
		.l3_size = 6 * MIB, .l3_ways = 48, .l3_latency = 45, .memory_latency = 161,
		.miss_buffers = 8, .itlb_entries = 32, .dtlb_entries = 48,
		.l2_tlb_entries = 512, .l2_tlb_ways = 4, .l2_tlb_latency = 5, .walk_latency = 35,
		.integer = 1, .multiply = 3, .divide = 40, .vector = 2, .floating = 4, .crypto = 4,
		.atomic = 20, .system = 100,
		.predictor = PREDICTOR_GSHARE, .gshare_bits = 14, .history_bits = 12,
		.return_stack = 24, .target_entries = 2048,
	} },
};

static const struct parameter {
	const char *name;
	size_t offset;
	uint32_t least, most;
} parameters[] = {
#define PARAMETER(name, least, most) { #name, offsetof(struct machine, name), least, most }
	PARAMETER(dispatch_width, 1, 64), PARAMETER(retire_width, 1, 64),
	PARAMETER(rob, 1, 1 << 16), PARAMETER(load_queue, 1, 1 << 16),
	PARAMETER(store_queue, 1, 1 << 16), PARAMETER(frontend_depth, 0, 1000),
	PARAMETER(restart, 0, 1000),
	PARAMETER(l1i_size, 64, 1 << 30), PARAMETER(l1i_ways, 1, 256),
	PARAMETER(l1d_size, 64, 1 << 30), PARAMETER(l1d_ways, 1, 256),
	PARAMETER(l1d_latency, 1, 1000),
	PARAMETER(l2_size, 64, 1 << 30), PARAMETER(l2_ways, 1, 256),
	PARAMETER(l2_latency, 1, 1000),
	PARAMETER(l3_size, 64, 1 << 30), PARAMETER(l3_ways, 1, 256),
	PARAMETER(l3_latency, 1, 1000), PARAMETER(memory_latency, 1, 60000),
	PARAMETER(miss_buffers, 1, 63), PARAMETER(itlb_entries, 1, 1024),
	PARAMETER(dtlb_entries, 1, 1024), PARAMETER(l2_tlb_entries, 1, 1 << 20),
	PARAMETER(l2_tlb_ways, 1, 256), PARAMETER(l2_tlb_latency, 0, 1000),
	PARAMETER(walk_latency, 0, 10000),
	PARAMETER(integer, 1, 1000), PARAMETER(multiply, 1, 1000), PARAMETER(divide, 1, 1000),
	PARAMETER(vector, 1, 1000), PARAMETER(floating, 1, 1000), PARAMETER(crypto, 1, 1000),
	PARAMETER(atomic, 1, 1000), PARAMETER(system, 1, 10000),
	PARAMETER(gshare_bits, 1, 24), PARAMETER(history_bits, 0, 24),
	PARAMETER(return_stack, 1, 1024), PARAMETER(target_entries, 1, 1 << 20),
#undef PARAMETER
};
enum { N_PARAMETERS = sizeof(parameters) / sizeof(parameters[0]) };

static const char *const predictors[] = { "perfect", "static", "gshare" };
enum { N_PREDICTORS = sizeof(predictors) / sizeof(predictors[0]) };

bool machine_preset(struct machine *machine, const char *name)
{
	for (size_t i = 0; i < sizeof(presets) / sizeof(presets[0]); i++)
		if (!strcmp(presets[i].name, name)) {
			*machine = presets[i].machine;
			return true;
		}
	return false;
}

static bool set_predictor(struct machine *machine, const char *value)
{
	for (uint32_t i = 0; i < N_PREDICTORS; i++)
		if (!strcmp(predictors[i], value)) {
			machine->predictor = i;
			return true;
		}
	return false;
}

/* Returns NULL, or what is wrong. */
static const char *set_parameter(struct machine *machine, const char *name, const char *value)
{
	uint64_t number;

	if (!strcmp(name, "preset"))
		return machine_preset(machine, value) ? NULL : "no such preset";
	if (!strcmp(name, "predictor"))
		return set_predictor(machine, value) ? NULL : "no such predictor";
	for (size_t i = 0; i < N_PARAMETERS; i++) {
		const struct parameter *p = &parameters[i];

		if (strcmp(p->name, name))
			continue;
		if (!parse_count(value, &number) || number < p->least || number > p->most)
			return "not a number in its range";
		*(uint32_t *)((char *)machine + p->offset) = number;
		return NULL;
	}
	return "no such parameter";
}

/* Returns NULL, or what is wrong. */
static const char *read_line(struct machine *machine, char *line)
{
	char name[32], value[32], rest;

	line[strcspn(line, "#")] = '\0';
	if (line[strspn(line, " \t\r\n")] == '\0')
		return NULL;
	if (sscanf(line, " %31[a-z0-9_] = %31s %c", name, value, &rest) != 2)
		return "not \"name = value\"";
	return set_parameter(machine, name, value);
}

bool machine_read(struct machine *machine, const char *path, char *error, size_t size)
{
	FILE *file = fopen(path, "r");
	const char *wrong = NULL;
	unsigned number = 0;
	char line[512];

	if (!file) {
		snprintf(error, size, "%s: %m", path);
		return false;
	}
	while (!wrong && fgets(line, sizeof(line), file)) {
		number++;
		wrong = read_line(machine, line);
	}
	if (!wrong && machine->target_entries & (machine->target_entries - 1))
		wrong = "target_entries is not a power of two";
	if (wrong)
		snprintf(error, size, "%s:%u: %s", path, number, wrong);
	fclose(file);
	return !wrong;
}

void machine_write(const struct machine *machine, FILE *out)
{
	for (size_t i = 0; i < N_PARAMETERS; i++)
		fprintf(out, "%s = %u\n", parameters[i].name,
			*(const uint32_t *)((const char *)machine + parameters[i].offset));
	fprintf(out, "predictor = %s\n", predictors[machine->predictor]);
}
