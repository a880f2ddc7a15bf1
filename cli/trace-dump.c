/* SPDX-License-Identifier: MIT */
/*
 * trace-dump - a trace as readable text: instructions with their addresses, and events.
 *
 * What depends on code alone (pc, bytes, disassembly) is formatted once a static instruction and
 * then copied, so that a line costs little more than its numbers.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/command.h"
#include "cli/common/common_options.h"
#include "cli/common/escape.h"
#include "cli/common/event_fields.h"
#include "cli/common/loss.h"
#include "cli/common/put.h"
#include "cli/common/samples.h"
#include "cli/common/vendor.h"
#include "traceformat/traceformat.h"

static const char help[] =
"Usage: trace-dump [options] TRACE\n"
"Print a trace as text, one instruction or event a line. TRACE may be -.\n"
"\n"
"  -f, --from=N       first instruction: an ordinal of the thread, else a step\n"
"  -c, --count=N      how many instructions\n"
"  -t, --thread=N     one thread alone, by index; else all in recorded order\n"
"  -b, --bytes        code bytes of each instruction\n"
"      --intel        Intel syntax instead of AT&T\n"
"      --blocks       one line an execution of a basic block\n"
"      --no-events    instructions alone\n"
"      --samples      what hardware has sampled, instead of what was executed\n"
"      --symbols=no   no lines that name the function\n"
"      --format=FMT   text (default), jsonl or csv\n"
"  -h, --help         show this help\n"
"      --version      show versions\n"
"\n"
"N may end in k, M, G, Ki, Mi, Gi. jsonl and csv are described in trace-dump(1).\n"
"\n"
"Example: trace-dump --from=1M --count=20 ls.trace\n";

enum dump_format { DUMP_TEXT, DUMP_JSONL, DUMP_CSV };

struct options {
	enum dump_format format;
	enum isa_syntax syntax;
	uint64_t from, count;
	uint32_t thread;
	bool bytes, blocks, events, symbols, samples;
};

/* The part of an instruction's line that every execution of it shares. */
struct static_line {
	char *text;
	size_t length;
	const struct tf_symbol *symbol;	/* that covers it, or NULL */
};

struct dump {
	const struct options *options;
	struct tf_reader *reader;
	enum isa_vendor vendor;
	FILE *out;
	bool show_thread;
	bool addresses;			/* the trace has them */
	struct static_line **lines;	/* by block id and instruction; NULL until it is needed */
	uint32_t n_blocks;
	size_t n_lines;			/* in memory */
	bool somewhere;			/* the next three hold */
	uint32_t thread, module;	/* of the line before */
	const struct tf_symbol *symbol;
};

/* ---- lines ------------------------------------------------------------------------------- */

static void put_printable(FILE *out, const char *s)
{
	char *text = escape_text(s);

	put_text(out, text);
	free(text);
}

/* What starts each line. */
static void put_head(const struct dump *dump, const char *type, uint64_t ordinal, uint32_t thread)
{
	FILE *out = dump->out;

	switch (dump->options->format) {
	case DUMP_TEXT:
		put_padded(out, ordinal, 10);
		put_text(out, "  ");
		if (dump->show_thread) {
			putc_unlocked('t', out);
			put_number(out, thread);
			put_text(out, "  ");
		}
		break;
	case DUMP_JSONL:
		put_text(out, "{\"type\":\"");
		put_text(out, type);
		put_text(out, "\",\"ordinal\":");
		put_number(out, ordinal);
		put_text(out, ",\"thread\":");
		put_number(out, thread);
		putc_unlocked(',', out);
		break;
	case DUMP_CSV:
		put_text(out, type);
		putc_unlocked(',', out);
		put_number(out, ordinal);
		putc_unlocked(',', out);
		put_number(out, thread);
		putc_unlocked(',', out);
		break;
	}
}

/* ---- places ------------------------------------------------------------------------------ */

/* "main+0x1a (ls)", "ls+0x4a10" where there is no symbol, "(no file)". Free it. */
static char *place(const struct tf_reader *reader, const struct tf_block *block, uint64_t offset,
		   const struct tf_symbol *symbol)
{
	const struct tf_module *module = tf_module(reader, block->module);
	const char *file = "(no file)";
	char *text;
	int length;

	if (module) {
		const char *slash = strrchr(module->path, '/');

		file = slash ? slash + 1 : module->path;
	}
	if (symbol && offset != symbol->value)
		length = asprintf(&text, "%s+0x%" PRIx64 " (%s)", symbol->name,
				  offset - symbol->value, file);
	else if (symbol)
		length = asprintf(&text, "%s (%s)", symbol->name, file);
	else if (module)
		length = asprintf(&text, "%s+0x%" PRIx64, file, offset);
	else
		length = asprintf(&text, "%s", file);
	if (length < 0)
		command_out_of_memory();
	return text;
}

static void put_label(struct dump *dump, uint32_t thread, const struct tf_block *block,
		      unsigned index, const struct tf_symbol *symbol)
{
	if (dump->somewhere && dump->thread == thread && dump->module == block->module &&
	    dump->symbol == symbol)
		return;
	dump->somewhere = true;
	dump->thread = thread;
	dump->module = block->module;
	dump->symbol = symbol;
	char *label = place(dump->reader, block,
			    block->module_offset + block->insns[index].offset, symbol);

	put_printable(dump->out, label);
	put_text(dump->out, ":\n");
	free(label);
}

/* ---- instructions ------------------------------------------------------------------------ */

static void put_static(const struct dump *dump, FILE *out, const struct tf_block *block,
		       const struct tf_insn *insn)
{
	const uint8_t *code = block->code + insn->offset;
	uint64_t pc = block->pc + insn->offset;
	char text[256] = "(opaque)";

	if (!(insn->flags & TF_INSN_OPAQUE))
		isa_disassemble(code, insn->length, pc, dump->vendor, dump->options->syntax, text,
				sizeof(text));
	switch (dump->options->format) {
	case DUMP_TEXT:
		fprintf(out, "%12" PRIx64 "  ", pc);
		if (dump->options->bytes) {
			enum { WIDTH = 2 * 10 };	/* most instructions */
			put_bytes(out, code, insn->length);
			put_blanks(out, insn->length * 2 < WIDTH ? WIDTH - insn->length * 2 : 0);
			put_text(out, "  ");
		}
		if (insn->n_operands)
			fprintf(out, "%-36s", text);
		else
			put_text(out, text);
		break;
	case DUMP_JSONL:
		fprintf(out, "\"pc\":\"0x%" PRIx64 "\",\"bytes\":\"", pc);
		put_bytes(out, code, insn->length);
		put_text(out, "\",\"mem\":[");
		break;
	case DUMP_CSV:
		fprintf(out, "0x%" PRIx64 ",", pc);
		put_bytes(out, code, insn->length);
		putc(',', out);
		put_csv(out, text);
		putc(',', out);
		break;
	}
}

static void free_lines(struct dump *dump)
{
	for (uint32_t i = 0; i < dump->n_blocks; i++) {
		if (!dump->lines[i])
			continue;
		for (unsigned j = 0; j < tf_block(dump->reader, i)->n_insns; j++)
			free(dump->lines[i][j].text);
		free(dump->lines[i]);
		dump->lines[i] = NULL;
	}
	dump->n_lines = 0;
}

/* The lines of a block's instructions, until the next call. */
static const struct static_line *static_lines(struct dump *dump, const struct tf_block *block)
{
	enum { MAX_LINES = 1 << 20 };	/* some 100 MB */
	struct static_line *lines = dump->lines[block->id];

	if (lines)
		return lines;
	if (dump->n_lines > MAX_LINES)
		free_lines(dump);
	dump->n_lines += block->n_insns;
	lines = calloc(block->n_insns + 1, sizeof(*lines));
	if (!lines)
		command_out_of_memory();
	for (unsigned i = 0; i < block->n_insns; i++) {
		FILE *out = open_memstream(&lines[i].text, &lines[i].length);

		if (!out)
			command_out_of_memory();
		put_static(dump, out, block, &block->insns[i]);
		if (fclose(out))
			command_out_of_memory();
		if (dump->options->symbols)
			lines[i].symbol = tf_symbol(dump->reader, block->module,
						    block->module_offset + block->insns[i].offset);
	}
	dump->lines[block->id] = lines;
	return lines;
}

static const char *access_name(unsigned access)
{
	return access & TF_PREFETCH ? "prefetch" :
	       access == (TF_LOAD | TF_STORE) ? "load-store" :
	       access == TF_STORE ? "store" : "load";
}

static bool has_lanes(const struct tf_operand *operand)
{
	return operand->form == TF_MASKED || operand->form == TF_LANES;
}

static uint64_t rep_flags(const struct tf_operand *operand, const uint64_t *values)
{
	return operand->form == TF_REP ? values[operand->extra + 2] : 0;
}

static uint64_t access_size(const struct tf_operand *operand, const uint64_t *values)
{
	return operand->form == TF_SIZED ? values[operand->extra] : operand->size;
}

/* Calls put_address(out, address) for each active lane, commas between. */
static void put_lanes(FILE *out, const struct tf_block *block, const struct tf_operand *operand,
		      const uint64_t *values, void (*put_address)(FILE *, uint64_t))
{
	struct tf_accesses it;
	bool first = true;

	tf_accesses_begin(&it, operand, block, values);
	while (tf_accesses_next(&it)) {
		if (!first)
			putc_unlocked(',', out);
		first = false;
		put_address(out, it.address);
	}
}

/* "[load 8 @0x7ffe1000]", "[store 1 x4096 down @0x1000]", "[load 4 x2 @0x1000,0x2000]" */
static void put_operand_text(const struct dump *dump, const struct tf_block *block,
			     const struct tf_operand *operand, const uint64_t *values)
{
	FILE *out = dump->out;

	putc_unlocked('[', out);
	put_text(out, access_name(operand->access));
	putc_unlocked(' ', out);
	put_number(out, access_size(operand, values));
	if (operand->form == TF_REP || has_lanes(operand)) {
		put_text(out, " x");
		put_number(out, tf_access_count(operand, values));
	}
	if (rep_flags(operand, values) & TF_REP_DOWN)
		put_text(out, " down");
	if (rep_flags(operand, values) & TF_REP_INTERRUPTED)
		put_text(out, " interrupted");
	if (dump->addresses) {
		put_text(out, " @");
		if (has_lanes(operand))
			put_lanes(out, block, operand, values, put_hex);
		else
			put_hex(out, values[operand - block->operands]);
	}
	putc_unlocked(']', out);
}

static void put_operand_json(const struct dump *dump, const struct tf_block *block,
			     const struct tf_operand *operand, const uint64_t *values)
{
	FILE *out = dump->out;

	put_text(out, "{\"kind\":\"");
	put_text(out, access_name(operand->access));
	put_text(out, "\",\"address\":");
	if (dump->addresses)
		put_json_hex(out, values[operand - block->operands]);
	else
		put_text(out, "null");
	put_text(out, ",\"size\":");
	put_number(out, access_size(operand, values));
	put_text(out, ",\"count\":");
	put_number(out, tf_access_count(operand, values));
	if (rep_flags(operand, values) & TF_REP_DOWN)
		put_text(out, ",\"down\":true");
	if (rep_flags(operand, values) & TF_REP_INTERRUPTED)
		put_text(out, ",\"interrupted\":true");
	if (dump->addresses && has_lanes(operand)) {
		put_text(out, ",\"lanes\":[");
		put_lanes(out, block, operand, values, put_json_hex);
		putc_unlocked(']', out);
	}
	putc_unlocked('}', out);
}

static void put_insn(struct dump *dump, uint32_t thread, uint64_t ordinal,
		     const struct tf_insn_exec *exec)
{
	FILE *out = dump->out;
	const struct tf_block *block = exec->block;
	const struct tf_insn *insn = &block->insns[exec->index];
	const struct tf_operand *operands = block->operands + insn->first_operand;
	const struct static_line *line = &static_lines(dump, block)[exec->index];
	enum dump_format format = dump->options->format;

	if (format == DUMP_TEXT && dump->options->symbols)
		put_label(dump, thread, block, exec->index, line->symbol);
	put_head(dump, "insn", ordinal, thread);
	fwrite_unlocked(line->text, 1, line->length, out);
	if (format == DUMP_CSV && insn->n_operands)
		putc_unlocked('"', out);
	for (unsigned i = 0; i < insn->n_operands; i++) {
		if (format == DUMP_JSONL) {
			if (i)
				putc_unlocked(',', out);
			put_operand_json(dump, block, &operands[i], exec->values);
		} else {
			if (i || format == DUMP_TEXT)
				putc_unlocked(' ', out);
			put_operand_text(dump, block, &operands[i], exec->values);
		}
	}
	if (format == DUMP_CSV && insn->n_operands)
		putc_unlocked('"', out);
	if (format == DUMP_JSONL)
		put_text(out, insn->flags & TF_INSN_OPAQUE ? "],\"opaque\":true}" : "]}");
	putc_unlocked('\n', out);
}

/* ---- blocks ------------------------------------------------------------------------------ */

static void put_block(struct dump *dump, uint32_t thread, uint64_t ordinal,
		      const struct tf_block_exec *exec)
{
	static const char *const outcomes[] = {
		[TF_NOT_TAKEN] = "not-taken", [TF_TAKEN] = "taken", [TF_PARTIAL] = "partial",
	};
	FILE *out = dump->out;
	const struct tf_block *block = exec->block;
	const char *outcome = outcomes[exec->outcome];
	char *label = NULL;

	if (dump->options->symbols && dump->options->format != DUMP_JSONL)
		label = place(dump->reader, block, block->module_offset,
			      tf_symbol(dump->reader, block->module, block->module_offset));
	put_head(dump, "block", ordinal, thread);
	switch (dump->options->format) {
	case DUMP_TEXT:
		fprintf(out, "%12" PRIx64 "  block %-8" PRIu32 " %3u of %3u  %-9s", block->pc,
			block->id, exec->executed, block->n_insns, outcome);
		if (label) {
			put_text(out, "  ");
			put_printable(out, label);
		}
		break;
	case DUMP_JSONL:
		fprintf(out, "\"pc\":\"0x%" PRIx64 "\",\"block\":%" PRIu32
			     ",\"instructions\":%u,\"outcome\":\"%s\"}",
			block->pc, block->id, exec->executed, outcome);
		break;
	case DUMP_CSV:
		fprintf(out, "0x%" PRIx64 ",%" PRIu32 ",%u,%s,", block->pc, block->id,
			exec->executed, outcome);
		if (label)
			put_csv(out, label);
		break;
	}
	putc_unlocked('\n', out);
	free(label);
}

/* ---- events ------------------------------------------------------------------------------ */

static void put_field_text(FILE *out, const struct event_field *field)
{
	const uint64_t *list = field->list;

	fprintf(out, " %s=", field->name);
	switch (field->type) {
	case EVENT_NUMBER: put_number(out, field->number); break;
	case EVENT_SIGNED: put_signed(out, field->signed_number); break;
	case EVENT_HEX: put_hex(out, field->number); break;
	case EVENT_STRING: put_printable(out, field->string); break;
	case EVENT_BYTES: put_bytes(out, field->list, field->count); break;
	case EVENT_HEX_LIST:
		for (size_t i = 0; i < field->count; i++) {
			if (i)
				putc_unlocked(',', out);
			put_hex(out, list[i]);
		}
		break;
	}
}

static void put_field_json(FILE *out, const struct event_field *field)
{
	const uint64_t *list = field->list;

	fprintf(out, ",\"%s\":", field->name);
	switch (field->type) {
	case EVENT_NUMBER: put_number(out, field->number); break;
	case EVENT_SIGNED: put_signed(out, field->signed_number); break;
	case EVENT_HEX: put_json_hex(out, field->number); break;
	case EVENT_STRING: put_json(out, field->string); break;
	case EVENT_BYTES:
		putc_unlocked('"', out);
		put_bytes(out, field->list, field->count);
		putc_unlocked('"', out);
		break;
	case EVENT_HEX_LIST:
		putc_unlocked('[', out);
		for (size_t i = 0; i < field->count; i++) {
			if (i)
				putc_unlocked(',', out);
			put_json_hex(out, list[i]);
		}
		putc_unlocked(']', out);
		break;
	}
}

static void put_event_text(FILE *out, const struct tf_event *event,
			   const struct event_field *fields, size_t count)
{
	put_text(out, event_name(event->kind));
	for (size_t i = 0; i < count; i++)
		put_field_text(out, &fields[i]);
}

static void put_event(struct dump *dump, const struct tf_event *event)
{
	struct event_field fields[EVENT_MAX_FIELDS];
	size_t count = event_fields(dump->reader, event, fields);
	FILE *out = dump->out;
	FILE *memory;
	char *text;
	size_t size;

	put_head(dump, "event", event->ordinal, event->thread);
	switch (dump->options->format) {
	case DUMP_TEXT:
		put_text(out, "-- ");
		put_event_text(out, event, fields, count);
		break;
	case DUMP_JSONL:
		fprintf(out, "\"event\":\"%s\"", event_name(event->kind));
		for (size_t i = 0; i < count; i++)
			put_field_json(out, &fields[i]);
		putc_unlocked('}', out);
		break;
	case DUMP_CSV:
		memory = open_memstream(&text, &size);
		if (!memory)
			command_out_of_memory();
		put_event_text(memory, event, fields, count);
		if (fclose(memory))
			command_out_of_memory();
		put_text(out, dump->options->blocks ? ",,,," : ",,");
		put_csv(out, text);
		if (!dump->options->blocks)
			putc_unlocked(',', out);
		free(text);
		break;
	}
	putc_unlocked('\n', out);
}

/* ------------------------------------------------------------------------------------------ */

static void put_item(struct dump *dump, const struct tf_item *item)
{
	uint64_t ordinal = item->ordinal;

	switch (item->kind) {
	case TF_ITEM_EVENT:
		put_event(dump, item->event);
		break;
	case TF_ITEM_INSNS:
		for (size_t i = 0; i < item->count; i++)
			put_insn(dump, item->thread, ordinal++, &item->insns[i]);
		break;
	case TF_ITEM_BLOCKS:
		for (size_t i = 0; i < item->count; i++) {
			put_block(dump, item->thread, ordinal, &item->blocks[i]);
			ordinal += item->blocks[i].executed;
		}
		break;
	case TF_ITEM_PATHS:
		break;
	}
}

/* Prints all; a damaged chunk is reported and passed over. */
static int put_items(struct dump *dump, struct tf_cursor *cursor)
{
	struct tf_error error;
	struct tf_item item;
	bool any = false;
	int status, result = EXIT_DONE;

	while (!ferror(dump->out) && (status = tf_next(cursor, &item, &error)) != 0) {
		any = true;
		if (status > 0) {
			put_item(dump, &item);
			continue;
		}
		result = EXIT_FAILED;
		command_error("%s", error.text);
		if (status != TF_E_DAMAGED)
			break;
	}
	if (!any && dump->options->from && dump->options->count)
		note_beyond(dump->reader, dump->options->thread, dump->options->from);
	return result;
}

static int dump_trace(struct tf_reader *reader, const char *path, const struct options *options,
		      struct tf_error *error)
{
	struct tf_cursor_options where = TF_CURSOR_OPTIONS;
	struct tf_cursor *cursor;
	struct tf_info info;

	/* Loading may find more damage than opening: what is told of it comes after. */
	if (tf_load(reader, error) < 0 || tf_get_info(reader, &info, error) < 0)
		return -1;
	note_loss(path, &info);
	if (options->samples)
		return samples_put(stdout, reader, (enum samples_format)options->format, error);
	where.view = options->blocks ? TF_VIEW_BLOCKS : TF_VIEW_INSNS;
	if (!options->blocks)
		where.columns |= TF_ADDRESSES;
	if (options->events)
		where.columns |= TF_EVENTS;
	where.thread = options->thread;
	where.first = options->from;
	where.count = options->count;
	if (tf_cursor_open(reader, &where, &cursor, error) < 0)
		return -1;

	struct dump dump = {
		.options = options,
		.reader = reader,
		.vendor = recorded_vendor(reader),
		.out = stdout,
		.addresses = info.has_addresses,
		.show_thread = info.n_threads > 1 && options->thread == TF_MERGED,
		.lines = calloc(tf_n_blocks(reader) + (size_t)1, sizeof(*dump.lines)),
		.n_blocks = tf_n_blocks(reader),
	};

	if (!dump.lines)
		command_out_of_memory();
	if (options->format == DUMP_CSV)
		puts(options->blocks ? "type,ordinal,thread,pc,block,instructions,outcome,text" :
				       "type,ordinal,thread,pc,bytes,text,mem");
	int result = put_items(&dump, cursor);

	free_lines(&dump);
	free(dump.lines);
	tf_cursor_close(cursor);
	return result;
}

static bool parse_dump_format(const char *text, enum dump_format *format)
{
	static const char *const names[] = { "text", "jsonl", "csv" };

	for (int i = DUMP_TEXT; i <= DUMP_CSV; i++)
		if (!strcmp(text, names[i])) {
			*format = i;
			return true;
		}
	return false;
}

static bool parse_thread(const char *text, uint32_t *thread)
{
	uint64_t value;

	if (!parse_count(text, &value) || value >= TF_NONE)
		return false;
	*thread = (uint32_t)value;
	return true;
}

static bool parse_yes_no(const char *text, bool *value)
{
	*value = !strcmp(text, "yes");
	return *value || !strcmp(text, "no");
}

int main(int argc, char **argv)
{
	enum { INTEL = 256, BLOCKS, NO_EVENTS, SAMPLES, SYMBOLS, FORMAT };
	static const struct option long_options[] = {
		{ "from", required_argument, NULL, 'f' },
		{ "count", required_argument, NULL, 'c' },
		{ "thread", required_argument, NULL, 't' },
		{ "bytes", no_argument, NULL, 'b' },
		{ "intel", no_argument, NULL, INTEL },
		{ "blocks", no_argument, NULL, BLOCKS },
		{ "no-events", no_argument, NULL, NO_EVENTS },
		{ "samples", no_argument, NULL, SAMPLES },
		{ "symbols", required_argument, NULL, SYMBOLS },
		{ "format", required_argument, NULL, FORMAT },
		COMMON_OPTIONS
	};
	struct options options = {
		.count = UINT64_MAX,
		.thread = TF_MERGED,
		.events = true,
		.symbols = true,
	};
	const char *trace;
	int option, status;

	command_init("trace-dump");
	while ((option = getopt_long(argc, argv, "f:c:t:bh", long_options, NULL)) != -1)
		switch (option) {
		case 'f':
			if (!parse_count(optarg, &options.from))
				return command_usage_error("--from: '%s' is not a count", optarg);
			break;
		case 'c':
			if (!parse_count(optarg, &options.count))
				return command_usage_error("--count: '%s' is not a count", optarg);
			break;
		case 't':
			if (!parse_thread(optarg, &options.thread))
				return command_usage_error("--thread: '%s' is not a thread's index",
							   optarg);
			break;
		case 'b': options.bytes = true; break;
		case INTEL: options.syntax = ISA_SYNTAX_INTEL; break;
		case BLOCKS: options.blocks = true; break;
		case NO_EVENTS: options.events = false; break;
		case SAMPLES: options.samples = true; break;
		case SYMBOLS:
			if (!parse_yes_no(optarg, &options.symbols))
				return command_usage_error("--symbols: '%s' is not yes or no",
							   optarg);
			break;
		case FORMAT:
			if (!parse_dump_format(optarg, &options.format))
				return command_usage_error("--format: '%s' is not text, jsonl or csv",
							   optarg);
			break;
		default:
			status = common_option(option, help, NULL);
			if (status != OPTION_DONE)
				return status;
		}
	status = only_trace(argc, argv, &trace);
	if (status != OPTION_DONE)
		return status;
	struct tf_reader *reader = NULL;
	struct tf_error error;
	int result = tf_open(trace, &reader, &error);

	if (result >= 0)
		result = dump_trace(reader, trace, &options, &error);
	if (result < 0)
		command_error("%s", error.text);
	tf_close(reader);
	int written = command_close_stdout();

	return result == EXIT_DONE ? written : EXIT_FAILED;
}
