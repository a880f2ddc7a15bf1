/* SPDX-License-Identifier: MIT */
/* The source files of locality advice, and the marks at their lines. */
#ifndef SLO_HTML_SOURCES_H
#define SLO_HTML_SOURCES_H

#include "analyzers/slo/advice.h"
#include "analyzers/slo/html/roots.h"

/* The number of pairs of places of a refactoring that are listed, and marked in the source. */
enum { HTML_PAIRS = 12 };

/* A line; file is the number of a source. */
struct html_site {
	bool known;
	uint32_t file, line;
};

/* Reuses whose data a line uses, or reuses. */
struct html_touch {
	uint32_t file, line;
	uint32_t rank; /* of the refactoring that it is a mark of; 0: not one */
	bool is_reuse;
	uint64_t reuses;
};

/* The lines of a loop or call that a refactoring is about. */
struct html_bar {
	uint32_t file, first, last;
	uint32_t line; /* the one that its name has */
	uint32_t rank;
	uint32_t lane; /* bars of one do not overlap; HTML_LANES: none is free */
};
enum { HTML_LANES = 24 };

struct html_source {
	bool wanted;     /* there are marks or bars */
	char *text;      /* size bytes; NULL: not to be had, */
	const char *why; /* since it "is not a regular file" */
	size_t size;
	uint32_t n_lines, n_lanes;
};

struct html_sources {
	struct html_roots *roots;
	struct numbering paths;           /* of sources */
	struct html_source *sources;      /* by number */
	uint32_t n_sources;               /* 0: they are still being found */
	ARRAY(struct html_touch) touches; /* by file, line, rank */
	ARRAY(struct html_bar) bars;      /* by file, then the outer first */
};

/*
 * Reads the files of the first `top` refactorings that the roots allow, and adds to the roots the
 * folders that the debug information gives. Ends the process if memory is out.
 */
void html_sources_init(struct html_sources *sources, struct html_roots *roots,
		       const struct slo_advice *advice, const struct slo_places *places,
		       size_t top);
void html_sources_free(struct html_sources *sources);

/* Each returns a line: that of an instruction of a listed refactoring, or of its loop or call. */
struct html_site html_insn_site(struct html_sources *sources, const struct slo_places *places,
				uint32_t insn);
struct html_site html_part_site(struct html_sources *sources, const struct slo_places *places,
				const struct slo_part *part);

/* Returns true if the page can show a line. */
static inline bool html_has_line(const struct html_sources *sources, const struct html_site *site)
{
	return site->known && sources->sources[site->file].text && site->line &&
	       site->line <= sources->sources[site->file].n_lines;
}

static inline const char *html_path(const struct html_sources *sources, uint32_t file)
{
	return numbering_key(&sources->paths, file);
}

#endif
