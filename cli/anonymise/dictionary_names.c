/* SPDX-License-Identifier: MIT */
/* Modules, symbols, processes, threads, mappings, functions and regions of the new dictionary. */
#include "cli/anonymise/dictionary.h"
#include "cli/common/checked.h"

enum { SYMBOL_FUNCTION = 2, SYMBOL_IFUNC = 10 }; /* ELF's STT_FUNC, STT_GNU_IFUNC */

/* ---- modules ----------------------------------------------------------------------------- */

/* Returns the module of the program itself, or TF_NONE. */
static uint32_t main_module(const struct dictionary *d)
{
	const char *path = tf_meta(d->reader, "exe.path");
	uint32_t first = TF_NONE;

	for (uint32_t i = tf_n_modules(d->reader); i--;) {
		if (!d->has_code[i])
			continue;
		first = i;
		if (path && !strcmp(tf_module(d->reader, i)->path, path))
			return i;
	}
	return first;
}

static int add_module(struct dictionary *d, uint32_t index, enum module_use use, unsigned number,
		      struct tf_error *error)
{
	struct tf_module module = *tf_module(d->reader, index);

	if (d->levels->at[SWITCH_NAMES] != NAMES_KEEP &&
	    !is_public_module(d->names->publics, module.path)) {
		module.build_id_size = 0;
		module.file_size = 0;
	}
	module.path = name_module(d->names, &module, use, number);
	d->module_names[index] = module.path;
	d->n_new_modules++;
	return d->writer ? tf_writer_add_module(d->writer, &module, &d->new_modules[index], error)
			 : 0;
}

/* ---- symbols ----------------------------------------------------------------------------- */

/* The symbols of a module that the new trace has. */
struct kept_symbols {
	const struct tf_symbol *all;
	size_t count;
	bool *kept;
};

static void keep_at(const struct dictionary *d, struct kept_symbols *k, uint32_t module,
		    uint64_t offset)
{
	const struct tf_symbol *symbol = tf_symbol(d->reader, module, offset);

	if (symbol)
		k->kept[symbol - k->all] = true;
}

/* Keeps the symbols of the executed code of a module, and of the code that calls there lead to. */
static void keep_executed(const struct dictionary *d, struct kept_symbols *symbols)
{
	for (uint32_t i = 0; i < tf_n_blocks(d->reader); i++) {
		const struct tf_block *block = d->layouts[i].block;

		if (!block || block->module == TF_NONE || !symbols[block->module].kept)
			continue;
		for (unsigned k = 0; k < block->n_insns; k++)
			keep_at(d, &symbols[block->module], block->module,
				block->module_offset + block->insns[k].offset);
		if (block->target)
			keep_at(d, &symbols[block->module], block->module,
				block->module_offset + (block->target - block->pc));
	}
}

static bool is_code(const struct tf_symbol *symbol)
{
	return symbol->kind == SYMBOL_FUNCTION || symbol->kind == SYMBOL_IFUNC;
}

/* Returns the size of a symbol, which covers the same places when others are left out. */
static uint64_t lasting_size(const struct kept_symbols *k, size_t i)
{
	return !k->all[i].size && i + 1 < k->count ? k->all[i + 1].value - k->all[i].value
						   : k->all[i].size;
}

static int add_symbols(struct dictionary *d, uint32_t index, const struct kept_symbols *k,
		       struct tf_error *error)
{
	const struct tf_module *module = tf_module(d->reader, index);
	bool is_public = is_public_module(d->names->publics, module->path);
	struct tf_symbol *new = checked_array(k->count, sizeof(*new));
	size_t n = 0;
	int status = 0;

	for (size_t i = 0; i < k->count; i++) {
		if (!k->kept[i] && is_code(&k->all[i]))
			continue;
		new[n] = k->all[i];
		new[n].size = lasting_size(k, i);
		new[n].name = is_public ? k->all[i].name : name_function(d->names, k->all[i].name);
		if (module->kind == TF_MODULE_JIT)
			new[n].value = map_address(d->lookup, k->all[i].value);
		n++;
	}
	d->n_new_symbols += n;
	if (n && d->writer)
		status = tf_writer_add_symbols(d->writer, d->new_modules[index], new, n, error);
	free(new);
	return status;
}

static bool has_symbols(const struct dictionary *d, uint32_t index)
{
	return d->has_code[index] &&
	       (d->levels->at[SWITCH_NAMES] != NAMES_DROP ||
		is_public_module(d->names->publics, tf_module(d->reader, index)->path));
}

static int add_all_symbols(struct dictionary *d, struct tf_error *error)
{
	uint32_t n = tf_n_modules(d->reader);
	struct kept_symbols *symbols = checked_array(n, sizeof(*symbols));
	int status = 0;

	for (uint32_t i = 0; i < n; i++)
		if (has_symbols(d, i)) {
			symbols[i].all = tf_symbols(d->reader, i, &symbols[i].count);
			symbols[i].kept = symbols[i].all
						  ? checked_array(symbols[i].count, sizeof(bool))
						  : NULL;
		}
	keep_executed(d, symbols);
	for (uint32_t i = 0; i < n; i++) {
		if (symbols[i].kept && status == 0)
			status = add_symbols(d, i, &symbols[i], error);
		free(symbols[i].kept);
	}
	free(symbols);
	return status;
}

int dictionary_add_modules(struct dictionary *d, struct tf_error *error)
{
	uint32_t main = main_module(d);
	unsigned numbers[MODULE_DATA + 1] = { 0 };
	int status = 0;

	for (uint32_t i = 0; i < tf_n_modules(d->reader) && status == 0; i++) {
		enum module_use use = i == main        ? MODULE_MAIN
				      : d->has_code[i] ? MODULE_CODE
						       : MODULE_DATA;

		if (d->modules[i])
			status = add_module(d, i, use, ++numbers[use], error);
	}
	return status < 0 ? status : add_all_symbols(d, error);
}

/* ---- processes, threads, functions, regions ---------------------------------------------- */

static int add_threads(struct dictionary *d, struct tf_error *error)
{
	int status = 0;

	for (uint32_t i = 0; i < tf_n_processes(d->reader) && status == 0; i++) {
		struct tf_process process = *tf_process(d->reader, i);

		process.pid = process.pid ? i + 1 : 0;
		status = tf_writer_add_process(d->writer, &process, NULL, error);
	}
	for (uint32_t i = 0; i < tf_n_threads(d->reader) && status == 0; i++) {
		struct tf_thread thread = *tf_thread(d->reader, i);

		thread.tid = i + 1;
		status = tf_writer_add_thread(d->writer, &thread, NULL, error);
	}
	return status;
}

static int add_function(struct dictionary *d, uint32_t index, struct tf_error *error)
{
	struct tf_function function = *tf_function(d->reader, index);
	bool is_malloc = malloc_family_pointers(function.name) >= 0;

	if (!is_malloc && d->levels->at[SWITCH_EVENTS] >= EVENTS_NO_ARGUMENTS)
		function.n_args = 0;
	function.name = name_function(d->names, function.name);
	if (!function.name)
		return 0;
	if (d->writer)
		return tf_writer_add_function(d->writer, &function, &d->new_functions[index],
					      error);
	d->new_functions[index] = index; /* an audit only counts */
	return 0;
}

/* The malloc family tells analyzers that allocations would be events, though there is none. */
static bool has_function(const struct dictionary *d, uint32_t index)
{
	const struct tf_function *function = tf_function(d->reader, index);

	return function && d->levels->at[SWITCH_EVENTS] != EVENTS_KINDS &&
	       (d->use->functions[index] || malloc_family_pointers(function->name) >= 0);
}

static int add_region(struct dictionary *d, uint32_t index, unsigned number, struct tf_error *error)
{
	struct tf_region region = *tf_region(d->reader, index);

	region.name = name_region(d->names, region.name, number);
	if (d->writer)
		return tf_writer_add_region(d->writer, &region, &d->new_regions[index], error);
	d->new_regions[index] = index;
	return 0;
}

int dictionary_add_names(struct dictionary *d, struct tf_error *error)
{
	int status = d->writer ? add_threads(d, error) : 0;
	unsigned number = 0;

	for (uint32_t i = 0; i < tf_n_functions(d->reader) && status == 0; i++)
		if (has_function(d, i))
			status = add_function(d, i, error);
	for (uint32_t i = 0; i < tf_n_regions(d->reader) && status == 0; i++)
		if (d->use->regions[i])
			status = add_region(d, i, ++number, error);
	return status;
}
