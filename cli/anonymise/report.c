/* SPDX-License-Identifier: MIT */
#include "cli/anonymise/report.h"

#include <string.h>

#include "cli/common/command.h"
#include "traceformat/tracesamples.h"

static void put_levels(struct report *report, const struct levels *levels)
{
	char word[LEVEL_WORD];

	for (unsigned i = 0; i < N_SWITCHES; i++)
		report_string(report, switch_names[i], level_word(i, levels->at[i], word));
}

static const struct report_column kind_columns[] = {
	{ "kind", REPORT_STRING, "" },
	{ "before", REPORT_U64, "" },
	{ "after", REPORT_U64, "" },
	{ NULL, REPORT_U64, NULL },
};

static void put_kind(struct report *report, const char *kind, uint64_t before, uint64_t after)
{
	report_row(report, kind, before, after);
}

static uint64_t count_indices(const uint32_t *indices, uint32_t n)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < n; i++)
		count += indices[i] != TF_NONE;
	return count;
}

static uint64_t count_symbols(const struct tf_reader *reader)
{
	uint64_t sum = 0;
	size_t count;

	for (uint32_t i = 0; i < tf_n_modules(reader); i++) {
		tf_symbols(reader, i, &count);
		sum += count;
	}
	return sum;
}

static void put_kinds(struct report *report, const struct outcome *o)
{
	const struct dictionary *d = o->dictionary;
	struct tf_reader *r = o->reader;
	bool drops = o->settings->levels.at[SWITCH_SAMPLES] == SAMPLES_DROP;

	report_table(report, "records", kind_columns);
	put_kind(report, "modules", tf_n_modules(r), d->n_new_modules);
	put_kind(report, "symbols", count_symbols(r), d->n_new_symbols);
	put_kind(report, "mappings", tf_n_mappings(r), d->n_new_mappings);
	put_kind(report, "functions", tf_n_functions(r),
		 count_indices(d->new_functions, tf_n_functions(r)));
	put_kind(report, "regions", tf_n_regions(r),
		 count_indices(d->new_regions, tf_n_regions(r)));
	put_kind(report, "blocks", tf_n_blocks(r), d->n_new_blocks);
	put_kind(report, "samples", o->before->n_samples, drops ? 0 : o->before->n_samples);
}

static void put_modules(struct report *report, const struct outcome *o)
{
	static const struct report_column columns[] = {
		{ "module", REPORT_STRING, "" },
		{ "new_name", REPORT_STRING, "" },
		{ NULL, REPORT_STRING, NULL },
	};

	report_table(report, "modules", columns);
	for (uint32_t i = 0; i < tf_n_modules(o->reader); i++) {
		const struct tf_module *module = tf_module(o->reader, i);

		if (module)
			report_row(report, module->path, o->dictionary->module_names[i]);
	}
}

static void put_meta(struct report *report, const struct request *request, const struct outcome *o)
{
	static const struct report_column columns[] = {
		{ "meta", REPORT_STRING, "" },
		{ "kept", REPORT_STRING, "" },
		{ NULL, REPORT_STRING, NULL },
	};
	const char *key, *value;

	report_table(report, "meta", columns);
	for (size_t i = 0; (key = tf_meta_at(o->reader, i, &value)); i++) {
		bool kept = keeps_meta(&request->kept_meta, &o->settings->levels, key, value);

		report_row(report, key, kept ? value : (const char *)NULL);
	}
}

/* MICA's last bucket of strides ends here: units that come nearer change its counts. */
#define MOST_STRIDE UINT64_C(262144)

static bool changes_strides(const struct request *request)
{
	return request->levels.at[SWITCH_ADDRESSES] == ADDRESSES_PAGES ||
	       (request->levels.at[SWITCH_ADDRESSES] == ADDRESSES_REGIONS &&
		(request->glue < MOST_STRIDE || request->granule < MOST_STRIDE));
}

static void put_counts(struct report *report, const struct request *request,
		       const struct outcome *o)
{
	const struct dictionary *d = o->dictionary;

	report_u64(report, "names_replaced", "", d->names->renamed);
	report_u64(report, "names_kept", "", d->names->kept);
	if (!request->audit) {
		report_u64(report, "events_dropped", "", o->rules->dropped);
		report_u64(report, "arguments_cleared", "", o->rules->cleared);
	}
	if (o->settings->levels.at[SWITCH_CODE] >= CODE_NO_CONSTANTS) {
		if (o->settings->levels.at[SWITCH_CODE] == CODE_NO_CONSTANTS)
			report_u64(report, "instructions_without_constants", "", d->constants);
		report_u64(report, "undecodable_instructions", "", d->undecodable);
	}
	if (o->settings->levels.at[SWITCH_ADDRESSES] != ADDRESSES_KEEP) {
		report_u64(report, "units", "", d->map->units.count);
		report_bool(report, "strides_change", changes_strides(request));
	}
}

void report_outcome(const struct request *request, const struct outcome *o)
{
	bool to_stdout = request->audit || !is_standard_stream(request->to);
	struct report *report = report_begin(to_stdout ? stdout : stderr, request->format);

	if (!request->audit)
		report_string(report, "file", request->to);
	report_u64(report, "instructions", "", o->before->totals.instructions);
	report_u64(report, "bytes_before", "", o->before->file_size);
	if (o->bytes)
		report_u64(report, "bytes", "", o->bytes);
	put_levels(report, &o->settings->levels);
	put_counts(report, request, o);
	put_kinds(report, o);
	put_modules(report, o);
	put_meta(report, request, o);
	report_end(report);
}
