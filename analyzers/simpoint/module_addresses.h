/* SPDX-License-Identifier: MIT */
/* The addresses that the modules of a trace are mapped at. */
#ifndef MODULE_ADDRESSES_H
#define MODULE_ADDRESSES_H

#include "traceformat/traceformat.h"

struct module_addresses;

/* Reads the addresses of all modules of a loaded trace. Ends the process if memory is out. */
struct module_addresses *module_addresses_of(const struct tf_reader *reader);
void module_addresses_free(struct module_addresses *modules);

/*
 * Returns the lowest address that a module is mapped at, from which image offsets count: of the
 * mappings of its file's beginning that are not above `pc`, the nearest; or if there is none, of
 * all its mappings the lowest. Returns UINT64_MAX if that is above `pc` too.
 */
uint64_t module_low_address(const struct module_addresses *modules, uint32_t module, uint64_t pc);

#endif
