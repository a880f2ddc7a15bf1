/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/report.h"

#include <math.h>
#include <string.h>

#include "analyzers/common/checked.h"
#include "cli/common/vendor.h"

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

void ibs_report_latencies(const struct ibs_summary *summary, struct report *report)
{
	static const struct report_column columns[] = {
		{ "latency", REPORT_STRING, "" }, { "samples", REPORT_U64, "" },
		{ "mean", REPORT_F64, "cycles" }, { "p10", REPORT_U64, "cycles" },
		{ "p50", REPORT_U64, "cycles" }, { "p90", REPORT_U64, "cycles" },
		{ "p99", REPORT_U64, "cycles" }, { "max", REPORT_U64, "cycles" },
		{ NULL, 0, NULL },
	};

	report_table(report, "latencies", columns);
	for (unsigned i = 0; i < IBS_N_METRICS; i++) {
		const struct latencies *l = &summary->metrics[i];

		if (l->count)
			report_row(report, ibs_metric_name(i), l->count, latencies_mean(l),
				   latencies_percentile(l, 10), latencies_percentile(l, 50),
				   latencies_percentile(l, 90), latencies_percentile(l, 99),
				   l->max);
	}
}

void ibs_report_histogram(const struct ibs_summary *summary, struct report *report)
{
	static const struct report_column columns[] = {
		{ "latency", REPORT_STRING, "" }, { "from", REPORT_U64, "cycles" },
		{ "to", REPORT_U64, "cycles" }, { "samples", REPORT_U64, "" }, { NULL, 0, NULL },
	};

	report_table(report, "histogram", columns);
	for (unsigned i = 0; i < IBS_N_METRICS; i++)
		for (unsigned bin = 0; bin < LATENCY_BINS; bin++)
			if (summary->metrics[i].bins[bin])
				report_row(report, ibs_metric_name(i), latency_of_bin(bin),
					   latency_of_bin(bin + 1) - 1,
					   (uint64_t)summary->metrics[i].bins[bin]);
}

static void report_ratios(const struct ibs_event_counts *counts, struct report *report)
{
	static const struct report_column columns[] = {
		{ "ratio", REPORT_STRING, "" }, { "value", REPORT_F64, "" },
		{ "unit", REPORT_STRING, "" }, { NULL, 0, NULL },
	};

	report_table(report, "ratios", columns);
	for (unsigned i = 0; i < IBS_N_RATIOS; i++)
		report_row(report, ibs_ratios[i].name, ibs_ratio_value(&ibs_ratios[i], counts),
			   ibs_ratios[i].unit);
}

void ibs_report_events(const struct ibs_event_counts *counts, unsigned sets,
		       struct report *report)
{
	static const struct report_column columns[] = {
		{ "event", REPORT_STRING, "" }, { "value", REPORT_U64, "" },
		{ "undecided_samples", REPORT_U64, "" }, { NULL, 0, NULL },
	};

	report_table(report, "events", columns);
	for (unsigned i = 0; i < IBS_N_EVENTS; i++)
		if (ibs_events[i].sets & sets && counts->samples[ibs_events[i].kind])
			report_row_of_known(report, ibs_events[i].name,
					    (uint64_t[]){ counts->values[i],
							  counts->undecided[i] },
					    (bool[]){ counts->values[i] || !counts->undecided[i],
						      true });
	if (sets & IBS_ZEN && counts->samples[IBS_KIND_OP])
		report_ratios(counts, report);
}

/* ---- places ------------------------------------------------------------------------------ */

/* A row: samples of an instruction, or of all those of a symbol. */
struct row {
	const struct tf_block *block;
	const struct tf_symbol *symbol;	/* NULL: none */
	uint32_t insn;			/* a static one that it is about */
	struct ibs_place place;
};

static int compare_symbols(const void *a, const void *b)
{
	const struct row *x = *(const struct row *const *)a, *y = *(const struct row *const *)b;

	if (x->block->module != y->block->module)
		return x->block->module < y->block->module ? -1 : 1;
	if (x->symbol != y->symbol)
		return x->symbol < y->symbol ? -1 : 1;
	return x->insn < y->insn ? -1 : x->insn > y->insn;
}

static int compare_samples(const void *a, const void *b)
{
	const struct row *x = *(const struct row *const *)a, *y = *(const struct row *const *)b;

	if (x->place.samples != y->place.samples)
		return x->place.samples > y->place.samples ? -1 : 1;
	return compare_symbols(a, b);
}

static struct row *make_row(const struct ibs_summary *summary, const struct ibs_code *code,
			    size_t insn)
{
	struct row *row = checked_array(1, sizeof(*row));

	row->insn = insn;
	row->place = *summary->places[insn];
	row->block = tf_block(code->reader, code->blocks[insn]);
	if (row->block->module != TF_NONE)
		row->symbol = tf_symbol(code->reader, row->block->module,
					row->block->module_offset + code->insns[insn].pc -
					row->block->pc);
	return row;
}

/* Makes one row of all rows of a symbol. Returns how many there are then. */
static size_t merge_symbols(struct row **rows, size_t count)
{
	size_t n = 0;

	qsort(rows, count, sizeof(*rows), compare_symbols);
	for (size_t i = 0; i < count; i++) {
		struct row *last = n ? rows[n - 1] : NULL;

		if (last && last->block->module == rows[i]->block->module &&
		    last->symbol == rows[i]->symbol) {
			ibs_place_merge(&last->place, &rows[i]->place);
			free(rows[i]);
		} else {
			rows[n++] = rows[i];
		}
	}
	return n;
}

#define PLACE_COLUMNS \
	{ "samples", REPORT_U64, "" }, { "share", REPORT_F64, "%" }, \
	{ "tag_to_retire_mean", REPORT_F64, "cycles" }, { "p50", REPORT_U64, "cycles" }, \
	{ "p90", REPORT_U64, "cycles" }, { "loads", REPORT_U64, "" }, \
	{ "stores", REPORT_U64, "" }, { "misses", REPORT_U64, "" }, \
	{ "load_miss_mean", REPORT_F64, "cycles" }, { "mispredicted", REPORT_U64, "" }, \
	{ "module", REPORT_STRING, "" }, { "symbol", REPORT_STRING, "" }

static const char *module_name(const struct ibs_code *code, const struct tf_block *block)
{
	const struct tf_module *module = tf_module(code->reader, block->module);
	const char *slash = module ? strrchr(module->path, '/') : NULL;

	return slash ? slash + 1 : module ? module->path : NULL;
}

static void report_place(const struct ibs_summary *summary, const struct ibs_code *code,
			 enum ibs_by by, const struct row *row, struct report *report)
{
	const struct ibs_place *p = &row->place;
	const struct ibs_insn *insn = &code->insns[row->insn];
	char text[128] = "";

	if (by == IBS_BY_INSTRUCTION)
		isa_disassemble(row->block->code + (insn->pc - row->block->pc), insn->length,
				insn->pc, recorded_vendor(code->reader), ISA_SYNTAX_ATT, text,
				sizeof(text));
	report_row(report, p->samples, percent(p->samples, summary->samples),
		   latencies_mean(&p->tag_to_retire), latencies_percentile(&p->tag_to_retire, 50),
		   latencies_percentile(&p->tag_to_retire, 90), p->loads, p->stores, p->misses,
		   p->miss.count ? latencies_mean(&p->miss) : NAN, p->mispredicted,
		   module_name(code, row->block), row->symbol ? row->symbol->name : NULL,
		   insn->pc, text);
}

void ibs_report_places(const struct ibs_summary *summary, const struct ibs_code *code,
		       enum ibs_by by, uint64_t top, struct report *report)
{
	static const struct report_column symbol_columns[] = { PLACE_COLUMNS, { NULL, 0, NULL } };
	static const struct report_column insn_columns[] = {
		PLACE_COLUMNS, { "pc", REPORT_HEX, "" }, { "instruction", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};
	struct row **rows = checked_array(summary->n_insns, sizeof(*rows));
	size_t count = 0;

	for (size_t i = 0; i < summary->n_insns; i++)
		if (summary->places[i])
			rows[count++] = make_row(summary, code, i);
	if (by == IBS_BY_SYMBOL)
		count = merge_symbols(rows, count);
	qsort(rows, count, sizeof(*rows), compare_samples);
	report_table(report, by == IBS_BY_SYMBOL ? "symbols" : "instructions",
		     by == IBS_BY_SYMBOL ? symbol_columns : insn_columns);
	for (size_t i = 0; i < count; i++) {
		if (i < top)
			report_place(summary, code, by, rows[i], report);
		free(rows[i]);
	}
	free(rows);
}

/* ---- data -------------------------------------------------------------------------------- */

/* What a process has mapped at an address last: "[heap]", a file, or "" for memory of no name. */
static const char *mapping_name(struct tf_reader *reader, uint32_t process, uint64_t address)
{
	const struct tf_mapping *mapping;
	const char *name = NULL;

	for (uint32_t i = 0; (mapping = tf_mapping(reader, i)); i++)
		if (mapping->change == TF_MAP && mapping->process == process &&
		    address - mapping->start < mapping->size)
			name = mapping->name;
	return name;
}

void ibs_report_data(struct ibs_data *data, struct tf_reader *reader, uint64_t top,
		     struct report *report)
{
	static const struct report_column columns[] = {
		{ "samples", REPORT_U64, "" }, { "loads", REPORT_U64, "" },
		{ "stores", REPORT_U64, "" }, { "misses", REPORT_U64, "" },
		{ "load_miss_cycles", REPORT_U64, "cycles" }, { "tlb_misses", REPORT_U64, "" },
		{ "process", REPORT_U64, "" }, { "address", REPORT_HEX, "" },
		{ "mapping", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};
	size_t count = ibs_data_sort(data);

	report_table(report, "data", columns);
	for (size_t i = 0; i < count && i < top; i++) {
		const struct ibs_data_block *b = &data->entries[i];
		uint64_t address = (b->key - 1) << data->shift;

		report_row(report, b->samples, b->loads, b->stores, b->misses, b->miss_cycles,
			   b->tlb_misses, (uint64_t)b->process, address,
			   mapping_name(reader, b->process, address));
	}
}

/* ---- modes ------------------------------------------------------------------------------- */

static void report_mode(const struct ibs_profiles *profiles, unsigned i, struct report *report)
{
	uint64_t samples = profiles->n_samples[i];
	size_t n = profiles->n_insns;
	double executions = NAN, expected = NAN, time = NAN;

	if (samples) {
		executions = 100 * ibs_distance(profiles->samples[i], profiles->ops, n);
		expected = 100 * ibs_expected_distance(profiles->ops, n, samples);
		time = 100 * ibs_distance(profiles->samples[i], profiles->cycles, n);
	}
	report_row(report, ibs_mode_names[i / IBS_N_RANDOMIZATIONS],
		   ibs_randomization_names[i % IBS_N_RANDOMIZATIONS], samples,
		   profiles->n_skipped[i], executions, expected, time);
}

void ibs_report_modes(const struct ibs_profiles *profiles, struct report *report)
{
	static const struct report_column columns[] = {
		{ "mode", REPORT_STRING, "" }, { "randomization", REPORT_STRING, "" },
		{ "samples", REPORT_U64, "" }, { "skipped", REPORT_U64, "" },
		{ "distance_from_executions", REPORT_F64, "%" },
		{ "expected", REPORT_F64, "%" },
		{ "distance_from_time", REPORT_F64, "%" }, { NULL, 0, NULL },
	};

	report_table(report, "modes", columns);
	for (unsigned i = 0; i < IBS_N_OBSERVERS; i++)
		report_mode(profiles, i, report);
}

/* ---- packets ----------------------------------------------------------------------------- */

enum { LABELS = 3, PACKET_COLUMNS = LABELS + IBS_N_PACKET_REGISTERS + IBS_N_FIELDS };

/* A register that is one field is there once. */
static const struct report_column *packet_columns(enum ibs_kind kind)
{
	static struct report_column columns[PACKET_COLUMNS + 1] = {
		{ "thread", REPORT_U64, "" }, { "op", REPORT_U64, "" }, { "caps", REPORT_HEX, "" },
	};
	size_t n = LABELS;

	for (unsigned i = 0; i < IBS_N_PACKET_REGISTERS; i++)
		if (ibs_register_kind(i) == kind)
			columns[n++] = (struct report_column){ ibs_register_name(i), REPORT_HEX, "" };
	for (unsigned i = 0; i < IBS_N_FIELDS; i++)
		if (ibs_register_kind(ibs_field_register(i)) == kind && !ibs_field_is_register(i))
			columns[n++] = (struct report_column){ ibs_field_name(i), REPORT_U64, "" };
	columns[n] = (struct report_column){ NULL, 0, NULL };
	return columns;
}

/* Registers of which nothing is known are not there. */
static void report_packet(const struct ibs_packet *packet, struct report *report)
{
	bool known[PACKET_COLUMNS] = { true, true, true };
	bool register_known[IBS_N_PACKET_REGISTERS] = { false };
	uint64_t values[PACKET_COLUMNS] = { packet->thread, packet->op, IBS_CAPS_ZEN4 }, value;
	size_t n = LABELS;

	for (unsigned i = 0; i < IBS_N_FIELDS; i++)
		register_known[ibs_field_register(i)] |= ibs_packet_get(packet, i, &value);
	for (unsigned i = 0; i < IBS_N_PACKET_REGISTERS; i++)
		if (ibs_register_kind(i) == packet->kind) {
			values[n] = packet->registers[i];
			known[n++] = register_known[i];
		}
	for (unsigned i = 0; i < IBS_N_FIELDS; i++)
		if (ibs_register_kind(ibs_field_register(i)) == packet->kind &&
		    !ibs_field_is_register(i)) {
			known[n] = ibs_packet_get(packet, i, &value);
			values[n++] = value;
		}
	report_row_of_known(report, NULL, values, known);
}

void ibs_report_packets(const struct ibs_packet *packets, size_t count, enum ibs_kind kind,
			struct report *report)
{
	report_table(report, "packets", packet_columns(kind));
	for (size_t i = 0; i < count; i++)
		report_packet(&packets[i], report);
}
