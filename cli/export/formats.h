/* SPDX-License-Identifier: MIT */
/* The formats that trace-export writes. */
#ifndef FORMATS_H
#define FORMATS_H

#include "cli/export/exporter.h"

extern const struct exporter champsim, cloudsuite; /* champsim.c */
extern const struct exporter din, xdin, lackey;    /* addresses.c */
extern const struct exporter ramulator_dram, ramulator_cpu, ramulator2, ramulator2_o3;
extern const struct exporter gem5_packets;               /* gem5.c */
extern const struct exporter sbbt;                       /* branches.c */
extern const struct exporter bt9;                        /* bt9.c */
extern const struct exporter gem5_fetches, gem5_elastic; /* gem5_elastic.c */
extern const struct exporter cbp2025;                    /* cbp2025.c */
extern const struct exporter sift;                       /* sift.c */
extern const struct exporter drmemtrace;                 /* drmemtrace.c */

/* All of them, up to NULL. */
extern const struct exporter *const export_formats[];

/* Returns a format by its name, or NULL. */
const struct exporter *export_format(const char *name);

#endif
