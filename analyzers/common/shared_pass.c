/* SPDX-License-Identifier: MIT */
#include "analyzers/common/shared_pass.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/json_values.h"
#include "cli/common/report_json.h"

int shared_pass_parse(struct shared_pass *pass, const struct settings *settings, void *own)
{
	const struct analyzer *analyzer = settings->analyzer;
	int status = 0;

	*pass = (struct shared_pass){ .count = 0 };
	if (!settings->also.count)
		return 0;
	pass->options = checked_array(1, analyzer->options_size + 1);
	pass->results[pass->count++].options = own;
	for (unsigned i = 0; i < settings->also.count && !status; i++) {
		struct pass_result *result = &pass->results[pass->count++];

		result->text = settings->also.texts[i];
		result->options = checked_array(1, analyzer->options_size + 1);
		status = parse_also(analyzer, settings->also.texts[i], result->options,
				    &result->interval, &result->words);
	}
	return status;
}

/* Returns true if the pass can serve for a result, too, and extends the pass for it. */
static bool serves(struct shared_pass *pass, const struct analysis *run,
		   const struct pass_result *result)
{
	/* The counts of a warm-up, which are cleared behind it, are not to be kept. */
	if (run->has_warmup || analyzer_has_vectors(run) || (result->interval && pass->interval))
		return false;
	return run->analyzer->also(run, pass->options, result->options);
}

void shared_pass_begin(struct shared_pass *pass, struct analysis *run)
{
	if (!pass->count)
		return;
	memcpy(pass->options, pass->results[0].options, run->analyzer->options_size);
	for (unsigned i = 1; i < pass->count; i++) {
		struct pass_result *result = &pass->results[i];

		result->left_out = !serves(pass, run, result);
		if (!result->left_out && result->interval)
			pass->interval = result->interval;
		run->keeps_all |= !result->left_out;
	}
	run->options = pass->options;
}

static json_t *json_of(const struct pass_result *result)
{
	return result->report ? report_json(result->report) : json_null();
}

int shared_pass_write(const struct shared_pass *pass, struct results *results)
{
	bool has_files = results->settings->results;
	json_t *all = checked(has_files ? json_object() : json_array());

	for (unsigned i = 0; i < pass->count; i++) {
		const struct pass_result *result = &pass->results[i];

		if (!has_files)
			json_element(all, json_of(result));
		else if (i)
			json_member(all, result->text, json_of(result));
	}
	if (!has_files)
		return results_write_json(results, all);
	return results_write(results, pass->results[0].report) | results_save_json(results, all);
}

void shared_pass_free(struct shared_pass *pass)
{
	for (unsigned i = 0; i < pass->count; i++) {
		if (i)
			free(pass->results[i].options);
		free(pass->results[i].words);
		if (pass->results[i].report)
			report_free(pass->results[i].report);
	}
	free(pass->options);
}
