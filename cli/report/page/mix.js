/* The instruction mix: executed instructions by class. */

const MIX_DEFINITION = 'Executed instructions by class, as shares of all of them. A move copies ' +
	'between registers or memory; a branch is conditional; int-arithmetic has additions, ' +
	'comparisons and addresses (lea).';

function mix_figure(report, more) {
	const found = result(report, 'mix');

	return contents('Instruction mix', found, (mix) => has_rows(mix.classes),
		'The report has no instruction mix.', 'trace-mix TRACE', ({ data }) => figure({
			title: 'Instruction mix',
			definition: MIX_DEFINITION,
			command: found.command,
			exactness: found.exactness,
			draw: (plot) => draw_mix(plot, data.classes),
			table: () => table('Instructions by class', [
				{ key: 'class', title: 'Class' },
				{ key: 'instructions', title: 'Instructions', format: count },
				{ key: 'share_percent', title: 'Share', format: percent },
			], data.classes),
			...more,
		}));
}

/* Classes below half a percent are one bar. */
function large_classes(classes) {
	const large = classes.filter((one) => one.share_percent >= 0.5).slice(0, 9);
	const rest = classes.filter((one) => !large.includes(one));
	const sum = (key) => rest.reduce((total, one) => total + one[key], 0);

	return rest.length ? large.concat({ class: 'other classes',
		instructions: sum('instructions'), share_percent: sum('share_percent') }) : large;
}

function draw_mix(plot, classes) {
	const rows = large_classes(classes);

	draw_bars(plot, 'Instruction mix. Most frequent: ' + rows.slice(0, 3).map((row) =>
		row.class + ' ' + percent(row.share_percent)).join(', ') + '.', {
		names: rows.map((row) => row.class),
		values: rows.map((row) => row.share_percent),
		format: percent,
		tip: (i) => count(rows[i].instructions) + ' instructions',
	});
}

function mix_section(report) {
	const { data } = result(report, 'mix');
	const totals = data && [
		['Loads', count(data.loads)], ['Stores', count(data.stores)],
		['Bytes loaded', size(data.bytes_loaded)], ['Bytes stored', size(data.bytes_stored)],
		['Branches taken', count(data.branches_taken)],
		['Branches not taken', count(data.branches_not_taken)],
		['Calls', count(data.calls)], ['System calls', count(data.syscalls)]];

	return section('mix', 'Instruction mix', null, node('div', { class: 'columns' },
		mix_figure(report), totals && node('div', { class: 'card' },
			node('h3', {}, 'Totals'), facts(totals))));
}
