/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/model/machine.h"

#include <errno.h>
#include <string.h>

#include "cli/common/option_parsers.h"
#include "cli/common/input_file.h"
#include "cli/common/quantity.h"

enum { KIB = 1 << 10, MIB = 1 << 20 };

static const char preset_words[] = "simple|zen4|zen5|goldencove|k10";
enum { N_PRESETS = 5 };

static const char *const predictors[] = { "perfect", "static", "bimodal", "gshare", "tage", NULL };
static const char *const prefetchers[] = { "none", "nextline", "stride", NULL };

/*
 * simple is for tests and for teaching. tracelab-machines(7) names the sources of the others, and
 * their estimates.
 */
static const struct parameter {
	const char *name;
	size_t offset;
	uint32_t least, most;
	const char *const *words; /* of its values from 0 on; NULL: they are numbers */
	uint32_t values[N_PRESETS];
} parameters[] = {
#define NUMBER(name, least, most, ...)                                    \
	{                                                                 \
#name, offsetof(struct machine, name), least, most, NULL, \
		{                                                         \
			__VA_ARGS__                                       \
		}                                                         \
	}
#define WORD(name, words, ...)                                      \
	{                                                           \
#name, offsetof(struct machine, name), 0, 0, words, \
		{                                                   \
			__VA_ARGS__                                 \
		}                                                   \
	}
	/*     name, least, most value; simple, zen4, zen5, goldencove, k10 */
	NUMBER(dispatch_width, 1, 64, 4, 6, 8, 6, 3),
	NUMBER(retire_width, 1, 64, 4, 8, 8, 8, 3),
	NUMBER(rob, 1, 1 << 16, 128, 320, 448, 512, 72),
	NUMBER(load_queue, 1, 1 << 16, 64, 88, 200, 192, 44),
	NUMBER(store_queue, 1, 1 << 16, 64, 64, 104, 114, 44),
	NUMBER(several_ops, 0, 1, 0, 1, 1, 1, 1),
	NUMBER(rep_bytes, 0, 64, 0, 32, 64, 32, 16),

	NUMBER(frontend_depth, 0, 1000, 4, 7, 8, 8, 6),
	NUMBER(decode_depth, 0, 1000, 0, 3, 3, 4, 0),
	NUMBER(op_cache, 0, 1 << 20, 0, 6912, 6144, 4096, 0),
	NUMBER(op_cache_ways, 1, 256, 8, 12, 16, 8, 8),
	NUMBER(restart, 0, 1000, 6, 5, 6, 8, 5),
	NUMBER(btb_entries, 0, 1 << 20, 0, 8192, 16384, 12288, 2048),
	NUMBER(btb_ways, 1, 256, 4, 4, 4, 6, 4),
	NUMBER(btb_penalty, 0, 1000, 0, 6, 6, 7, 5),

	NUMBER(l1i_size, 64, 1 << 30, 32 * KIB, 32 * KIB, 32 * KIB, 32 * KIB, 64 * KIB),
	NUMBER(l1i_ways, 1, 256, 8, 8, 8, 8, 2),
	NUMBER(l1d_size, 64, 1 << 30, 32 * KIB, 32 * KIB, 48 * KIB, 48 * KIB, 64 * KIB),
	NUMBER(l1d_ways, 1, 256, 8, 8, 12, 12, 2),
	NUMBER(l1d_latency, 1, 1000, 4, 4, 4, 5, 3),
	NUMBER(l2_size, 64, 1 << 30, 512 * KIB, 1 * MIB, 1 * MIB, 2 * MIB, 512 * KIB),
	NUMBER(l2_ways, 1, 256, 8, 8, 16, 16, 16),
	NUMBER(l2_latency, 1, 1000, 14, 14, 14, 15, 15),
	NUMBER(l3_size, 64, 1 << 30, 8 * MIB, 32 * MIB, 32 * MIB, 30 * MIB, 6 * MIB),
	NUMBER(l3_ways, 1, 256, 16, 16, 16, 12, 48),
	NUMBER(l3_latency, 1, 1000, 40, 50, 50, 70, 45),
	NUMBER(l3_victim, 0, 1, 0, 1, 1, 0, 1),
	NUMBER(memory_latency, 1, 60000, 200, 320, 320, 340, 161),
	NUMBER(memory_interval, 0, 1000, 0, 6, 5, 6, 12),
	NUMBER(miss_buffers, 1, 63, 8, 24, 24, 16, 8),

	WORD(l1_prefetcher, prefetchers, PREFETCH_NONE, PREFETCH_STRIDE, PREFETCH_STRIDE,
	     PREFETCH_STRIDE, PREFETCH_NEXT_LINE),
	WORD(l2_prefetcher, prefetchers, PREFETCH_NONE, PREFETCH_STRIDE, PREFETCH_STRIDE,
	     PREFETCH_STRIDE, PREFETCH_NONE),
	NUMBER(prefetch_distance, 1, 64, 4, 4, 6, 6, 2),
	NUMBER(forward_latency, 1, 1000, 4, 7, 7, 5, 4),
	NUMBER(forward_penalty, 0, 1000, 0, 10, 10, 12, 10),

	NUMBER(itlb_entries, 1, 1024, 64, 64, 64, 256, 32),
	NUMBER(dtlb_entries, 1, 1024, 64, 72, 96, 96, 48),
	NUMBER(l2_tlb_entries, 1, 1 << 20, 1024, 3072, 4096, 2048, 512),
	NUMBER(l2_tlb_ways, 1, 256, 8, 12, 16, 16, 4),
	NUMBER(l2_tlb_latency, 0, 1000, 6, 7, 7, 7, 5),
	NUMBER(l2_itlb_entries, 0, 1 << 20, 0, 512, 2048, 0, 512),
	NUMBER(l2_itlb_ways, 1, 256, 8, 8, 8, 8, 4),
	NUMBER(walk_latency, 0, 10000, 24, 6, 6, 6, 35),
	NUMBER(walk_cache, 0, 1 << 16, 0, 64, 64, 64, 0),

	NUMBER(integer, 1, 1000, 1, 1, 1, 1, 1),
	NUMBER(multiply, 1, 1000, 3, 3, 3, 3, 3),
	NUMBER(divide, 1, 1000, 20, 12, 12, 14, 40),
	NUMBER(vector, 1, 1000, 1, 1, 1, 1, 2),
	NUMBER(floating, 1, 1000, 4, 3, 3, 4, 4),
	NUMBER(floating_divide, 1, 1000, 4, 13, 13, 13, 20),
	NUMBER(crypto, 1, 1000, 4, 4, 4, 3, 4),
	NUMBER(atomic, 1, 1000, 20, 18, 18, 18, 20),
	NUMBER(system, 1, 10000, 100, 100, 100, 100, 100),
	NUMBER(vector_load, 0, 1000, 0, 3, 3, 2, 2),

	WORD(predictor, predictors, PREDICTOR_GSHARE, PREDICTOR_TAGE, PREDICTOR_TAGE,
	     PREDICTOR_TAGE, PREDICTOR_GSHARE),
	NUMBER(counter_bits, 1, 24, 14, 13, 14, 14, 14),
	NUMBER(history_bits, 0, 24, 8, 16, 16, 16, 12),
	NUMBER(tagged_bits, 1, 20, 10, 10, 12, 12, 10),
	NUMBER(return_stack, 1, 1024, 16, 32, 52, 24, 24),
	NUMBER(target_entries, 1, 1 << 20, 1024, 4096, 8192, 8192, 2048),
	NUMBER(target_history, 0, 32, 0, 8, 8, 8, 0),
#undef NUMBER
#undef WORD
};
enum { N_PARAMETERS = sizeof(parameters) / sizeof(parameters[0]) };

static uint32_t *value_of(struct machine *machine, const struct parameter *parameter)
{
	return (uint32_t *)((char *)machine + parameter->offset);
}

bool machine_preset(struct machine *machine, const char *name)
{
	unsigned k;

	if (!parse_choice(name, preset_words, &k))
		return false;
	for (size_t i = 0; i < N_PARAMETERS; i++)
		*value_of(machine, &parameters[i]) = parameters[i].values[k];
	return true;
}

/* Returns true if a parameter is in bytes. */
static bool is_size(const struct parameter *parameter)
{
	const char *end = strrchr(parameter->name, '_');

	return end && (!strcmp(end, "_size") || !strcmp(end, "_bytes"));
}

static bool parse_value(const struct parameter *parameter, const char *text, uint32_t *value)
{
	uint64_t number;

	for (uint32_t i = 0; parameter->words && parameter->words[i]; i++)
		if (!strcmp(parameter->words[i], text)) {
			*value = i;
			return true;
		}
	if (parameter->words ||
	    !(is_size(parameter) ? parse_size(text, &number) : parse_count(text, &number)) ||
	    number < parameter->least || number > parameter->most)
		return false;
	*value = number;
	return true;
}

static const char *expected_word(const struct parameter *p)
{
	char words[256] = "";

	for (uint32_t i = 0; p->words[i]; i++)
		snprintf(words + strlen(words), sizeof(words) - strlen(words), "%s%s", i ? "|" : "",
			 p->words[i]);
	return expected_choice(words);
}

/* Returns NULL, or what is wrong. */
static const char *set_parameter(struct machine *machine, const char *name, const char *text)
{
	if (!strcmp(name, "preset"))
		return machine_preset(machine, text) ? NULL : expected_choice(preset_words);
	for (size_t i = 0; i < N_PARAMETERS; i++) {
		const struct parameter *p = &parameters[i];

		if (!strcmp(p->name, name))
			return parse_value(p, text, value_of(machine, p)) ? NULL
			       : p->words                                 ? expected_word(p)
					  : "not a number in its range";
	}
	return "no such parameter";
}

/* Returns NULL, or what is wrong. */
static const char *parse_line(struct machine *machine, char *line)
{
	char name[32], value[32], rest;

	line[strcspn(line, "#")] = '\0';
	if (line[strspn(line, " \t\r\n")] == '\0')
		return NULL;
	if (sscanf(line, " %31[a-z0-9_] = %31s %c", name, value, &rest) != 2)
		return "not \"name = value\"";
	const char *wrong = set_parameter(machine, name, value);

	if (!wrong && machine->target_entries & (machine->target_entries - 1))
		return "target_entries is not a power of two";
	return wrong;
}

bool machine_read(struct machine *machine, const char *path, char *error, size_t size)
{
	FILE *file = open_input(path);
	const char *wrong = NULL;
	unsigned number = 1;
	char *line = NULL;
	size_t room = 0;

	if (!file) {
		if (errno == ENOENT)
			snprintf(error, size, "--machine=%s: %s, or a file: %m", path,
				 expected_choice(preset_words));
		else
			snprintf(error, size, "%s: %m", path);
		return false;
	}
	for (; !wrong && read_line(&line, &room, file) > 0; number += !wrong)
		wrong = parse_line(machine, line);
	if (!wrong)
		wrong = read_line_fault();
	free(line);
	if (wrong)
		snprintf(error, size, "%s:%u: %s", path, number, wrong);
	fclose(file);
	return !wrong;
}

void machine_write(const struct machine *machine, FILE *out)
{
	for (size_t i = 0; i < N_PARAMETERS; i++) {
		const struct parameter *p = &parameters[i];
		uint32_t value = *(const uint32_t *)((const char *)machine + p->offset);

		if (p->words)
			fprintf(out, "%s = %s\n", p->name, p->words[value]);
		else
			fprintf(out, "%s = %u\n", p->name, value);
	}
}
