/* SPDX-License-Identifier: MIT */
#include "analyzers/mica/plan.h"

#include <inttypes.h>

#include "cli/common/command.h"
#include "cli/common/input_file.h"

static const struct kind {
	const char *base;
	enum mica_layout layout;
	const struct mica_analysis *analysis;
} kinds[] = {
	[MICA_KIND_ILP] = { "ilp", MICA_ILP, &mica_ilp },
	[MICA_KIND_ILP_ONE] = { "ilp-win", MICA_ILP_ONE, &mica_ilp },
	[MICA_KIND_ITYPES] = { "itypes", MICA_ITYPES, &mica_itypes },
	[MICA_KIND_PPM] = { "ppm", MICA_COUNTED, &mica_ppm },
	[MICA_KIND_REG] = { "reg", MICA_COUNTED, &mica_reg },
	[MICA_KIND_STRIDE] = { "stride", MICA_STRIDE, &mica_stride },
	[MICA_KIND_FOOTPRINT] = { "memfootprint", MICA_FOOTPRINT, &mica_footprint },
	[MICA_KIND_STACK] = { "memstackdist", MICA_STACK, &mica_stackdist },
	[MICA_KIND_FULL_STACK] = { "fullmemstackdist", MICA_FULL_STACK, &mica_stackdist },
	[MICA_KIND_LINES] = { "linecount", MICA_LINES, &mica_linecount },
};

/* Returns the parameters that all analyses get. */
static struct mica_setup setup_of(const struct mica_plan *plan, const struct mica_numbers *numbers,
				  const struct mica_extensions *extensions)
{
	const struct mica_config *config = &plan->config;
	bool boegel = plan->dialect == MICA_BOEGEL;

	return (struct mica_setup){
		.numbers = *numbers,
		.block_shift = config->block_shift,
		.page_shift = config->page_shift,
		.intervals = config->interval || extensions->warms_up,
		.exact_intervals = extensions->exact_intervals ||
				   (!config->interval && extensions->warms_up),
		.no_avx2 = extensions->no_avx2,
		.n_windows = 4,
		.windows = { 32, 64, 128, 256 },
		.latencies = extensions->latencies,
		.groups = &plan->groups,
		.register_transfers = boegel && !config->all,
		.ppm_lengths = { boegel ? 4 : 12, 8, boegel ? 12 : 4 },
		.stack_writes = plan->dialect == MICA_CHERAMY && !config->all,
		.stack_rounds_up = plan->dialect == MICA_040REL,
		.zero_instructions = config->all,
	};
}

static void add_file(struct mica_plan *plan, enum mica_kind kind, const struct mica_setup *setup,
		     const struct mica_extensions *extensions)
{
	struct mica_file *file = &plan->files[plan->n_files++];

	*file = (struct mica_file){
		.layout = kinds[kind].layout,
		.analysis = kinds[kind].analysis,
		.setup = *setup,
	};
	snprintf(file->base, sizeof(file->base), "%s", kinds[kind].base);
	if (kind == MICA_KIND_STACK && plan->dialect == MICA_040REL)
		snprintf(file->base, sizeof(file->base), "memreusedist");
	if (kind == MICA_KIND_ILP_ONE) {
		snprintf(file->base, sizeof(file->base), "ilp-win%" PRIu64, plan->config.ilp_size);
		file->setup.ilp_one = true;
		file->setup.n_windows = 1;
		file->setup.windows[0] = plan->config.ilp_size;
	}
	if (kinds[kind].analysis == &mica_ilp && extensions->byte_dependences)
		file->setup.block_shift = 0;
}

static bool read_groups(struct mica_plan *plan)
{
	const struct mica_config *config = &plan->config;
	char error[512];

	if (!config->groups || !(config->kinds & 1u << MICA_KIND_ITYPES)) {
		itypes_default_groups(&plan->groups, plan->dialect == MICA_BOEGEL);
		return true;
	}
	if (!expect_file(config->groups, ITYPES_GROUPS_FILE, 0))
		return false;
	if (itypes_read_groups(config->groups, &plan->groups, error, sizeof(error)))
		return true;
	command_error("%s", error);
	return false;
}

bool mica_plan_make(struct mica_plan *plan, const struct mica_config *config,
		    enum mica_dialect dialect, const struct mica_numbers *numbers,
		    const struct mica_extensions *extensions)
{
	*plan = (struct mica_plan){ .dialect = dialect, .config = *config };
	if (!read_groups(plan))
		return false;
	struct mica_setup setup = setup_of(plan, numbers, extensions);

	for (unsigned kind = 0; kind < MICA_KINDS; kind++)
		if (config->kinds & 1u << kind)
			add_file(plan, kind, &setup, extensions);
	return true;
}

void mica_plan_free(struct mica_plan *plan)
{
	itypes_free_groups(&plan->groups);
	mica_config_free(&plan->config);
}

bool mica_needs_addresses(const struct mica_config *config)
{
	unsigned others = 1u << MICA_KIND_ITYPES | 1u << MICA_KIND_PPM | 1u << MICA_KIND_REG;

	return config->kinds & ~others;
}
