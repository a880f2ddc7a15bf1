/* SPDX-License-Identifier: MIT */
#include "analyzers/calls/export.h"

#include "cli/common/checked.h"

static const struct {
	enum call_detail detail;
	bool keeps_nodes;
	void (*write)(FILE *out, const struct call_paths *paths);
} formats[] = {
	{ CALL_DETAIL_INSNS, true, call_write_callgrind },
	{ CALL_DETAIL_NONE, false, call_write_folded },
	{ CALL_DETAIL_NONE, false, call_write_speedscope },
	{ CALL_DETAIL_NODES, false, call_write_pprof },
	{ CALL_DETAIL_NONE, false, call_write_firefox },
};

enum call_detail call_export_detail(unsigned format)
{
	return formats[format].detail;
}

bool call_export_keeps_nodes(unsigned format)
{
	return formats[format].keeps_nodes;
}

void call_export(const struct call_paths *paths, unsigned format, struct report *report)
{
	char *bytes;
	size_t size;
	FILE *out = checked(open_memstream(&bytes, &size));

	formats[format].write(out, paths);
	if (fclose(out))
		out_of_memory();
	report_raw(report, bytes, size);
}

const char *call_command(const struct call_paths *paths)
{
	const char *command = tf_meta(paths->profile->reader, "command.argv");

	return command ? command : "";
}

char *call_source_file(const struct source_line *line)
{
	const char *file = line->file;

	/* Debian's packages have relative folders, which their files already begin with. */
	if (*file == '/' || !line->folder || *line->folder != '/')
		return checked_copy(file);
	return text_format("%s/%s", line->folder, file);
}

char *call_plain_name(const struct call_paths *paths, uint32_t function, char separator, char other)
{
	char *name = checked_copy(call_function_name(paths, function));

	for (char *c = name; *c; c++)
		if (*c == separator)
			*c = other;
		else if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
	return name;
}
