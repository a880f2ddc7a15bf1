/* SPDX-License-Identifier: MIT */
/*
 * MICA's characteristics of a trace (Hoste, Eeckhout: Microarchitecture-Independent Workload
 * Characterization, IEEE Micro 27(3), 2007) beside those of known programs, for a radar.
 */
#ifndef REPORT_REFERENCE_H
#define REPORT_REFERENCE_H

#include <jansson.h>

/*
 * Returns {"programs": [name ...], "axes": [{"name", "unit", "definition", "value": of this trace,
 * "values": of the programs} ...]}. A value that is not known is null. The values of the programs
 * are those of reference.json, which make_reference.sh makes.
 */
json_t *reference_of(const json_t *document);

#endif
