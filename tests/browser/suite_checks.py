"""Checks of the page of a suite of traces, which trace-analyze writes."""
import document

NAMES = ['gcc', 'mcf', 'lbm', 'x264']
PLACES = [(-3.0, 1.0), (-2.5, 1.5), (4.0, -2.0), (1.5, -0.5)]
CLUSTERS = [0, 0, 1, 1]
DISTANCES = [[0, 1, 8, 5], [1, 0, 7, 4], [8, 7, 0, 3], [5, 4, 3, 0]]


def make_suite():
    return dict(
        traces_in_suite=5, traces_in_statistics=4, characteristics_used=2, components_kept=2, clusters_chosen=2,
        traces=[dict(trace=name, path=document.HOSTILE, instructions=1, bytes=1, in_statistics=1) for name in NAMES],
        metrics=[dict(trace=name, ilp_ipc_32=i + 0.5, cache_l3_misses=None) for i, name in enumerate(NAMES)],
        units=dict(metrics=dict(ilp_ipc_32='instructions/cycle')),
        components=[dict(component='pc1', variance=1.2, share=60, sum_of_shares=60, kept=1),
                    dict(component='pc2', variance=0.8, share=40, sum_of_shares=100, kept=1)],
        characteristics=[dict(characteristic='ilp_ipc_32', mean=2, standard_deviation=1, pc1=0.6, pc2=-0.8),
                         dict(characteristic='ppm_gag_4', mean=3, standard_deviation=1, pc1=0.8, pc2=0.6)],
        coordinates=[dict(trace=name, pc1=x, pc2=y) for name, (x, y) in zip(NAMES, PLACES)],
        distances=[dict(zip(['trace'] + NAMES, [name] + row)) for name, row in zip(NAMES, DISTANCES)],
        leaves=[dict(leaf=i, trace=NAMES[i]) for i in (2, 3, 0, 1)],
        merges=[dict(first=0, second=1, distance=1, traces=2), dict(first=2, second=3, distance=3, traces=2),
                dict(first=4, second=5, distance=6, traces=4)],
        numbers_of_clusters=[dict(clusters=1, bic=-9, mean_square=5, chosen=0),
                             dict(clusters=2, bic=-4, mean_square=1, chosen=1)],
        clusters=[dict(trace=name, cluster=k, distance_to_centre=0.5, representative=int(name in ('gcc', 'lbm')))
                  for name, k in zip(NAMES, CLUSTERS)],
        pages=['mcf'])


def check_suite(c):
    c.open('suite', dict(tracelab_report=1, suite=make_suite()))
    c.draw_all()
    c.equal('suite: sections', ['map', 'tree', 'clusters', 'components', 'distances', 'metrics'],
            c.js("[...document.querySelectorAll('section')].map((section) => section.id.replace('suite-', ''))"))
    c.equal('suite: no section is empty', None, c.js("document.querySelector('section .empty')"))
    c.near('suite: places of the traces', [v for xy in PLACES for v in xy], c.js('''[0, 1].flatMap((set) =>
        points('#suite-map', 0, set)).flatMap((point) => [chart('#suite-map').scales.x.getValueForPixel(point.x),
        chart('#suite-map').scales.y.getValueForPixel(point.y)])'''), 0.05)
    c.equal('suite: representatives are larger', [[8, 5], [8, 5]], c.js(
        "[0, 1].map((set) => points('#suite-map', 0, set).map((point) => point.options.radius))"))
    c.equal('suite: leaves', ['lbm', 'x264', 'gcc', 'mcf'],
            c.js('''[...document.querySelectorAll('#suite-tree .leaf')].sort(
        (a, b) => a.getAttribute('y') - b.getAttribute('y')).map((leaf) => leaf.textContent)'''))
    c.equal('suite: a link to a page that exists', ['./mcf/report.html'],
            c.js("[...document.querySelectorAll('#suite-tree a')].map((link) => link.getAttribute('href'))"))
    # Distances of the joins, from the places where their vertical lines are: 6 is the leftmost.
    c.near('suite: joins', [1, 3, 6], c.js('''(() => { const at = [...document.querySelectorAll('#suite-tree .branch')].map((branch) =>
        +/H([0-9.]+)V/.exec(branch.getAttribute('d'))[1]); const right = 770, left = Math.min(...at);
        return at.map((x) => 6 * (right - x) / (right - left)); })()'''), 1e-6)
    c.equal('suite: branches of one cluster have its colour', ['1', '2', None],
            c.js("[...document.querySelectorAll('#suite-tree .branch')].map((branch) => branch.dataset.series || null)"))
    c.near('suite: darkness of distances', [1, 1 - 3 / 8, 0, 1 - 7 / 8], c.js('''[...document.querySelectorAll(
        '#suite-distances .cell')].slice(0, 4).map((cell) => +cell.getAttribute('fill-opacity'))'''), 1e-9)
    c.equal('suite: coefficients, the greatest first', [[0.8, 0.6]],
            c.js("[chart('#suite-components').data.datasets[0].data]"))
    c.choose('suite-component', 'pc2')
    c.draw_all()
    c.equal('suite: of another component', [[-0.8, 0.6]], c.js("[chart('#suite-components').data.datasets[0].data]"))
    c.equal('suite: units', ['Trace', 'ilp_ipc_32 [instructions/cycle]', 'cache_l3_misses'],
            c.js("[...document.querySelectorAll('#suite-metrics thead th')].map((head) => head.textContent)"))
    c.equal('suite: no messages of the console', [], c.browser.messages())
    c.open('suite', dict(tracelab_report=1, suite=dict(make_suite(), traces_in_statistics=0)))
    c.equal('suite: without statistics', 5, c.js("document.querySelectorAll('section .empty').length"))
    c.equal('suite: no messages then', [], c.browser.messages())
