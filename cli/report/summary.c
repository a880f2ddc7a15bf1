/* SPDX-License-Identifier: MIT */
#include "cli/report/summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/json_values.h"
#include "cli/common/quantity.h"
#include "cli/common/short_names.h"
#include "cli/report/facts.h"

enum {
	BLOCK = 64 /* bytes, of trace-footprint */,
	WORTH_NAMING = 5 /* % */,
	COMMAND = 80 /* characters at most */
};

static void put_command(FILE *out, const json_t *trace)
{
	const char *command = json_read_text(trace, "command");
	char *brief = shorten_name(command && *command ? command : "The program", COMMAND);

	fputs(brief, out);
	free(brief);
}

/* Writes "in one thread", or "in 5 threads of 2 processes". */
static void put_threads(FILE *out, const json_t *trace)
{
	uint64_t threads = count_in(trace, "threads"), processes = count_in(trace, "processes");
	char text[COUNT_SIZE];

	if (threads == 1)
		fputs(" in one thread", out);
	else if (threads)
		fprintf(out, " in %s threads", format_count(threads, text));
	if (processes > 1)
		fprintf(out, " of %s processes", format_count(processes, text));
}

static void put_work(FILE *out, const json_t *trace)
{
	uint64_t executed = count_in(trace, "instructions");
	uint64_t counted = count_in(trace, "vector_instructions");
	char text[COUNT_SIZE];

	if (!executed && !counted) {
		fputs(" was recorded by samples", out);
		return;
	}
	executed = executed ? executed : counted;
	fprintf(out, " executed %s %s", format_count(executed, text),
		noun(executed, "instruction", "instructions"));
	put_threads(out, trace);
}

static void put_hottest(FILE *out, const json_t *document)
{
	const json_t *row = json_array_get(result_at(document, "mix.symbols"), 0);
	const char *symbol = json_read_text(row, "symbol"), *module = json_read_text(row, "module");
	double share = json_read_real(row, "share_percent");

	if (symbol && module && strcmp(symbol, "[unknown]") != 0 && share >= WORTH_NAMING)
		fprintf(out, ", %.0f %% of them in %s (%s)", share, symbol, module);
}

static void put_memory(FILE *out, const json_t *document)
{
	uint64_t blocks = count_at(document, "mica.footprint.data_blocks");
	char *text;

	if (!blocks || blocks > UINT64_MAX / BLOCK)
		return;
	text = spoken_bytes(blocks * BLOCK);
	fprintf(out, ", and touched %s of data", text);
	free(text);
}

char *summary_of(const json_t *document)
{
	char *text = NULL;
	size_t size;
	FILE *out = checked(open_memstream(&text, &size));
	const json_t *trace = first_trace(document);

	put_command(out, trace);
	put_work(out, trace);
	put_hottest(out, document);
	put_memory(out, document);
	putc('.', out);
	if (fclose(out))
		out_of_memory();
	return text;
}
