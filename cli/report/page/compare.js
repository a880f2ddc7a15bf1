/* The comparison of two traces: what the second one does more often, or less often. */

const TOTALS_DEFINITION = 'The change of each total from the first trace to the second one, as a share of ' +
	'the first.';
const CHANGES_DEFINITION = 'Instructions that a function itself executed in the second trace, less those ' +
	'in the first. Functions are matched by name and module, then by code.';

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
			row.metric + ' ' + signed(row.change_percent, percent)).join(', ') + '.', {
			names: rows.map((row) => row.metric),
			values: rows.map((row) => row.change_percent),
			format: (value) => signed(value, percent),
		}),
		table: () => totals_table(compare),
	});
}

function changed_functions(compare) {
	return (compare.functions || []).map((row) => ({ ...row,
		name: row.function_a || row.function_b, module: row.module_a || row.module_b }))
		.filter((row) => is_number(row.instructions_change));
}

function changes_figure(report) {
	const rows = changed_functions(report.compare), top = rows.slice(0, HOT);

	return has_rows(rows) && figure({
		title: 'Changed functions',
		definition: CHANGES_DEFINITION,
		command: report.commands.compare,
		exactness: 'exact',
		draw: (plot) => draw_changes(plot, 'Functions that changed most. ' + top.slice(0, 3).map(
			(row) => row.name + ' ' + signed(row.instructions_change, short_count)).join(', ') +
			'.', {
			names: top.map((row) => row.name),
			values: top.map((row) => row.instructions_change),
			format: (value) => signed(value, short_count),
		}),
		table: () => table('Changed functions', [
			{ key: 'name', title: 'Function' },
			{ key: 'module', title: 'Module' },
			{ key: 'matched_by', title: 'Matched by' },
			{ key: 'instructions_a', title: 'Instructions, first', format: count },
			{ key: 'instructions_b', title: 'Second', format: count },
			{ key: 'instructions_change', title: 'Change',
				format: (value) => signed(value, count) },
		], rows),
	});
}

function compare_section(report) {
	const { compare } = report;

	return section('compare', 'Comparison of two traces', is_number(compare.phase_distance_percent) ?
		'The basic block vectors of the two differ by ' +
			percent(compare.phase_distance_percent) + ' over time.' : null,
	node('div', { class: 'card' }, facts([['First', compare.a_command || compare.a],
		['Second', compare.b_command || compare.b]])),
	node('div', { class: 'columns' },
		has_rows(compare.totals) && totals_figure(report), changes_figure(report),
		has_rows(compare.advice) && node('div', { class: 'card' }, node('h3', {}, 'Locality advice'),
			table('Locality advice', [
				{ key: 'advice', title: 'Advice' },
				{ key: 'state', title: 'In' },
				{ key: 'lost_cycles_a', title: 'Lost cycles, first', format: count },
				{ key: 'lost_cycles_b', title: 'Second', format: count },
			], compare.advice))));
}
