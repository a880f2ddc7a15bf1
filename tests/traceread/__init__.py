# SPDX-License-Identifier: MIT
"""A reader of traces, written only from traceformat/FORMAT.md.

Numbers in parentheses are sections of FORMAT.md.
"""
