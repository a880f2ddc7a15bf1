/* SPDX-License-Identifier: MIT */
/* What is the same in every page of locality advice. */
#ifndef SLO_HTML_PAGE_H
#define SLO_HTML_PAGE_H

extern const char html_style[];  /* CSS */
extern const char html_script[]; /* JavaScript: draws the histogram, highlights and links */

#endif
