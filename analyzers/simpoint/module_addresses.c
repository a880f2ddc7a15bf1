/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/module_addresses.h"

#include "cli/common/checked.h"
#include "traceformat/common/range_map.h"

struct mapped_module {
	struct range_map begins; /* addresses of its file's beginning, one range each */
	uint64_t lowest;         /* of all its mappings; UINT64_MAX: there are none */
};

struct module_addresses {
	uint32_t n;
	struct mapped_module *at; /* by index */
};

static void add_mapping(struct mapped_module *module, const struct tf_mapping *mapping)
{
	struct range begin = { mapping->start, mapping->start, NULL };

	if (mapping->file_offset == 0 && !range_map_set(&module->begins, begin))
		out_of_memory();
	if (mapping->start < module->lowest)
		module->lowest = mapping->start;
}

struct module_addresses *module_addresses_of(const struct tf_reader *reader)
{
	struct module_addresses *modules = checked_array(1, sizeof(*modules));

	modules->n = tf_n_modules(reader);
	modules->at = checked_array(modules->n, sizeof(*modules->at));
	for (uint32_t i = 0; i < modules->n; i++)
		modules->at[i].lowest = UINT64_MAX;
	for (uint32_t i = 0; i < tf_n_mappings(reader); i++) {
		const struct tf_mapping *mapping = tf_mapping(reader, i);

		if (mapping && mapping->module < modules->n && mapping->change == TF_MAP)
			add_mapping(&modules->at[mapping->module], mapping);
	}
	return modules;
}

void module_addresses_free(struct module_addresses *modules)
{
	if (!modules)
		return;
	for (uint32_t i = 0; i < modules->n; i++)
		range_map_free(&modules->at[i].begins);
	free(modules->at);
	free(modules);
}

uint64_t module_low_address(const struct module_addresses *modules, uint32_t module, uint64_t pc)
{
	const struct mapped_module *m = module < modules->n ? &modules->at[module] : NULL;
	const struct range *begin = m ? range_map_at_or_below(&m->begins, pc) : NULL;

	if (begin && begin->first)
		return begin->first;
	return m && m->lowest <= pc ? m->lowest : UINT64_MAX;
}
