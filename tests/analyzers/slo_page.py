# SPDX-License-Identifier: MIT
"""Checks that a page of trace-slo --html is whole, needs no other files, and marks source lines.

usage: slo_page.py PAGE SOURCE LINE...

tests/browser/ checks what a browser shows of the page.
"""
import json
import os
import re
import sys

BEGIN, END = '<script type="application/json" id="data">', '</script>'


def main():
    path, source, *lines = sys.argv[1:]
    text = open(path, encoding='utf-8').read()
    before, _, rest = text.partition(BEGIN)
    data, _, behind = rest.partition(END)
    assert text.count(BEGIN) == 1 and "default-src 'none'" in before and behind.endswith('</html>\n')
    assert not re.search('[<>&]', data)
    assert not re.search(r'<[^>]* (src|on\w+)=', before + behind.partition('<script>')[0])
    slo = json.loads(data)['results']['slo']
    files = {os.path.basename(file['path']): file for file in slo['files']}
    marked = [line for line, rank, _, _ in files.get(source, {'touches': []})['touches'] if rank]
    for line in lines:
        assert int(line) in marked, (line, marked)
    for name, file in files.items():
        shown = [number for number, _ in file['lines']]
        assert shown == sorted(set(shown)), name
        assert all(line in shown for line, rank, _, _ in file['touches'] if rank) or not file['complete'], name
    for one in slo['refactorings']:
        assert sum(one['bins']) == one['reuses'] and len(one['bins']) == len(slo['bins']), one['rank']
    assert sum(slo['bins']) == slo['reuses']


main()
