/* SPDX-License-Identifier: MIT */
/*
 * The parts of a page of locality advice that are the same in every page. They stand in files of
 * their own, and the assembler copies them into the object file, with a NUL behind each.
 */
#include "analyzers/slo/html/page.h"

/* clang-format off */
#define EMBED(name, file) \
	__asm__(".pushsection .rodata\n" \
		".global " #name "\n" \
		".hidden " #name "\n" \
		".type " #name ", @object\n" \
		#name ": .incbin \"analyzers/slo/html/" file "\"\n" \
		".byte 0\n" \
		".size " #name ", . - " #name "\n" \
		".popsection\n")
/* clang-format on */

EMBED(html_head, "head.html");
EMBED(html_style, "style.css");
EMBED(html_script, "script.js");
