/* SPDX-License-Identifier: MIT */
#include "recorder/import/import_meta.h"

int import_meta(struct tf_writer *writer, const struct import_text *texts, size_t count,
		struct tf_error *error)
{
	int status = 0;

	for (size_t i = 0; i < count && status == 0; i++)
		if (texts[i].value && *texts[i].value)
			status = tf_writer_meta(writer, texts[i].key, texts[i].value, error);
	return status;
}
