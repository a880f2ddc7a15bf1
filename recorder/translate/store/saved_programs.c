/* SPDX-License-Identifier: MIT */
#include "recorder/translate/store/saved_programs.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

#include "recorder/core/phase_times.h"
#include "recorder/program/space.h"
#include "recorder/translate/store/store_folder.h"

enum { DEFAULT_BYTES = 256 << 20 };

struct known_program {
	struct known_program *next;
	struct store_key key;
	struct saved_program program;
};

struct saved_programs {
	int folder; /* -1: it cannot be used */
	struct known_program *first;
};

/* ---- keys ---- */

struct own_build {
	uint8_t id[20];
};

/* Finds the build-id of the object that has this function. */
static int find_build(struct dl_phdr_info *info, size_t size, void *opaque)
{
	uint64_t here = (uint64_t)(uintptr_t)find_build;
	struct own_build *build = opaque;
	bool own = false;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		own |= p->p_type == PT_LOAD && here - info->dlpi_addr - p->p_vaddr < p->p_memsz;
	}
	for (unsigned i = 0; own && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		const char *at = (const char *)(uintptr_t)(info->dlpi_addr + p->p_vaddr);
		const char *end = at + p->p_memsz;

		while (p->p_type == PT_NOTE && end - at >= (ptrdiff_t)sizeof(ElfW(Nhdr))) {
			const ElfW(Nhdr) *n = (const void *)at;
			const char *name = at + sizeof(*n), *id = name + (n->n_namesz + 3) / 4 * 4;

			if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == sizeof(ELF_NOTE_GNU) &&
			    !memcmp(name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)))
				memcpy(build->id, id,
				       n->n_descsz < sizeof(build->id) ? n->n_descsz
								       : sizeof(build->id));
			at = id + (n->n_descsz + 3) / 4 * 4;
		}
	}
	return own;
}

/* Functions whose calls are recorded divide superblocks. */
static uint64_t hash_of_functions(const struct record_options *o)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < o->n_functions; i++)
		hash = XXH3_64bits_withSeed(o->functions[i].name, strlen(o->functions[i].name),
					    hash + o->functions[i].n_args);
	return hash;
}

/* Returns a key for the program's file: superblocks depend on the recorder, its options and the
 * processor, too. */
static struct store_key key_of(const struct session *s, const struct module_identity *program)
{
	struct {
		struct module_identity program;
		struct own_build build;
		uint32_t no_addresses, self_check, cpu, vendor;
		uint64_t xcr0, functions;
	} facts;
	XXH128_canonical_t hash;
	struct store_key key;

	memset(&facts, 0, sizeof(facts)); /* with what is between the members */
	facts.program = *program;
	dl_iterate_phdr(find_build, &facts.build);
	facts.no_addresses = s->options->no_addresses;
	facts.self_check = s->options->self_check;
	facts.cpu = (uint32_t)s->options->cpu;
	facts.vendor = s->processor.vendor;
	facts.functions = hash_of_functions(s->options);
	facts.xcr0 = s->processor.vectors.xcr0;
	XXH128_canonicalFromHash(&hash, XXH3_128bits(&facts, sizeof(facts)));
	memcpy(key.bytes, hash.digest, sizeof(key.bytes));
	return key;
}

bool saved_identity(const struct module *m, struct module_identity *identity)
{
	enum { BUILD_ID = 1, FILE_IDENTITY = 2, AT = 2 };
	uint64_t file[4] = { m->dev, m->ino, (uint64_t)m->changed.tv_sec,
			     (uint64_t)m->changed.tv_nsec };

	memset(identity, 0, sizeof(*identity));
	if (m->build_id_size && m->build_id_size <= sizeof(m->build_id)) {
		identity->bytes[0] = BUILD_ID;
		identity->bytes[1] = (uint8_t)m->build_id_size;
		memcpy(identity->bytes + AT, m->build_id, m->build_id_size);
		return true;
	}
	if (m->kind != TF_MODULE_FILE || m->served)
		return false;
	identity->bytes[0] = FILE_IDENTITY;
	memcpy(identity->bytes + AT, file, sizeof(file));
	return true;
}

/* Returns the module of the executable, or NULL. */
static const struct module *executable(const struct task *t)
{
	const struct space *space = t->process->space;
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)t->tid);
	if (stat(path, &st) < 0)
		return NULL;
	for (size_t i = 0; i < space->count; i++) {
		const struct module *m = space->mappings[i].module;

		if (m && m->kind == TF_MODULE_FILE && m->dev == st.st_dev && m->ino == st.st_ino)
			return m;
	}
	return NULL;
}

/* ---- programs ---- */

static struct saved_programs *begin(struct session *s)
{
	struct saved_programs *all = calloc(1, sizeof(*all));
	const char *why;

	if (!all)
		return NULL;
	all->folder = store_folder_open(s->options->cache, &why);
	if (all->folder < 0)
		session_warn(s,
			     "the code cache %s is not used: %s; --cache=DIR names another folder, "
			     "--cache=no none",
			     s->options->cache, why);
	return all;
}

/* Reads the program's file, if it is there and whole. */
static void read_program(struct session *s, int folder, struct known_program *k)
{
	struct buffer contents = { 0 };
	enum store_status status = store_folder_read(folder, &k->key, &contents);

	s->stats.cache_bytes += contents.size;
	if (status == STORE_DAMAGED ||
	    (status == STORE_FOUND &&
	     !saved_program_parse(&k->program, contents.data, contents.size)))
		s->stats.cache_damaged++;
	buffer_free(&contents);
}

static struct known_program *find_or_read(struct session *s, struct saved_programs *all,
					  struct store_key key)
{
	struct known_program *k = all->first;

	while (k && memcmp(&k->key, &key, sizeof(key)) != 0)
		k = k->next;
	if (k)
		return k;
	k = calloc(1, sizeof(*k));
	if (!k)
		return NULL;
	k->key = key;
	k->next = all->first;
	all->first = k;
	read_program(s, all->folder, k);
	return k;
}

struct saved_program *saved_programs_of(struct task *t)
{
	struct session *s = t->session;
	struct saved_programs **all = &s->translate.saved;
	const struct module *m = s->options->cache ? executable(t) : NULL;
	struct module_identity identity;
	struct known_program *k;
	enum record_phase before;

	if (!m || !saved_identity(m, &identity))
		return NULL;
	before = phase_times_begin(s, RECORD_LOAD);
	if (!*all)
		*all = begin(s);
	k = *all && (*all)->folder >= 0 ? find_or_read(s, *all, key_of(s, &identity)) : NULL;
	phase_times_end(s, before);
	return k ? &k->program : NULL;
}

/* Returns true if a later recording would gain from what this one has found. */
static bool is_worth_writing(const struct saved_program *p)
{
	return p->n_new > p->order.count / SAVED_LEAST_SHARE;
}

static void write_program(struct session *s, int folder, const struct known_program *k)
{
	struct buffer contents = { 0 };

	if (!is_worth_writing(&k->program))
		return;
	saved_program_write(&k->program, &contents);
	if (!contents.failed && store_folder_write(folder, &k->key, &contents)) {
		s->stats.cache_added += k->program.n_new;
		s->stats.cache_written += contents.size;
	}
	buffer_free(&contents);
}

void saved_programs_end(struct session *s)
{
	struct saved_programs *all = s->translate.saved;
	uint64_t most = s->options->cache_size ? s->options->cache_size : DEFAULT_BYTES;
	enum record_phase before;

	if (!all)
		return;
	before = phase_times_begin(s, RECORD_LOAD);
	while (all->first) {
		struct known_program *k = all->first;

		all->first = k->next;
		if (all->folder >= 0)
			write_program(s, all->folder, k);
		saved_program_free(&k->program);
		free(k);
	}
	if (all->folder >= 0) {
		if (s->stats.cache_written)
			store_folder_trim(all->folder, most);
		close(all->folder);
	}
	free(all);
	s->translate.saved = NULL;
	phase_times_end(s, before);
}
