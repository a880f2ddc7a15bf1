/* The page: its sections, the search, and the choice of light or dark. */

const SECTIONS = [
	['compare', 'Comparison', compare_section],
	['recorded', 'Recorded', recorded_section], ['mix', 'Mix', mix_section],
	['functions', 'Functions', functions_section], ['flame', 'Call tree', flame_section],
	['phases', 'Phases', phases_section], ['curve', 'Misses', curve_section],
	['cache', 'Caches', cache_section], ['ilp', 'ILP', ilp_section],
	['ppm', 'Branches', ppm_section], ['mica', 'MICA', mica_section],
	['latency', 'Latencies', latency_section], ['locality', 'Locality', locality_section],
	['heap', 'Heap', heap_section], ['syscalls', 'Syscalls', syscalls_section],
	['exactness', 'Exactness', exactness_section],
];

/* Builds the sections of the report: all of them, or those that the document names. */
function build(report) {
	const state = { flame: null };
	const main = document.getElementById('main'), trace = report.traces[0];

	if (trace)
		document.title = (trace.command || trace.file) + ' – tracelab report';
	const sections = report.suite ? SUITE_SECTIONS : SECTIONS.filter(([id]) => id === 'compare' ? report.compare :
		!report.sections || report.sections.includes(id));

	document.getElementById('search').hidden = !!report.suite;
	main.replaceChildren(report.suite ? suite_title(report.suite) :
		report.sections ? title_of(report) : overview(report),
		...sections.map(([, , make]) => make(report, state)));
	document.getElementById('nav').append(...sections.map(([id, name]) =>
		node('a', { href: '#' + id }, name)));
	for (const element of main.querySelectorAll('figure'))
		element.start();
	search_by(document.getElementById('search'), state, main);
}

/* Searches functions: in the flame graph and in the tables of functions. */
function search_by(field, state, main) {
	field.addEventListener('input', () => {
		if (state.flame)
			state.flame.search(field.value);
	});
	field.addEventListener('keydown', (event) => {
		if (event.key === 'Enter')
			main.querySelector('#flame').scrollIntoView();
		if (event.key === 'Escape') {
			field.value = '';
			field.dispatchEvent(new Event('input'));
			field.blur();
		}
	});
	document.addEventListener('keydown', (event) => {
		const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);

		if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey) {
			event.preventDefault();
			field.focus();
			field.select();
		}
	});
}

function theme_by(switcher) {
	const show = () => switcher.setAttribute('aria-pressed', String(is_dark()));

	switcher.addEventListener('click', () => {
		document.documentElement.dataset.theme = is_dark() ? 'light' : 'dark';
		show();
		redraw_charts();
	});
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
		show();
		redraw_charts();
	});
	show();
}

set_defaults();
print_charts();
theme_by(document.getElementById('theme'));
build(complete(JSON.parse(document.getElementById('data').textContent)));
