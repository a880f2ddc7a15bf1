/* SPDX-License-Identifier: MIT */
#include "tests/unit/traceformat/later.h"

#include <xxhash.h>

struct later later_begin(void)
{
	struct random_options options = small_options(600);
	struct tf_section_info info;
	struct tf_reader *reader;
	struct later f = { 0 };

	options.n_threads = 1;
	f.trace = random_trace_new(&options);
	f.fd = file_of_trace(f.trace, false);
	reader = open_file(f.fd);
	while (tf_section(reader, f.n_sections, &info))
		f.n_sections++;
	tf_close(reader);
	return f;
}

void later_end(struct later *f)
{
	close(f->fd);
	random_trace_free(f->trace);
}

bool later_reads_whole(struct later *f, char *why, size_t why_size)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_reader *reader = open_file(f->fd);
	struct tf_error error = { .text = "" };
	struct tf_cursor *cursor;
	struct truth truth;
	bool same = false;

	options.columns = TF_ADDRESSES | TF_EVENTS;
	truth = truth_thread(f->trace, 0, options.view, options.columns);
	if (tf_cursor_open(reader, &options, &cursor, &error) < 0) {
		snprintf(why, why_size, "%s", error.text);
	} else {
		same = truth_cursor(cursor, &truth, 0, truth.items.count, options.columns, why,
				    why_size);
		tf_cursor_close(cursor);
	}
	free(truth.items.at);
	tf_close(reader);
	return same;
}

void later_append(struct later *f, const struct section *s, const uint8_t *payload, size_t size,
		  size_t table)
{
	static const uint8_t zero[8];
	uint8_t h[80] = "\xf3TRCSEC\n";
	size_t at = file_size(f->fd);

	put16(h + 8, s->kind);
	h[10] = s->version;
	h[11] = s->flags;
	put32(h + 12, s->thread);
	put32(h + 16, f->n_sections++);
	put32(h + 20, s->codec);
	put64(h + 24, size);
	put64(h + 32, s->codec == 2 ? 0 : size);
	put64(h + 40, s->first);
	put64(h + 48, s->count);
	put64(h + 64, XXH3_64bits(payload, table));
	put64(h + 72, XXH3_64bits(h, 72));
	write_at(f->fd, h, 80, at);
	write_at(f->fd, payload, size, at + 80);
	write_at(f->fd, zero, -size & 7, at + 80 + size);
}
