# SPDX-License-Identifier: MIT
"""Checks that a page of trace-slo --html is whole, needs no other files, and marks source lines.

usage: slo_page.py PAGE SOURCE LINE...
"""
import html.parser
import json
import os
import re
import sys

EMPTY = {'meta', 'br', 'input', 'hr', 'link', 'img'}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.wrong, self.ids, self.links = [], [], [], []
        self.sections, self.lines, self.data, self.in_heading = [], {}, '', False
        self.feed(text)
        self.wrong += self.open

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        if any(name.startswith('on') or name == 'src' for name in a):
            self.wrong.append((tag, attributes))
        if tag not in EMPTY:
            self.open.append(tag)
        if 'id' in a:
            self.ids.append(a['id'])
        if 'href' in a:
            self.links.append(a['href'])
        if tag == 'tr' and 'data-r' in a:
            self.lines.setdefault(self.sections[-1], []).append(int(a['id'].split('-')[1]))
        if tag == 'h3':
            self.sections.append('')

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        if self.open and self.open[-1] == 'h3':
            self.sections[-1] += data
        if self.open and self.open[-1] == 'script' and not self.data:
            self.data = data


def main():
    path, source, *lines = sys.argv[1:]
    text = open(path, encoding='utf-8').read()
    page = Page(text)
    assert not page.wrong, page.wrong
    assert len(set(page.ids)) == len(page.ids)
    for link in page.links:
        assert link[0] == '#' and link[1:] in page.ids, link
    assert not re.search(r'https?:', text.replace('http://www.w3.org/2000/svg', ''))
    json.loads(page.data)
    marked = [line for name, marks in page.lines.items() if os.path.basename(name) == source
              for line in marks]
    for line in lines:
        assert int(line) in marked, (line, marked)


main()
