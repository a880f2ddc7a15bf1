/* SPDX-License-Identifier: MIT */
#include "cli/export/formats.h"

#include <string.h>

const struct exporter *const export_formats[] = {
	&champsim,      &cloudsuite, &din,           &xdin,         &lackey,       &ramulator_dram,
	&ramulator_cpu, &ramulator2, &ramulator2_o3, &gem5_packets, &gem5_fetches, &gem5_elastic,
	&sbbt,          &bt9,        &cbp2025,       &sift,         &drmemtrace,   NULL,
};

const struct exporter *export_format(const char *name)
{
	for (const struct exporter *const *f = export_formats; *f; f++)
		if (!strcmp((*f)->name, name))
			return *f;
	return NULL;
}

const char *loss_name(enum export_loss loss)
{
	static const char *const names[N_LOSSES] = {
		[LOSS_OPAQUE] = "opaque_instructions",
		[LOSS_REGISTERS] = "registers",
		[LOSS_ACCESSES] = "accesses",
		[LOSS_ADDRESS_ZERO] = "accesses_at_0",
		[LOSS_PREFETCHES] = "prefetches",
		[LOSS_SUCCESSORS] = "branch_targets",
		[LOSS_DISTANCES] = "moved_branches",
		[LOSS_LONE_STORES] = "lone_stores",
		[LOSS_EDGES] = "other_edges",
		[LOSS_BRANCHES] = "branches_left_out",
		[LOSS_RESTARTS] = "joined_repetitions",
		[LOSS_FLUSHES] = "cache_flushes",
		[LOSS_SYSCALLS] = "system_calls",
		[LOSS_CALLS] = "function_calls",
		[LOSS_BUBBLES] = "bubbles",
	};

	return names[loss];
}

const char *loss_meaning(enum export_loss loss)
{
	static const char *const meanings[N_LOSSES] = {
		[LOSS_OPAQUE] = "instructions whose accesses and registers are not known",
		[LOSS_REGISTERS] =
			"registers for which the records of an instruction have no field",
		[LOSS_ACCESSES] = "accesses for which the record of an instruction has no field",
		[LOSS_ADDRESS_ZERO] = "accesses at address 0, which means \"none\" in the format",
		[LOSS_PREFETCHES] = "prefetches, which the format does not have",
		[LOSS_SUCCESSORS] =
			"taken branches whose target is not in the format's record, as a signal, a gap or the end follows",
		[LOSS_DISTANCES] =
			"branches after more instructions than a record can count; later records count the rest",
		[LOSS_LONE_STORES] =
			"stores without a load before them, written as a load and a store",
		[LOSS_BUBBLES] =
			"instructions without accesses that no line counts: behind the last line, or beyond 2,147,483,647 before a line",
		[LOSS_EDGES] =
			"executions of a branch and target after which another branch came than after the first",
		[LOSS_BRANCHES] =
			"branches that are left out, as the trace does not have the instruction behind them",
		[LOSS_RESTARTS] =
			"rep instructions that go on after an interruption; they are one with the part before",
		[LOSS_FLUSHES] =
			"instructions that write back or flush a cache line, whose address a trace does not have",
		[LOSS_SYSCALLS] =
			"system calls without a marker, as the trace has no number or no instruction for them",
		[LOSS_CALLS] =
			"calls and returns of traced functions that do not stand directly behind a branch",
	};

	return meanings[loss];
}
