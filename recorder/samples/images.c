/* SPDX-License-Identifier: MIT */
#include "recorder/samples/images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/elf/module.h"
#include "recorder/samples/text_symbols.h"
#include "traceformat/common/error.h"
#include "traceformat/common/named_file.h"

enum { MAX_BUILD_ID = 20 };

struct image {
	struct image *next;
	struct module module; /* only path, build-id, segments and index are used */
};

struct known_id {
	struct known_id *next;
	uint8_t id[MAX_BUILD_ID];
	size_t size;
	char path[];
};

struct images {
	struct tf_writer *writer;
	bool here;
	struct image *first;
	struct known_id *ids;
};

struct images *images_new(struct tf_writer *writer, bool here)
{
	struct images *images = calloc(1, sizeof(*images));

	elf_file_init();
	if (images)
		*images = (struct images){ .writer = writer, .here = here };
	return images;
}

void images_free(struct images *images)
{
	while (images->first) {
		struct image *image = images->first;

		images->first = image->next;
		free(image->module.path);
		free(image->module.segments);
		free(image);
	}
	while (images->ids) {
		struct known_id *id = images->ids;

		images->ids = id->next;
		free(id);
	}
	free(images);
}

int images_add_build_id(struct images *images, const char *path, const uint8_t *id, size_t size,
			struct tf_error *error)
{
	struct known_id *known = calloc(1, sizeof(*known) + strlen(path) + 1);

	if (!known)
		return fail_memory(error);
	known->size = size < MAX_BUILD_ID ? size : MAX_BUILD_ID;
	memcpy(known->id, id, known->size);
	strcpy(known->path, path);
	known->next = images->ids;
	images->ids = known;
	return 0;
}

static const struct known_id *known_id(const struct images *images, const char *path)
{
	const struct known_id *id = images->ids;

	while (id && strcmp(id->path, path))
		id = id->next;
	return id;
}

bool images_has(const struct images *images, const char *path)
{
	const struct image *image = images->first;

	while (image && strcmp(image->module.path, path))
		image = image->next;
	return image;
}

static bool is_image(const struct module *m, const struct image_mapping *mapping)
{
	return !strcmp(m->path, mapping->path) &&
	       (!mapping->build_id_size ||
		(m->build_id_size == mapping->build_id_size &&
		 !memcmp(m->build_id, mapping->build_id, m->build_id_size)));
}

/*
 * Returns true if the present file is the one that was mapped; the module's build-id is then
 * known.
 */
static bool is_believed(const struct images *images, const struct elf_file *elf, struct module *m)
{
	uint8_t id[MAX_BUILD_ID];
	unsigned size = elf_file_build_id(elf, id, sizeof(id));

	if (m->build_id_size)
		return size == m->build_id_size && !memcmp(id, m->build_id, size);
	if (!images->here)
		return false;
	m->build_id_size = size;
	memcpy(m->build_id, id, size);
	return true;
}

/* Opens a module's file. Returns NULL if there is none that is_believed(). */
static struct elf_file *open_file(const struct images *images, struct module *m, int *fd,
				  uint64_t *size)
{
	struct elf_file *elf = NULL;
	const char *why;
	struct stat st;

	*fd = named_file_open(m->path, NULL, &why);
	if (*fd >= 0 && fstat(*fd, &st) == 0)
		elf = elf_file_open(*fd);
	if (elf && !is_believed(images, elf, m)) {
		elf_file_close(elf);
		elf = NULL;
	}
	if (elf)
		*size = (uint64_t)st.st_size;
	return elf;
}

static int add_text_symbols(struct images *images, const struct module *m,
			    struct text_symbols *symbols, struct tf_error *error)
{
	int status = tf_writer_add_symbols(images->writer, m->index, symbols->at, symbols->count,
					   error);

	text_symbols_free(symbols);
	return status;
}

static int add_kernel_symbols(struct images *images, const struct module *m, uint64_t begin,
			      struct tf_error *error)
{
	struct text_symbols symbols = { 0 };

	if (text_symbols_of_kernel(&symbols, m->build_id, m->build_id_size, begin))
		return add_text_symbols(images, m, &symbols, error);
	text_symbols_free(&symbols);
	return fail_memory(error);
}

static int add_module(struct images *images, struct module *m, struct elf_file *elf, uint64_t size,
		      struct tf_error *error)
{
	struct tf_module module = {
		.kind = m->kind,
		.path = m->path,
		.file_size = size,
		.build_id_size = (uint8_t)m->build_id_size,
	};
	struct elf_symbols symbols = { 0 };
	int status;

	memcpy(module.build_id, m->build_id, m->build_id_size);
	if (elf && (!elf_file_segments(elf, &m->segments, &m->n_segments) ||
		    !elf_file_symbols(elf, m->path, &symbols)))
		status = fail_memory(error);
	else
		status = tf_writer_add_module(images->writer, &module, &m->index, error);
	if (status == 0 && symbols.count)
		status = tf_writer_add_symbols(images->writer, m->index, symbols.at, symbols.count,
					       error);
	elf_symbols_free(&symbols);
	return status;
}

/* Returns a new image, which is in the list; NULL if memory is out. */
static struct image *new_image(struct images *images, const char *path)
{
	struct image *image = calloc(1, sizeof(*image));

	if (!image || !(image->module.path = strdup(path))) {
		free(image);
		return NULL;
	}
	image->next = images->first;
	images->first = image;
	return image;
}

static int add_image(struct images *images, const struct image_mapping *mapping,
		     struct image **added, struct tf_error *error)
{
	struct image *image = new_image(images, mapping->path);
	struct elf_file *elf;
	uint64_t size = 0;
	int fd, status;

	if (!image)
		return fail_memory(error);
	image->module.kind = strcmp(mapping->path, "[vdso]") ? TF_MODULE_FILE : TF_MODULE_VDSO;
	image->module.build_id_size = (unsigned)mapping->build_id_size;
	if (mapping->build_id_size)
		memcpy(image->module.build_id, mapping->build_id, mapping->build_id_size);
	elf = open_file(images, &image->module, &fd, &size);
	status = add_module(images, &image->module, elf, size, error);
	elf_file_close(elf);
	if (fd >= 0)
		close(fd);
	if (status == 0 && !strcmp(mapping->path, KERNEL_IMAGE))
		status = add_kernel_symbols(images, &image->module, mapping->start, error);
	*added = image;
	return status;
}

int images_find(struct images *images, const struct image_mapping *of, uint32_t *module,
		uint64_t *bias, struct tf_error *error)
{
	struct image_mapping mapping = *of;
	const struct known_id *id = of->build_id_size ? NULL : known_id(images, of->path);
	struct image *image = images->first;
	int status = 0;

	if (id) {
		mapping.build_id = id->id;
		mapping.build_id_size = id->size;
	}
	while (image && !is_image(&image->module, &mapping))
		image = image->next;
	if (!image)
		status = add_image(images, &mapping, &image, error);
	if (status < 0)
		return status;
	*module = image->module.index;
	*bias = module_bias(&image->module, of->start, of->file_offset, of->protection);
	return 0;
}

/* ---- generated code ---------------------------------------------------------------------- */

int images_find_generated(struct images *images, uint32_t pid, uint32_t *module,
			  struct tf_error *error)
{
	struct image *image = images->first;
	char path[64];
	int status;

	*module = TF_NONE;
	if (!images->here)
		return 0;
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	while (image && strcmp(image->module.path, path))
		image = image->next;
	if (!image) {
		image = new_image(images, path);
		if (!image)
			return fail_memory(error);
		image->module.kind = TF_MODULE_JIT;
		status = add_module(images, &image->module, NULL, 0, error);
		if (status < 0)
			return status;
	}
	*module = image->module.index;
	return 0;
}

int images_finish(struct images *images, struct tf_error *error)
{
	const struct image *image = images->first;
	int status = 0;

	for (; image && status == 0; image = image->next) {
		struct text_symbols symbols = { 0 };

		if (image->module.kind != TF_MODULE_JIT)
			continue;
		if (text_symbols_of_jit(&symbols, image->module.path)) {
			status = add_text_symbols(images, &image->module, &symbols, error);
		} else {
			text_symbols_free(&symbols);
			status = fail_memory(error);
		}
	}
	return status;
}
