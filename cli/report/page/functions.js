/* Hot functions and lines: where the executed instructions are. */

const HOT_DEFINITION = 'Instructions that a function itself executed, without the functions that it ' +
	'calls, as shares of all executed instructions.';
const HOT = 10;

/* Returns the rows of functions: those of trace-mix, or else those of trace-calls. */
function hot_functions(report) {
	const mix = result(report, 'mix').data || {}, calls = result(report, 'calls').data || {};

	if (has_rows(mix.symbols))
		return mix.symbols.map((row) => ({ ...row, name: row.symbol }));
	return (calls.functions || []).map((row) => ({ ...row, name: row.function,
		instructions: row.exclusive_instructions, loads: row.exclusive_loads,
		stores: row.exclusive_stores,
		share_percent: 100 * row.exclusive_instructions / calls.instructions }));
}

/* Returns the name of a row's bar: each module has instructions of which no name is known. */
function bar_name(name, row) {
	return name === '[unknown]' && row.module ? name + ' in ' + row.module : name;
}

function functions_figure(report, more) {
	const rows = hot_functions(report);
	const found = result(report, (result(report, 'mix').data || {}).symbols ? 'symbols' : 'calls');
	const top = rows.slice(0, HOT);

	if (!has_rows(rows))
		return empty('Hot functions', found.reason || 'The report has no functions.',
			'trace-mix --by=symbol TRACE');
	return figure({
		title: 'Hot functions',
		definition: HOT_DEFINITION,
		command: found.command,
		exactness: found.exactness,
		draw: (plot) => draw_bars(plot, 'Hot functions. ' + top.slice(0, 3).map((row) =>
			row.name + ' ' + percent(row.share_percent)).join(', ') + '.', {
			names: top.map((row) => bar_name(row.name, row)),
			values: top.map((row) => row.share_percent),
			format: percent,
			tip: (i) => count(top[i].instructions) + ' instructions, ' + top[i].module,
		}),
		table: () => table('Hot functions', [
			{ key: 'name', title: 'Function' },
			{ key: 'module', title: 'Module' },
			{ key: 'instructions', title: 'Instructions', format: count },
			{ key: 'share_percent', title: 'Share', format: percent },
			{ key: 'loads', title: 'Loads', format: count },
			{ key: 'stores', title: 'Stores', format: count },
		], rows),
		...more,
	});
}

function lines_figure(report) {
	const { lines } = result(report, 'mix').data || {};
	const found = result(report, 'lines');
	const named = (lines || []).map((row) => ({ ...row,
		name: row.line && !String(row.line).includes(':') && row.file ?
			row.file + ':' + row.line : row.line || row.source || row.name }));
	const top = named.slice(0, HOT);

	if (!has_rows(lines))
		return empty('Hot lines', found.reason || 'No source lines are known: the recorded files have no ' +
			'debug information, or are not on this computer.',
		'cc -g …; trace-record …; trace-mix --by=line TRACE');
	return figure({
		title: 'Hot lines',
		definition: 'Instructions of a source line, as shares of all executed instructions.',
		command: found.command,
		exactness: found.exactness,
		draw: (plot) => draw_bars(plot, 'Hot source lines. ' + top.slice(0, 3).map((row) =>
			row.name + ' ' + percent(row.share_percent)).join(', ') + '.', {
			names: top.map((row) => bar_name(base_name(String(row.name)), row)),
			values: top.map((row) => row.share_percent),
			format: percent,
			tip: (i) => count(top[i].instructions) + ' instructions',
		}),
		table: () => table('Hot lines', [
			{ key: 'name', title: 'Line' },
			{ key: 'module', title: 'Module' },
			{ key: 'instructions', title: 'Instructions', format: count },
			{ key: 'share_percent', title: 'Share', format: percent },
		], named),
	});
}

function functions_section(report) {
	return section('functions', 'Hot functions and lines', null,
		node('div', { class: 'columns' }, functions_figure(report), lines_figure(report)));
}
