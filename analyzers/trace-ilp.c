/* SPDX-License-Identifier: MIT */
/* trace-ilp - cycles of an ideal processor by window size; mica/ilp.c has the definition. */
#include "analyzers/mica/ilp.h"
#include "analyzers/mica/tool.h"
#include "cli/common/command.h"
#include "cli/common/quantity.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WINDOW = 1 << 24 };

static int prepare(const struct mica_options *options, struct mica_setup *setup)
{
	const char *text = options->windows;

	for (;; text++) {
		size_t length = strcspn(text, ",");
		char word[24] = "";
		uint64_t size = 0;

		memcpy(word, text, length < sizeof(word) ? length : sizeof(word) - 1);
		if (strcmp(word, "unlimited") &&
		    (!parse_count(word, &size) || !size || size > MAX_WINDOW))
			return command_usage_error("--windows: '%s' is neither a size up to 16Mi "
						   "nor 'unlimited'",
						   word);
		setup->one_state |= !size || size > ILP_MERGED_WINDOW;
		if (setup->one_state && setup->parts)
			return command_usage_error(
				"--windows: '%s' excludes --part, because the result of a part "
				"depends on too many instructions before the part; the windows of "
				"parts have at most %d instructions",
				word, ILP_MERGED_WINDOW);
		if (setup->n_windows == MICA_MAX_WINDOWS)
			return command_usage_error("--windows: more than %d sizes",
						   MICA_MAX_WINDOWS);
		setup->windows[setup->n_windows++] = size;
		text += length;
		if (!*text)
			return 0;
	}
}

static bool name(const struct mica_setup *setup, unsigned column, char *text, size_t size)
{
	if (column >= setup->n_windows)
		return false;
	if (setup->windows[column])
		snprintf(text, size, "cycles_%" PRIu32, setup->windows[column]);
	else
		snprintf(text, size, "cycles_unlimited");
	return true;
}

static bool ipc(const struct mica_setup *setup, unsigned index, struct mica_quotient *quotient)
{
	if (index >= setup->n_windows)
		return false;
	quotient->factor = 1;
	quotient->dividend = MICA_EXECUTIONS;
	quotient->divisor = MICA_NUMBER(index);
	if (setup->windows[index])
		snprintf(quotient->name, sizeof(quotient->name), "ipc_%" PRIu32,
			 setup->windows[index]);
	else
		snprintf(quotient->name, sizeof(quotient->name), "ipc_unlimited");
	return true;
}

/* clang-format off */
const struct mica_tool mica_tool = {
	.analysis = &mica_ilp, .prepare = prepare, .name = name, .unit = "cycles", .quotient = ipc,
};
/* clang-format on */

static const struct command_option options[] = {
	MICA_OPTION("windows", 'w', "SIZES", "window sizes or 'unlimited' (32,64,128,256)",
		    analyzer_option_text, windows),
	MICA_OPTION_BLOCK,
	MICA_OPTIONS_ILP,
	MICA_OPTION_INTERVAL,
	{ 0 },
};

MICA_TOOL(ANALYZER_NEEDS_CODE, MICA_IN_ORDER, "trace-ilp",
	  "count cycles and instructions per cycle of an ideal processor by window size",
	  "trace-ilp --windows=32,256,unlimited ls.trace", TF_ADDRESSES, options)
