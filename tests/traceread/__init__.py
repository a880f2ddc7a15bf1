# SPDX-License-Identifier: MIT
"""A reader of traces, by traceformat/FORMAT.md and nothing else.

Numbers in parentheses are sections of FORMAT.md.
"""
