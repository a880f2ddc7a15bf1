/* SPDX-License-Identifier: MIT */
/* The parts of a page of locality advice that are the same in every page, as strings. */
#ifndef SLO_HTML_PAGE_H
#define SLO_HTML_PAGE_H

extern const char html_head[];   /* HTML, to the title */
extern const char html_style[];  /* CSS */
extern const char html_script[]; /* JavaScript: draws the histogram, highlights and links */

#endif
