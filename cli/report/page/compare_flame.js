/*
 * The differential flame graph: the call paths of two traces, as wide as in one of them, and colored
 * by what a function itself costs more or less in the second one (B. Gregg, Differential Flame Graphs,
 * 2014).
 */

const COMPARED_FLAME_DEFINITION = 'Call paths of both traces: each function stands below its caller. The ' +
	'width is the inclusive cost in one of the traces. Orange: the function itself costs more in ' +
	'the second trace; blue: less; grey: the same. A path that only one of the traces has is ' +
	'only in the picture of that trace.';

class ComparedFlame extends Flame {
	load() {
		const cost = this.calls.chosen.cost + '_' + this.calls.chosen.side;

		this.cost = this.calls.chosen.cost;
		this.root = call_tree(this.calls.call_paths, cost, this.command, 0);
		this.zoomed = this.selected = this.root;
		this.modules = [];
		this.most = Math.max(...this.calls.call_paths.map((row) => Math.abs(this.change(row))));
		this.show();
	}

	/* Returns what the function of a path itself costs more in the second trace. */
	change(row) {
		return (row['exclusive_' + this.cost + '_b'] || 0) - (row['exclusive_' + this.cost + '_a'] || 0);
	}

	add(one, from, width) {
		const change = one.row ? this.change(one.row) : 0;

		super.add(one, from, width);
		const element = this.elements.get(one);

		element.dataset.change = change > 0 ? 'more' : change < 0 ? 'less' : 'none';
		element.style.setProperty('--share', this.most ?
			(60 * Math.sqrt(Math.abs(change) / this.most)).toFixed(1) + '%' : '0%');
	}

	describe(one) {
		const { row } = one, value = (key, side) => row[key + '_' + this.cost + '_' + side] || 0;

		if (!row)
			return one.name + ': ' + short_count(one.inclusive) + ' ' + named_change(this.cost);
		return one.name + ' (' + one.module + '): ' + short_count(value('inclusive', 'a')) + ', then ' +
			short_count(value('inclusive', 'b')) + ' ' + named_change(this.cost) + '; of its own ' +
			signed(this.change(row), short_count);
	}
}

function compared_flame_figure(report) {
	const { compare } = report, rows = compare.call_paths || [];
	const costs = COMPARED_COSTS.filter(([key]) => rows.some((row) =>
		is_number(row['inclusive_' + key + '_b'])));
	const calls = { call_paths: rows, chosen: { side: 'b', cost: costs.length && costs[0][0] } };
	let flame;
	const control = (label, key, options) => choice(label, options, (value) => {
		calls.chosen[key] = value;
		flame.load();
	}, { id: 'compared-paths-' + key });

	return costs.length > 0 && figure({
		title: 'Call paths that changed',
		definition: COMPARED_FLAME_DEFINITION,
		command: report.commands.compare,
		exactness: 'exact',
		height: 'free',
		keeps_clicks: true,
		controls: [control('Width:', 'side', [['b', 'second trace'], ['a', 'first trace']]),
			control('Cost:', 'cost', costs),
			button('Show everything', () => flame.zoom(flame.root), { id: 'compared-paths-reset' })],
		draw: (plot) => {
			flame = new ComparedFlame(plot, calls, 'all');
		},
		table: () => table('Call paths', [
			{ key: 'function', title: 'Function' },
			{ key: 'module', title: 'Module' },
			{ key: 'depth', title: 'Depth', format: count },
			...costs.slice(0, 1).flatMap(([key, name]) => ['inclusive', 'exclusive'].flatMap((kind) => [
				{ key: kind + '_' + key + '_a', title: capital(kind) + ' ' + name.toLowerCase() +
					', first', format: count },
				{ key: kind + '_' + key + '_b', title: 'Second', format: count }])),
		], rows),
	});
}
