/* The comparison of two traces: what the second one does more often, or less often. */

const TOTALS_DEFINITION = 'The change of each total from the first trace to the second one, as a share of ' +
	'the first.';
const CHANGES_DEFINITION = 'What a function itself costs in the second trace, less what it costs in the ' +
	'first. Functions are matched by name and module, then by code.';
const COMPARED_COSTS = [['instructions', 'Instructions'], ['cycles', 'Cycles of a model'],
	['misses_L1', 'Misses of L1'], ['misses_L2', 'Misses of L2'], ['misses_L3', 'Misses of L3'],
	['loads', 'Loads'], ['stores', 'Stores'], ['branches', 'Branches'], ['bytes', 'Bytes']];

/* Returns the name of a cost inside a sentence. */
function named_change(cost) {
	return COMPARED_COSTS.find(([key]) => key === cost)[1].replace(/^[A-Z]/, (letter) => letter.toLowerCase());
}

function signed(value, format) {
	return is_number(value) ? (value > 0 ? '+' : value < 0 ? '−' : '') + format(Math.abs(value)) :
		MISSING;
}

function totals_table(compare) {
	return table('Totals', [
		{ key: 'metric', title: 'Total' },
		{ key: 'a', title: 'First', format: count },
		{ key: 'b', title: 'Second', format: count },
		{ key: 'change', title: 'Change', format: (value) => signed(value, count) },
		{ key: 'change_percent', title: 'Change', format: (value) => signed(value, percent) },
	], compare.totals);
}

function totals_figure(report) {
	const { compare } = report;
	const rows = compare.totals.filter((row) => is_number(row.change_percent));

	return figure({
		title: 'Totals',
		definition: TOTALS_DEFINITION,
		command: report.commands.compare,
		exactness: 'exact',
		draw: (plot) => draw_changes(plot, 'Changes of totals. ' + rows.slice(0, 3).map((row) =>
			row.metric + ' ' + signed(row.change_percent, percent)).join(', ') + '.', () => ({
			names: rows.map((row) => row.metric),
			values: rows.map((row) => row.change_percent),
			format: (value) => signed(value, percent),
		})),
		table: () => totals_table(compare),
	});
}

/* Returns the functions with a name, and those costs that any of them has. */
function compared_functions(compare) {
	const rows = (compare.functions || []).map((row) => ({ ...row,
		name: row.function_a || row.function_b, module: row.module_a || row.module_b }));

	return { rows, costs: COMPARED_COSTS.filter(([key]) =>
		rows.some((row) => is_number(row[key + '_change']))) };
}

/* Returns the functions of which a cost changed most, the greatest change first. */
function most_changed(rows, cost) {
	const size_of = (row) => Math.abs(row[cost + '_change']);

	return rows.filter((row) => row[cost + '_change']).sort((a, b) => size_of(b) - size_of(a))
		.slice(0, HOT);
}

function changes_table({ rows, costs }) {
	return table('Changed functions', [
		{ key: 'name', title: 'Function' },
		{ key: 'module', title: 'Module' },
		{ key: 'matched_by', title: 'Matched by' },
		...costs.slice(0, 1).flatMap(([key, name]) => [
			{ key: key + '_a', title: name + ', first', format: count },
			{ key: key + '_b', title: 'Second', format: count }]),
		...costs.map(([key, name]) => ({ key: key + '_change', title: 'Change of ' +
			name.replace(/^[A-Z]/, (letter) => letter.toLowerCase()),
		format: (value) => signed(value, count) })),
	], rows);
}

function changes_figure(report) {
	const compared = compared_functions(report.compare);
	let cost = compared.costs.length && compared.costs[0][0], drawing;
	const top = () => most_changed(compared.rows, cost);

	return compared.costs.length > 0 && figure({
		title: 'Changed functions',
		definition: CHANGES_DEFINITION,
		command: report.commands.compare,
		exactness: 'exact',
		keeps_clicks: true,
		controls: [choice('Cost:', compared.costs, (value) => {
			cost = value;
			draw(drawing);
		}, { id: 'compared-cost' })],
		draw: (plot) => {
			drawing = draw_changes(plot, 'Functions that changed most. ' + top().slice(0, 3).map(
				(row) => row.name + ' ' + signed(row[cost + '_change'], short_count))
				.join(', ') + '.', () => ({
				names: top().map((row) => row.name),
				values: top().map((row) => row[cost + '_change']),
				format: (value) => signed(value, short_count),
			}));
		},
		table: () => changes_table(compared),
	});
}

/* Returns the file and the command of a trace: two versions of a program have the same command. */
function compared_trace(compare, which) {
	const command = compare[which + '_command'];

	return compare[which] + (command ? ': ' + command : '');
}

function compare_section(report) {
	const { compare } = report;

	return section('compare', 'Comparison of two traces', is_number(compare.phase_distance_percent) ?
		'The basic block vectors of the two differ by ' +
			percent(compare.phase_distance_percent) + ' over time.' : null,
	node('div', { class: 'card' }, facts([['First', compared_trace(compare, 'a')],
		['Second', compared_trace(compare, 'b')]])),
	node('div', { class: 'stack' }, node('div', { class: 'columns' },
		has_rows(compare.totals) && totals_figure(report), changes_figure(report),
		has_rows(compare.advice) && node('div', { class: 'card' }, node('h3', {}, 'Locality advice'),
			table('Locality advice', [
				{ key: 'advice', title: 'Advice' },
				{ key: 'state', title: 'In' },
				{ key: 'lost_cycles_a', title: 'Lost cycles, first', format: count },
				{ key: 'lost_cycles_b', title: 'Second', format: count },
			], compare.advice))),
	compared_flame_figure(report)));
}
