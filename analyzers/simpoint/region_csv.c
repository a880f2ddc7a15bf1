/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/region_csv.h"

#include <inttypes.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/escape.h"
#include "cli/common/save_file.h"

/*
 * The greatest lengths of a command and of an image's name that are written; readers of these files
 * loop forever after a line of 2,000 bytes.
 */
enum { COMMAND_SHOWN = 1800, IMAGE_SHOWN = 255 };

/* The contents of a file. */
struct content {
	const struct regions_info *info;
	const struct selection *selection;
	const struct region *regions;
};

typedef void writer(const struct content *content, FILE *out);

static int save(const char *path, const struct content *content, writer *write)
{
	struct save_file *file = save_file_begin(path);

	if (!file)
		return EXIT_FAILED;
	write(content, save_file_stream(file));
	return save_file_end(file);
}

static void write_command(const struct content *c, FILE *out)
{
	char *command = escape_text(c->info->command);

	fprintf(out, "# Regions based on: %.*s\n", COMMAND_SHOWN, command);
	free(command);
}

/* Returns the filtered instructions up to a bound's marker, which may be behind the bound. */
static uint64_t filtered_at(const struct bound *bound)
{
	const struct place *marker = &bound->marker;

	return bound->filtered + (marker->found ? marker->ordinal - bound->instructions : 0);
}

static uint64_t filtered_length(const struct region *region)
{
	return filtered_at(&region->end) - filtered_at(&region->start);
}

/* ---- PinPoints, instruction counts -------------------------------------------------------- */

static void write_totals(const struct content *c, uint64_t sum, uint64_t all, FILE *out)
{
	fprintf(out, "# Total instructions in %u regions = %" PRIu64 "\n", c->selection->n, sum);
	fprintf(out, "# Total instructions in workload = %" PRIu64 "\n", all);
	fprintf(out, "# Total slices in workload = %zu\n", c->info->intervals);
}

/* Returns a start as PinPoints counts it: from 1, but 0 for the first slice. */
static uint64_t counted_from_one(uint64_t start)
{
	return start ? start + 1 : 0;
}

static void write_thread(const struct content *c, FILE *out)
{
	if (c->info->global)
		fputs("global", out);
	else
		fprintf(out, "%" PRIu64, c->info->thread);
}

static void write_region(const struct content *c, unsigned i, FILE *out)
{
	const struct simpoint *point = &c->selection->at[i];
	const struct region *region = &c->regions[i];
	uint64_t start = counted_from_one(region->start.instructions);
	uint64_t end = region->end.instructions;

	fprintf(out,
		"# Region = %" PRIu64 " Slice = %zu Icount = %" PRIu64 " Length = %" PRIu64
		" Weight = %.5f\n",
		region->id, point->interval, start, end - start + 1, point->weight);
	fprintf(out, "cluster %u from slice %zu,", point->number, point->interval);
	write_thread(c, out);
	fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.6f\n\n", region->id, start, end,
		point->weight);
}

static void write_regions(const struct content *c, FILE *out)
{
	uint64_t sum = 0;

	write_command(c, out);
	fputs("# comment,thread-id,region-id,simulation-region-start-icount,"
	      "simulation-region-end-icount,region-weight\n",
	      out);
	for (unsigned i = 0; i < c->selection->n; i++) {
		write_region(c, i, out);
		sum += c->regions[i].end.instructions - c->regions[i].start.instructions;
	}
	write_totals(c, sum, c->info->instructions, out);
}

int region_csv_write(const char *path, const struct regions_info *info,
		     const struct selection *selection, const struct region *regions)
{
	struct content content = { info, selection, regions };

	return save(path, &content, write_regions);
}

/* ---- pcregions, addresses and execution counts -------------------------------------------- */

/*
 * Writes the name of a module without its folder. Fields are never quoted, and readers cut lines at
 * blanks, so characters that would divide a field become underscores.
 */
static void write_image(const struct bound *bound, FILE *out)
{
	const char *path = bound->module ? bound->module->path : NULL;
	const char *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path;
	unsigned shown = 0;

	if (!name || !*name) {
		fputs("no_image", out);
		return;
	}
	if (strchr("=+-@", *name)) { /* a spreadsheet would execute it */
		putc('_', out);
		name++;
	}
	for (; *name && shown < IMAGE_SHOWN; name++, shown++)
		putc((unsigned char)*name <= ' ' || strchr(",|\"#:\x7f", *name) ? '_' : *name, out);
}

/* Returns a marker's offset from the lowest address of its module, or 0 if there is none. */
static uint64_t image_offset(const struct bound *bound)
{
	uint64_t pc = bound->marker.pc;

	return bound->module && pc >= bound->low ? pc - bound->low : 0;
}

static void write_marker(const struct bound *bound, FILE *out)
{
	fprintf(out, "0x%" PRIx64 ",", bound->marker.pc);
	write_image(bound, out);
	fprintf(out, ",0x%" PRIx64 ",%" PRIu64 ",", image_offset(bound), bound->marker.count);
}

static void write_marker_comment(const char *which, const struct bound *bound, FILE *out)
{
	fprintf(out, "#%s: pc : 0x%" PRIx64 " image: ", which, bound->marker.pc);
	write_image(bound, out);
	fprintf(out, " offset: 0x%" PRIx64 " absolute_count: %" PRIu64 " ", image_offset(bound),
		bound->marker.count);
}

static void write_marker_comments(const struct region *region, FILE *out)
{
	write_marker_comment("Start", &region->start, out);
	fputs("source-info: Unknown:0\n", out);
	write_marker_comment("End", &region->end, out);
	fprintf(out, " relative_count: %" PRIu64 ".0 source-info: Unknown:0\n",
		relative_count(region));
}

static void write_simulation(const struct content *c, unsigned i, FILE *out)
{
	const struct simpoint *point = &c->selection->at[i];
	const struct region *region = &c->regions[i];

	fprintf(out,
		"# RegionId = %" PRIu64 " Slice = %zu Icount = %" PRIu64 " Length = %" PRIu64
		" Weight = %.5f Multiplier = %.3f ClusterSlicecount = %zu ClusterIcount = %" PRIu64
		"\n",
		region->id, point->interval, filtered_at(&region->start), filtered_length(region),
		point->weight, region->multiplier, point->intervals, region->cluster_filtered);
	write_marker_comments(region, out);
	fprintf(out, "cluster %u from slice %zu,", point->number, point->interval);
	write_thread(c, out);
	fprintf(out, ",%" PRIu64 ",", region->id);
	write_marker(&region->start, out);
	write_marker(&region->end, out);
	fprintf(out, "%" PRIu64 ",%" PRIu64 ",%.6f,%.6f,simulation\n\n", relative_count(region),
		filtered_length(region), point->weight, region->multiplier);
}

/* Returns the region that is a region's warm-up. */
static struct region warmup_of(const struct region *region)
{
	struct region warmup = *region;

	warmup.start = region->warmup;
	warmup.end = region->start;
	return warmup;
}

static void write_warmup(const struct content *c, unsigned i, FILE *out)
{
	const struct region warmup = warmup_of(&c->regions[i]);

	fprintf(out,
		"# RegionId = %" PRIu64 " Slice = %zu Icount = %" PRIu64 " Length = %" PRIu64
		" WarmupFactor = %zu\n",
		warmup.warmup_id, c->selection->at[i].interval - warmup.warmup_intervals,
		filtered_at(&warmup.start), filtered_length(&warmup), warmup.warmup_intervals);
	write_marker_comments(&warmup, out);
	fprintf(out, "Warmup for regionid %" PRIu64 ",", warmup.id);
	write_thread(c, out);
	fprintf(out, ",%" PRIu64 ",", warmup.warmup_id);
	write_marker(&warmup.start, out);
	write_marker(&warmup.end, out);
	fprintf(out, "%" PRIu64 ",%" PRIu64 ",0.000000,0.000000,warmup:%" PRIu64 "\n\n",
		relative_count(&warmup), filtered_length(&warmup), warmup.id);
}

static void write_pc_head(const struct content *c, FILE *out)
{
	write_command(c, out);
	if (c->info->global)
		fprintf(out, "# concatenated bbv threadcount %" PRIu64 "\n", c->info->n_threads);
	fputs("\n# comment,thread-id,region-id,start-pc, start-image-name, start-image-offset, "
	      "start-pc-count,end-pc, end-image-name, end-image-offset, end-pc-count,"
	      "end-pc-relative-count, region-length, region-weight, region-multiplier, "
	      "region-type\n\n",
	      out);
}

static void write_pc_regions(const struct content *c, FILE *out)
{
	uint64_t sum = 0;

	write_pc_head(c, out);
	for (unsigned i = 0; i < c->selection->n; i++) {
		write_simulation(c, i, out);
		if (c->regions[i].warmup_intervals)
			write_warmup(c, i, out);
		sum += filtered_length(&c->regions[i]);
	}
	if (c->info->first_pc)
		fprintf(out, "# First PC, 0x%" PRIx64 "\n", c->info->first_pc);
	write_totals(c, sum, c->info->filtered, out);
}

int pcregions_csv_write(const char *path, const struct regions_info *info,
			const struct selection *selection, const struct region *regions)
{
	struct content content = { info, selection, regions };

	return save(path, &content, write_pc_regions);
}
