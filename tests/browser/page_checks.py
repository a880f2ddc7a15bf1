"""Checks of the page of trace-report: page_checks.py FOLDER TEMPLATE REPORT. Prints a line for each check, as lib.sh does.

TEMPLATE is filled with made-up numbers; REPORT is a page that trace-report has written.

Charts are checked twice: by the points that Chart.js has placed, and by the colours of the pixels that are there."""
import os
import subprocess
import sys
import time

import document
import suite_checks
from browser import Browser, fill_page

# Functions for the scripts below. chart(part, n): the n-th chart of an element; shown(x, y): a pixel's colour.
HELPERS = '''
const chart = (part, n = 0) => Chart.getChart(document.querySelectorAll(part + ' canvas')[n]);
const points = (part, n, set) => chart(part, n).getDatasetMeta(set).data;
const pixel = (canvas, x, y) => {
	const ratio = canvas.width / canvas.clientWidth;
	const [r, g, b] = canvas.getContext('2d').getImageData(Math.round(x * ratio), Math.round(y * ratio), 1, 1).data;
	return '#' + [r, g, b].map((v) => v.toString(16).padStart(2, '0')).join('');
};
const frame = (name) => [...document.querySelectorAll('#flame .frame')].find((f) => f.title.startsWith(name));
const visible = (e) => !!e && getComputedStyle(e).visibility === 'visible' && e.getClientRects().length > 0;
'''


class Checks:
    def __init__(self, browser, folder, template):
        self.browser, self.folder, self.template = browser, folder, template

    def js(self, expression):
        return self.browser.run(HELPERS + 'return ' + expression)

    def equal(self, name, expected, actual):
        if expected == actual:
            print('ok ' + name)
        else:
            print(f'not ok {name}\n# expected: {expected!r}\n# actual:   {actual!r}'[:1500])

    def true(self, name, expression):
        """The expression is a string of JavaScript, or a value of Python."""
        self.equal(name, True, bool(self.js(expression) if isinstance(expression, str) else expression))

    def near(self, name, expected, actual, by):
        good = len(expected) == len(actual) and all(abs(e - a) <= by for e, a in zip(expected, actual))
        self.equal(name, expected, expected if good else actual)

    def choose(self, name, value):
        self.js(f'''(() => {{ const select = document.getElementById('{name}'); select.value = '{value}';
            select.dispatchEvent(new Event('change')); }})()''')

    def open(self, name, contents):
        path = f'{self.folder}/{name}.html'
        fill_page(self.template, contents, path)
        self.load(name, path)

    def load(self, name, path):
        since = time.time()
        self.browser.open(path)
        self.browser.settle()
        print(f'# {name} loaded in {1000 * (time.time() - since):.0f} ms')

    def draw_all(self):
        """Draws the charts that have not been seen yet, as printing does."""
        self.js("['beforeprint', 'afterprint'].forEach((name) => dispatchEvent(new Event(name)))")
        self.browser.settle()


def check_bars(c, name, part, values):
    """Horizontal bars: as long as their values, and drawn in their colour."""
    c.near(name + ': values', values, c.js(f"chart('{part}').data.datasets[0].data"), 1e-9)
    widths = c.js(f"points('{part}', 0, 0).map((bar) => bar.width)")
    c.near(name + ': lengths', [w / widths[0] for w in widths], [v / values[0] for v in values], 0.01)
    c.true(name + ': drawn', f'''points('{part}', 0, 0).filter((bar) => bar.width > 4).every((bar) =>
        pixel(chart('{part}').canvas, bar.x - bar.width / 2, bar.y) === bar.options.backgroundColor)''')


def check_drawing(c):
    drawn = "['#top', '#heap'].map((part) => !!chart(part))"
    c.equal('charts: those below the window are not drawn yet', [True, False], c.js(drawn))
    c.js("document.querySelector('#heap').scrollIntoView()")
    c.browser.settle()
    c.equal('charts: drawn when they come into sight', [True, True], c.js(drawn))
    c.js('scrollTo(0, 0)')
    c.draw_all()


def check_pictures(c):
    shares = [n / 10 for _, n in document.FUNCTIONS]
    check_bars(c, 'hot functions', '#functions', shares)
    check_bars(c, 'instruction mix', '#mix', [40.0, 30.0, 20.0, 9.6, 0.4])
    check_bars(c, 'caches of a machine', '#cache', [10.0, 50.0])
    c.near('hot lines', shares, c.js("chart('#functions', 1).data.datasets[0].data"), 1e-9)
    c.equal('hot lines: the module of lines that are not known', ['[unknown] in program', 'file.c:11'], c.js(
        "chart('#functions', 1).data.labels.slice(0, 2)"))
    c.equal('no picture is empty', [], c.js('''[...document.querySelectorAll('canvas')].filter((canvas) => {
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        return !data.some((value) => value > 0);
    }).map((canvas) => canvas.getAttribute('aria-label'))'''))
    c.true('each picture has a label, a definition and a command', '''[...document.querySelectorAll('figure')].every(
        (figure) => figure.querySelector('canvas, .frames').getAttribute('aria-label') &&
        document.getElementById(figure.querySelector('.info').getAttribute('aria-describedby')).textContent &&
        figure.querySelector('.command').textContent.startsWith('trace-'))''')
    check_phases(c)
    check_curves(c)
    check_latencies(c)


def check_phases(c):
    n = len(document.CLUSTERS)
    colours = c.js("chart('#phases').data.datasets[0].backgroundColor")
    clusters = [[colours[i] for i in range(n) if document.CLUSTERS[i] == k] for k in range(3)]
    c.equal('phases: a colour for each cluster', [1, 1, 1, 3], [len(set(k)) for k in clusters] + [len(set(colours))])
    c.equal('phases: the band has these colours', colours, c.js('''points('#phases', 0, 0).map((bar) =>
        pixel(chart('#phases').canvas, bar.x, (bar.y + bar.base) / 2))'''))
    c.near('phases: simulation points', [187.5, 437.5, 687.5], c.js('''points('#phases', 0, 1).map((point) =>
        chart('#phases').scales.x.getValueForPixel(point.x))'''), 2)
    c.near('phases: the metric', document.METRIC, c.js('''points('#phases', 0, 2).map((point) =>
        chart('#phases').scales.metric.getValueForPixel(point.y))'''), 0.1)
    c.near('phases: metric and band have the same places', c.js("points('#phases', 0, 0).map((bar) => bar.x)"),
           c.js("points('#phases', 0, 2).map((point) => point.x)"), 0.5)
    c.js('''(() => { const select = document.querySelector('#phases select'); select.value = '1';
        select.dispatchEvent(new Event('change')); })()''')
    c.near('phases: another metric', document.OTHER_METRIC, c.js('''points('#phases', 0, 2).map((point) =>
        chart('#phases').scales.metric.getValueForPixel(point.y))'''), 1)
    c.equal('phases: the command of the metric', 'trace-mix', c.js("document.querySelector('#phases .controls code').textContent"))
    c.near('phases: vectors in two dimensions', [v for xy in document.phases()['projection'] for v in xy],
           c.js('''points('#phases', 1, 0).flatMap((point) => [chart('#phases', 1).scales.x.getValueForPixel(point.x),
               chart('#phases', 1).scales.y.getValueForPixel(point.y)])'''), 0.1)


def check_curves(c):
    c.near('miss-ratio curve', [v for _, v in document.CURVE], c.js('''points('#curve', 0, 0).slice(0, -1).map((point) =>
        chart('#curve').scales.y.getValueForPixel(point.y))'''), 0.3)
    c.equal('miss-ratio curve: sizes of caches', [[15, '32 KiB: 12 %'], [20, '1 MiB: 4 %']], c.js(
        "chart('#curve').options.plugins.marks.at.map((mark) => [mark.x, mark.name.replace(/\\u202f/g, ' ')])"))
    c.true('miss-ratio curve: a line at each size', '''chart('#curve').options.plugins.marks.at.every((mark) => {
        const { canvas, scales, chartArea } = chart('#curve'), x = scales.x.getPixelForValue(mark.x);
        const column = Array.from({ length: 40 }, (_, i) => pixel(canvas, x - 0.5, chartArea.top + 60 + i));
        return new Set(column).size > 1; })''')
    c.near('parallelism', [2, 3, 5, 9], c.js('''points('#ilp', 0, 0).map((point) =>
        chart('#ilp').scales.y.getValueForPixel(point.y))'''), 0.1)
    c.near('branch predictability', [6, 6.5, 7, 7.5], c.js("chart('#ppm').data.datasets[2].data"), 0)
    c.true('branch predictability: drawn', '''[0, 1, 2].every((set) => points('#ppm', 0, set).every((bar) =>
        pixel(chart('#ppm').canvas, bar.x, (bar.y + bar.base) / 2) === bar.options.backgroundColor))''')
    c.near('radar: this program', [0.375, 0.6, 1, 0], c.js("chart('#mica').data.datasets[0].data"), 1e-9)
    c.near('radar: quartiles of the reference', [0.625, 0.625, 0.6, 0.75, 0.125, 0.125, 0.1, 0.25],
           c.js("[1, 2].flatMap((set) => chart('#mica').data.datasets[set].data)"), 1e-9)
    calls = [n for _, n, _, _ in document.SYSTEM_CALLS]
    check_bars(c, 'system calls', '#syscalls', calls)
    c.js("document.querySelector('#syscalls .switch').click()")
    c.equal('system calls: errors and time', [['write', '3', '0', '1.5'], ['openat', '2', '1', '0.002']], c.js('''[
        ...document.querySelectorAll('#syscalls tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))'''))
    c.js("document.querySelector('#syscalls .switch').click()")
    c.near('heap over time', [b for _, b, _ in document.HEAP], c.js('''points('#heap', 0, 0).map((point) =>
        chart('#heap').scales.y.getValueForPixel(point.y))'''), 1 << 14)
    c.equal('heap: what is never read', ['3,072', '2,097,152', '7', '9'], c.js('''[...[...document.querySelectorAll(
        '#heap table')].find((table) => table.caption.textContent.startsWith('Accesses')).tBodies[0].rows[0].cells].slice(1)
        .map((cell) => cell.textContent)'''))


def check_latencies(c):
    sums = "chart('#latency').data.datasets.map((set) => [set.label, set.data.reduce((a, b) => a + b)])"
    c.equal('latencies by source', [[name, n] for name, _, n in document.LATENCIES[:2]], c.js(sums))
    c.equal('latencies: places', [8, 256], c.js('''chart('#latency').data.datasets.map((set) =>
        2 ** Math.floor(Math.log2(chart('#latency').data.labels[set.data.findIndex((n) => n > 0)])))'''))
    c.choose('latency-group', 'all')
    c.equal('latencies of all instructions', [['tag to retire', 900]], c.js(sums))


def check_compare(c):
    c.near('comparison: totals', [-20, 25], c.js('''points('#compare', 0, 0).map((bar) =>
        chart('#compare', 0).scales.x.getValueForPixel(bar.x))'''), 0.5)
    c.near('comparison: functions', [-300, 100, 50], c.js('''points('#compare', 1, 0).map((bar) =>
        chart('#compare', 1).scales.x.getValueForPixel(bar.x))'''), 5)
    c.choose('compared-cost', 'misses_L1')
    c.equal('comparison: functions by misses', [[document.HOSTILE, 'hot'], [40, -7]], c.js(
        "[chart('#compare', 1).data.labels, chart('#compare', 1).data.datasets[0].data]"))
    c.choose('compared-cost', 'instructions')
    frames = """[...document.querySelectorAll('#compare .frame')].map((frame) => [frame.dataset.change,
        Math.round(1000 * frame.getBoundingClientRect().width / document.querySelector('#compare .frames').clientWidth)])"""
    c.equal('comparison: call paths of the second trace', [['none', 1000], ['none', 1000], ['more', 615], ['less', 308],
                                                           ['more', 77]], c.js(frames))
    c.choose('compared-paths-side', 'a')
    c.equal('comparison: call paths of the first trace', [['none', 1000], ['none', 1000], ['less', 625], ['more', 375]],
            c.js(frames))
    c.choose('compared-paths-cost', 'loads')
    c.equal('comparison: call paths by another cost', [['none', 1000], ['none', 1000], ['none', 750], ['none', 250]],
            c.js(frames))
    c.choose('compared-paths-cost', 'instructions')
    colours = """[...document.querySelectorAll('#compare .frame')].slice(1).map((frame) => {
        const [r, g, b] = getComputedStyle(frame).backgroundColor.match(/[0-9.]+/g).map(Number);
        return Math.abs(r - b) < 0.06 * Math.max(r, b) ? 'grey' : r > b ? 'orange' : 'blue'; })"""
    c.equal('comparison: colours of call paths', ['grey', 'blue', 'orange'], c.js(colours))
    c.true('comparison: a path says both values', """[...document.querySelectorAll('#compare .frame')].some((frame) =>
        frame.title.startsWith('hot (program): 500, then 200 instructions; of its own −300'))""")
    c.equal('comparison: advice', document.HOSTILE, c.js("document.querySelector('#compare .scroll th[scope=row]').textContent"))


def check_locality(c):
    sets = "chart('#locality').data.datasets.map((set) => [set.label, set.data.filter((n) => n > 0)])"
    c.equal('reuse distances by refactoring', [['1 loop', [60, 10]], ['2 fuse', [20]], ['other', [10]]], c.js(sets))
    c.true('reuse distances: drawn', '''points('#locality', 0, 0).filter((bar) => bar.height > 2).every((bar) =>
        pixel(chart('#locality').canvas, bar.x, (bar.y + bar.base) / 2) === bar.options.backgroundColor)''')
    c.true('reuse distances: the bars leave room for the names of caches', '''(() => { const { scales } = chart('#locality');
        return Math.max(...scales.x.ticks.map((_, i) => chart('#locality').data.datasets.reduce((sum, one) =>
            sum + one.data[i], 0))) * 1.1 < scales.y.max; })()''')
    for name, value, expected in (('form', 'reverse', [['1 loop', [70, 70, 70, 10]], ['2 fuse', [20]], ['other', [10]]]),
                                  ('by', 'kind', [['loop', [70, 70, 70, 10]], ['fuse', [30]]]),
                                  ('height', 'relative', [['loop', [70, 100, 100, 100]], ['fuse', [30]]])):
        c.choose('reuses-' + name, value)
        c.equal(f'reuse distances: {name} {value}', expected, c.js(sets))
    for name, value in (('form', 'plain'), ('by', 'refactoring'), ('height', 'absolute')):
        c.choose('reuses-' + name, value)
    c.equal('source: lines, with gaps', ['…', '9', '10', '11', '12', '13', '…', '30'], c.js('''[...document.querySelectorAll(
        '.source tbody tr')].map((row) => (row.querySelector('th') || row).textContent)'''))
    c.equal('source: shares of uses and reuses', [['70 %', ''], ['30 %', '70 %']], c.js('''['11', '13'].map((line) =>
        [0, 1].map((i) => document.getElementById('f0-' + line).children[i].textContent.replace(/\u202f/g, ' ')))'''))
    c.equal('source: bars of loops', [1, 2, 2, 1, 0], c.js('''['10', '11', '12', '13', '30'].map((line) =>
        document.querySelectorAll('#f0-' + line + ' .lanes i').length)'''))
    c.equal('refactoring: its advice is a sentence', 'Tile', c.js(
        "document.querySelector('#r1 button').textContent.slice(0, 4)"))
    c.js("document.querySelector('#r1 button').click()")
    c.equal('refactoring: its lines are marked', ['11', '13'], c.js(
        "[...document.querySelectorAll('.source .chosen th')].map((cell) => cell.textContent)"))
    c.true('refactoring: an arc from use to reuse', '''(() => {
        const arc = document.querySelector('.arc').getBoundingClientRect();
        const line = (n) => { const at = document.getElementById('f0-' + n).getBoundingClientRect();
            return at.y + at.height / 2; };
        return Math.abs(arc.top - line(11)) < 4 && Math.abs(arc.bottom - line(13)) < 4; })()''')
    c.true('refactoring: details', "visible(document.querySelector('#r1 .refactoring-details td a[href=\"#f0-11\"]'))")
    c.js("document.querySelector('#f0-11 .mark').click()")
    c.equal('refactoring: a mark ends the choice', [0, 0], c.js(
        "[document.querySelectorAll('.arc').length, document.querySelectorAll('.chosen').length]"))


def check_flame(c):
    b = c.browser
    widths = '''[...document.querySelectorAll('#flame .frame')].map((frame) => frame.getBoundingClientRect().width /
        document.querySelector('#flame .frames').clientWidth)'''
    c.near('flame graph: widths', [1, 1, .5, .45, .3, .15], c.js(widths), 0.002)
    c.near('flame graph: a callee stands below its caller, from where it begins', [0, 0.5], c.js(
        '''[frame('work').offsetTop - frame('main').offsetTop - frame('hot').offsetTop + frame('main').offsetTop,
            frame('work').offsetLeft / document.querySelector('#flame .frames').clientWidth]'''), 0.002)
    c.js("frame('work').scrollIntoView({ block: 'center' })")
    b.click_at(*c.js('''(() => { const at = frame('work').getBoundingClientRect();
        return [at.x + at.width / 2, at.y + 8]; })()'''))
    c.near('flame graph: a click zooms', [1, 1, 1, .6667, .3333], c.js(widths), 0.002)
    b.press('Escape')
    c.equal('flame graph: Escape shows everything', 6, c.js("document.querySelectorAll('#flame .frame').length"))
    selected = "document.querySelector('#flame .frame.selected').title.split(/[: ]/)[0]"
    moves = []
    for key in ('ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowLeft', 'ArrowUp', 'Home'):
        b.press(key)
        moves.append(c.js(selected))
    c.equal('flame graph: arrow keys', ['main', 'hot', 'work', 'hot', 'main', 'program'], moves)
    c.equal('flame graph: the names of the colours', [['program', True]], c.js('''[...document.querySelectorAll(
        '#flame .module')].map((one) => [one.textContent, getComputedStyle(one, '::before').backgroundColor ===
            getComputedStyle(frame('main')).backgroundColor])'''))
    b.press('ArrowDown')
    b.press('ArrowDown')
    b.press('Enter')
    c.near('flame graph: Enter zooms', [1, 1, 1], c.js(widths), 0.002)
    c.js("document.getElementById('flame-reset').click()")
    for choice, value, expected in (('flame-cost', 'loads', [1, 1, .5, .45, .3, .02]), ('flame-cost', 'instructions', None),
                                    ('flame-thread', '7', [1, 1, .75]), ('flame-thread', 'all', None)):
        c.choose(choice, value)
        if expected:
            c.near(f'flame graph: {choice} {value}', expected, c.js(widths), 0.002)
        if value == '7':
            c.equal('flame graph: the command of the thread', '/bin/child ' + document.BREAKER, c.js(
                "document.getElementById('flame-note').textContent"))
            c.equal('flame graph: the name of the thread', 'thread 7 (child)', c.js(selected.replace("split(/[: ]/)", "split(':')")))
    c.equal('flame graph: threads have the names of their programs', ['All', 'Thread 7 (child): 80 instructions'], c.js(
        "[...document.getElementById('flame-thread').options].map((option) => option.textContent)"))
    c.true('flame graph: how many of the threads can be chosen',
           "document.querySelector('#flame .controls').textContent.includes('1 of 2 threads can be chosen. Too many paths.')")
    c.true('exactness: messages of analyzers', "document.getElementById('exactness').textContent.includes('A note. A warning.')")


def check_search(c):
    b = c.browser
    c.js('document.activeElement.blur()')
    b.press('/')
    c.equal('search: / leads to the field', 'search', c.js('document.activeElement.id'))
    for letter in 'HOT':
        b.press(letter)
    c.equal('search: finds functions', ['hot'], c.js("[...document.querySelectorAll('#flame .frame.match')].map((f) => f.textContent)"))
    c.true('search: their share', "document.querySelector('#flame .flame-status').textContent.includes('50\\u202f%')")
    b.press('Escape')
    c.equal('search: Escape ends', ['', 0], c.js('''[document.getElementById('search').value,
        document.querySelectorAll('#flame .frame.match').length]'''))


def check_names(c):
    cells = "[...document.querySelectorAll('#heap table')].find((table) => table.caption.textContent === 'Call paths that allocate').tBodies[0]"
    c.equal('names: long arguments of C++ are left out', [short for _, short in document.CPLUSPLUS], c.js(
        f"[...{cells}.rows].slice(1).map((row) => row.cells[0].textContent)"))
    c.js("document.querySelector('#functions .switch').click()")
    c.equal('names: a table shows the whole one on demand', [[document.LONG, document.LONG_STEM + '<…>']], c.js('''[...document.querySelectorAll(
        '#functions tbody th[title]')].map((cell) => [cell.title, cell.textContent])'''))
    c.js("document.querySelector('#functions .switch').click()")


def check_characters(c):
    c.equal('characters: no ligatures, such as that of 0x1', ['no-contextual', 'optimizeSpeed'], c.js(
        "[getComputedStyle(document.querySelector('main')).fontVariantLigatures, chart('#functions').ctx.textRendering]"))


def check_tables(c):
    b = c.browser
    c.js("document.querySelector('#functions .plot').scrollIntoView({ block: 'center' })")
    b.click_at(*c.js('''(() => { const at = document.querySelector('#functions .plot').getBoundingClientRect();
        return [at.x + at.width / 2, at.y + at.height / 2]; })()'''))
    rows = "[...document.querySelectorAll('#functions figure tbody tr')].map((row) => row.children[2].textContent)"
    c.equal('table: a click on the picture shows the numbers', ['500', '300', '150', '50'], c.js(rows))
    c.true('table: names are not code', f'''document.querySelectorAll('#functions tbody th')[1].textContent ===
        {document.HOSTILE!r}''')
    c.js("document.querySelectorAll('#functions thead button')[2].click()")
    c.js("document.querySelectorAll('#functions thead button')[2].click()")
    c.equal('table: sorts', ['50', '150', '300', '500'], c.js(rows))
    c.js("document.querySelector('#functions .switch').click()")
    c.true('table: and back', "visible(document.querySelector('#functions canvas'))")
    empty = c.js('''[...document.querySelectorAll('figure')].filter((figure) => {
        figure.querySelector('.switch').click();
        const rows = figure.querySelectorAll('tbody tr').length;
        figure.querySelector('.switch').click();
        return rows === 0; }).map((figure) => figure.querySelector('h3').textContent)''')
    c.equal('table: each picture has one', [], empty)


def check_keyboard(c):
    b = c.browser
    c.js("(() => { scrollTo(0, 0); document.querySelector('.brand').focus(); })()")
    seen, lost = [], []
    for _ in range(60):
        b.press('Tab')
        seen.append(c.js("document.activeElement.id || document.activeElement.className || document.activeElement.tagName"))
        lost.append(c.js("getComputedStyle(document.activeElement).outlineStyle"))
        if 'frames' in seen:
            break
    c.true('keyboard: Tab reaches search, mode, definitions, tables, pictures and the flame graph',
           {'search', 'theme', 'info', 'switch', 'CANVAS', 'frames'} <= set(seen))
    c.true('keyboard: the focus is visible', 'none' not in lost)
    c.js("(() => { document.querySelector('#ilp canvas').focus(); })()")
    b.press('ArrowRight')
    b.press('ArrowRight')
    c.equal('keyboard: arrow keys show the values of a chart', [1, 'window of 64', '3 instructions per cycle'], c.js('''(() => {
        const { tooltip } = chart('#ilp'); return [tooltip.opacity, tooltip.title[0], tooltip.body[0].lines[0]]; })()'''))
    c.js("(() => { document.querySelector('#ilp .info').focus(); })()")
    c.true('definition: shown on focus', "visible(document.querySelector('#ilp .tip'))")
    c.js('document.activeElement.blur()')
    c.true('definition: hidden otherwise', "!visible(document.querySelector('#ilp .tip'))")
    c.js("document.querySelector('#ilp .info').scrollIntoView({ block: 'center' })")
    b.mouse('mouseMoved', *c.js('''(() => { const at = document.querySelector('#ilp .info').getBoundingClientRect();
        return [at.x + 8, at.y + 8]; })()'''))
    c.true('definition: shown on hover', "visible(document.querySelector('#ilp .tip'))")
    b.mouse('mouseMoved', 1, 1)


CONTRAST = '''(() => {
    const bright = (colour) => { const [r, g, b] = colour.match(/[\\d.]+/g).map((v) => v / 255).map((v) =>
        v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const paper = bright(getComputedStyle(document.querySelector('.card')).backgroundColor);
    return Math.min(...['h1', '.summary', '.why', '.card dt', '.card dd', '.sort', '.command code', '.lead'].map((part) => {
        const ink = bright(getComputedStyle(document.querySelector(part)).color);
        return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05); })); })()'''


def check_modes(c):
    b = c.browser
    ground = 'getComputedStyle(document.body).backgroundColor'
    bar = "points('#mix', 0, 0)[0].options.backgroundColor"
    light = c.js(f'[{ground}, {bar}]')
    c.true('light: texts have the contrast of WCAG AA', c.js(CONTRAST) >= 4.5)
    b.media(prefers_color_scheme='dark')
    dark = c.js(f'[{ground}, {bar}]')
    c.true('dark: page and charts change with the system', light[0] != dark[0] and light[1] != dark[1])
    c.true('dark: texts have the contrast of WCAG AA', c.js(CONTRAST) >= 4.5)
    check_bars(c, 'dark: instruction mix', '#mix', [40.0, 30.0, 20.0, 9.6, 0.4])
    c.js("document.getElementById('theme').click()")
    c.equal('dark: the switch leads to light', light, c.js(f'[{ground}, {bar}]'))
    b.media()
    c.js("document.getElementById('theme').click()")
    c.equal('light: the switch leads to dark', dark, c.js(f'[{ground}, {bar}]'))
    c.js("document.getElementById('theme').click()")


FIRST_SCREEN = '''(() => { scrollTo(0, 0);
    const parts = [...document.querySelectorAll('.pictures > *, .advice')];
    return parts.length === 5 && parts.every((part) => part.getBoundingClientRect().bottom <= innerHeight); })()'''


def check_widths(c):
    for width in (375, 768):
        c.browser.size(width, 800)
        c.equal(f'{width} px: no horizontal scrolling', width, c.js('document.documentElement.scrollWidth'))
        c.equal(f'{width} px: charts fit their cards', [], c.js('''[...document.querySelectorAll('canvas')].filter((canvas) =>
            canvas.getBoundingClientRect().right > canvas.closest('.card').getBoundingClientRect().right).length ?
            ['a chart is too wide'] : []'''))
    c.browser.size(1400, 900)
    c.true('1400 x 900: four pictures and the advice are on the first screen', FIRST_SCREEN)


def check_first_screen(c):
    """Long commands and names leave room for the pictures."""
    contents = document.make_document()
    contents['traces'][0].update(command='program ' + 'argument ' * 60, complete=False)
    c.open('long', dict(contents, summary='A long_word_of_a_name executed instructions. ' * 12))
    c.true('1400 x 900: also with a long command and an incomplete trace', FIRST_SCREEN)
    c.equal('a long command: whole on hover', contents['traces'][0]['command'], c.js("document.querySelector('h1').title"))
    c.browser.size(375, 800)
    c.draw_all()
    c.equal('375 px: names in tables have room', [], c.js('''[...document.querySelectorAll('.name')].filter((cell) =>
        cell.getClientRects().length && cell.clientWidth < 110).map((cell) => cell.textContent)'''))
    c.equal('375 px: and the page does not scroll', 375, c.js('document.documentElement.scrollWidth'))
    c.browser.size(1400, 900)
    c.js('scrollTo(0, 0)')
    c.open('page', document.make_document())
    c.draw_all()


def check_print(c):
    path = c.folder + '/page.pdf'
    c.js('''(() => { window.cut = null; addEventListener('beforeprint', () => { requestAnimationFrame(() => {}); });
        matchMedia('print').addEventListener('change', ({ matches }) => { if (matches) window.cut =
            [...document.querySelectorAll('canvas')].filter((canvas) => canvas.getBoundingClientRect().right >
                canvas.closest('.card').getBoundingClientRect().right + 1).length; }); })()''')
    c.browser.print_to(path)
    c.equal('print: no chart is cut', 0, c.js('window.cut'))
    text = subprocess.run(['pdftotext', '-layout', path, '-'], capture_output=True, text=True, check=True).stdout
    titles = c.js("[...document.querySelectorAll('section h2')].map((title) => title.textContent)")
    c.equal('print: all sections', [], [title for title in titles if title not in text])
    c.true('print: definitions and commands', 'Call paths: each function' in text and 'trace-ilp program.trace' in text)
    c.true('print: the call tree', 'work' in text)
    check_bars(c, 'after printing: instruction mix', '#mix', [40.0, 30.0, 20.0, 9.6, 0.4])


def check_safety(c):
    b = c.browser
    c.equal('no messages of the console', [], b.messages())
    c.equal('no requests', [], c.js("performance.getEntriesByType('resource').map((entry) => entry.name)"))
    c.equal('hostile names are text', [0, None, document.make_document()['summary']], c.js(
        "[document.querySelectorAll('img, main script').length, window.hostile, document.querySelector('.summary').textContent]"))
    c.js('''(() => { const script = document.createElement('script'); script.textContent = 'window.hostile = 3';
        document.body.append(script); script.remove(); document.body.insertAdjacentHTML('beforeend',
        '<img id="probe" src="https://example.invalid/x.png" onerror="window.hostile=4"><p style="color: red">'); })()''')
    c.equal('the policy stops other scripts', None, c.js('window.hostile'))
    c.true('the policy stops the network, handlers and styles', sum('Content Security Policy' in m for m in b.messages()) >= 3)


def check_one_section(c):
    contents = document.make_document()
    c.open('locality', dict(contents, sections=['locality'], compare=None, results=dict(slo=contents['results']['slo'])))
    c.equal('one section: the page has no others', ['locality'], c.js(
        "[...document.querySelectorAll('section')].map((section) => section.id)"))
    c.draw_all()
    c.equal('one section: no messages of the console', [], c.browser.messages())


def check_band(c):
    contents, n = document.make_document(), 300
    contents['results']['phases'] = dict(interval_size=125, intervals=n, labels=[0] * n, colour=[[0.2, 0.5, 0.5]] * n,
                                         projection=[[0, 0]] * n, points=[])
    c.open('band', contents)
    c.draw_all()
    c.equal('phases: no paper is seen between many intervals', [255, 255], c.js('''['.pictures', '#phases'].map((part) => {
        const { canvas, chartArea, ctx } = [...document.querySelectorAll(part + ' canvas')].map((one) => Chart.getChart(one))
            .find((one) => one.data.datasets[0].label === 'phase');
        const [bar] = Chart.getChart(canvas).getDatasetMeta(0).data, ratio = canvas.width / canvas.clientWidth;
        const { data } = ctx.getImageData(Math.ceil(chartArea.left + 2) * ratio, Math.round(ratio * (bar.y + bar.base) / 2),
            Math.floor(chartArea.width - 6) * ratio, 1);
        return Math.min(...data.filter((_, i) => i % 4 === 3)); })'''))


def check_empty(c):
    c.open('empty', dict(tracelab_report=1))
    c.equal('empty: no messages of the console', [], c.browser.messages())
    c.equal('empty: each section says so', [], c.js('''[...document.querySelectorAll('section')].filter((section) =>
        !section.querySelector('.empty') && !['recorded', 'exactness'].includes(section.id)).map((s) => s.id)'''))
    c.true('empty: and how to get the result', "document.querySelector('#heap .command').textContent.includes('trace-record')")
    c.open('failed', dict(tracelab_report=1, failed={'mix': 'trace-mix: no memory ' + document.HOSTILE},
                          unsuitable={'stackdist': 'The trace has no addresses.'}))
    c.equal('failed: the reasons are there', ['trace-mix: no memory ' + document.HOSTILE, 'The trace has no addresses.'],
            c.js("['#mix', '#curve'].map((part) => document.querySelector(part + ' .empty p').textContent)"))
    c.equal('failed: no messages of the console', [], c.browser.messages())
    c.open('left_out', dict(tracelab_report=1, left_out=['mix', 'symbols', 'stackdist', 'reg'], compare=document.compare()))
    c.equal('left out: no word about the trace', ['Not computed: --only or --without left this part out.'], c.js('''[...new Set(['#mix', '#curve',
        '#mica'].map((part) => document.querySelector(part + ' .empty p').textContent))]'''))
    c.equal('left out: the files of compared traces', ['a.trace: program', 'b.trace: ' + document.HOSTILE], c.js(
        "[...document.querySelectorAll('#compare .facts dd')].slice(0, 2).map((e) => e.textContent)"))
    c.true('left out: all names of sections have room', '''(({ scrollWidth, clientWidth }) =>
        scrollWidth <= clientWidth)(document.getElementById('nav'))''')
    check_scarce(c)


def check_scarce(c):
    """Results that are there but have too few numbers for a picture."""
    contents = document.make_document()
    for axis in contents['reference']['axes']:
        axis['value'] = None
    results = dict(ilp={'ipc_32': None, 'cycles_32': 0}, phases=dict(intervals=1, interval_size=9, labels=[0],
                   projection=[[0, 0]], points=[dict(interval=0, weight=1)]))
    trace = dict(file='vectors.trace', instructions=0, loads=0, stores=0, vector_instructions=352127)
    c.open('scarce', dict(contents, compare=None, results=results, traces=[trace], unsuitable=dict(ilp=None, reg='Only vectors.')))
    c.draw_all()
    c.equal('scarce: no messages of the console', [], c.browser.messages())
    c.equal('scarce: no picture without numbers', [], c.js("[...document.querySelectorAll('section figure h3')].map((h) => h.textContent)"))
    c.equal('scarce: the reason that characteristics are missing', 'Only vectors.',
            c.js("document.querySelector('#mica .empty p').textContent"))
    c.equal('scarce: instructions of vectors are counted, and accesses are not', [['Instructions'], ['352 k']], c.js(
        '''['dt', 'dd'].map((part) => [...document.querySelectorAll('.key-facts ' + part)].slice(0, -1).map((e) =>
            e.textContent.replace(/\\u202f/g, ' ')))'''))


def check_largest(c):
    """A browser lays out the elements before it shows the first picture, so their number bounds the time to open a page."""
    elements = "document.getElementsByTagName('*').length"
    c.open('largest', document.make_largest())
    c.true('the largest page: at most 8,000 elements', elements + ' <= 8000')
    c.true('the largest page: the lines of a file are there when it comes into sight', """(() => {
        document.querySelectorAll('.pane')[9].scrollIntoView(); return true; })()""")
    c.browser.settle()
    c.browser.settle()
    c.equal('the largest page: of this file, and not of the others', [0, 3000], c.js(
        "[0, 9].map((i) => document.querySelectorAll('.pane')[i].querySelectorAll('th[scope=row]').length)"))


def check_report(c, path):
    c.load('report', path)
    # A browser reads the bytes and lays out the elements before it shows the first picture. Neither number grows
    # with the length of a trace.
    c.true('report: at most 3 MB', os.path.getsize(path) <= 3_000_000)
    c.true('report: at most 5,000 elements', "document.getElementsByTagName('*').length <= 5000")
    c.draw_all()
    c.equal('report: no messages of the console', [], c.browser.messages())
    c.equal('report: has the pictures of a whole trace', [], c.js('''['#mix canvas', '#functions canvas', '#curve canvas',
        '#ilp canvas', '#ppm canvas', '#latency canvas', '.frame[aria-level="3"]'].filter((part) =>
        !document.querySelector(part))'''))
    c.true('report: a number is the same in a sentence and in a table', '''[...document.querySelectorAll('#recorded dt')]
        .some((dt) => dt.textContent === 'Instructions' && document.querySelector('.summary').textContent
            .includes(' ' + dt.nextSibling.textContent + ' instructions'))''')
    c.near('report: the instruction mix is that of the data', [100.0], c.js('''[JSON.parse(document.getElementById('data')
        .textContent).results.mix.classes.reduce((sum, one) => sum + one.share_percent, 0)]'''), 0.01)


def main(folder, template, report):
    browser = Browser(folder)
    try:
        c = Checks(browser, folder, template)
        c.open('page', document.make_document())
        check_drawing(c)
        for check in (check_pictures, check_compare, check_locality, check_flame, check_search, check_names, check_characters, check_tables, check_keyboard, check_modes, check_widths, check_first_screen,
                      check_print, check_safety, check_one_section, check_band, check_empty, suite_checks.check_suite, check_largest):
            check(c)
        check_report(c, report)
    finally:
        browser.quit()


main(*sys.argv[1:])
