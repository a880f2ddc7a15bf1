/*
 * The flame graph: call paths from top to bottom, as wide as their costs (B. Gregg, The Flame Graph,
 * CACM 59, 2016). The frames are elements of the page, so that search, screen readers and paper have
 * their names.
 */

const FLAME_DEFINITION = 'Call paths: each function stands below its caller. The width is the ' +
	'inclusive cost, of the function and of everything that it calls. The order from left to ' +
	'right is by cost, not by time. Colours are modules.';
const FLAME_COSTS = [['instructions', 'Instructions'], ['loads', 'Loads'], ['stores', 'Stores'],
	['branches', 'Branches'], ['bytes_loaded', 'Bytes loaded'], ['bytes_stored', 'Bytes stored']];
const MODULE_COLOURS = 6;	/* the last one is that of all other modules */
const LEAST_WIDTH = 0.0004;	/* of the picture: narrower frames are not drawn */

class Flame {
	/* name(thread): the name of a thread of the calls. */
	constructor(plot, calls, command, name) {
		this.calls = calls;
		this.command = command || 'all';
		this.thread_name = name;
		this.cost = 'instructions';
		this.thread = 'all';
		this.words = '';
		this.plot = plot;
		this.frames = node('div', { class: 'frames', role: 'tree', tabindex: 0,
			'aria-label': 'Flame graph. Arrow keys move between callers and callees, ' +
				'Enter zooms, Escape shows everything.',
			onkeydown: (event) => this.key(event) });
		this.status = node('p', { class: 'flame-status', 'aria-live': 'polite' });
		this.legend = node('p', { class: 'modules' });
		plot.append(this.legend, this.frames, this.status);
		this.load();
	}

	/* Takes the paths of the chosen thread and cost. */
	load() {
		const chosen = this.thread !== 'all' &&
			this.calls.threads.find((one) => String(one.thread) === this.thread);
		const paths = chosen ? chosen.call_paths : this.calls.call_paths;

		this.root = call_tree(paths, this.cost, chosen ? this.thread_name(chosen.thread) :
			this.command, chosen ? 0 : this.calls[this.cost]);
		this.zoomed = this.selected = this.root;
		this.modules = modules_by_cost(this.root);
		this.legend.replaceChildren(...module_names(this.modules).map((name, i) =>
			node('span', { class: 'module', 'data-module': String(i) }, name)));
		this.show();
	}

	/* Lays out everything below the zoomed node, and its callers above it. */
	show() {
		const { zoomed } = this, scale = zoomed.inclusive || 1;
		let depth = 0;

		this.elements = new Map();
		for (const caller of callers(zoomed))
			this.add(caller, 0, 1);
		each_below(zoomed, (one) => {
			const width = one.inclusive / scale;

			if (width >= LEAST_WIDTH) {
				this.add(one, (one.from - zoomed.from) / scale, width);
				depth = Math.max(depth, one.depth);
			}
		});
		this.frames.replaceChildren(...this.elements.values());
		this.frames.style.setProperty('height', (depth + 1) * 21 + 'px');
		this.select(this.selected, false);
		this.mark();
	}

	add(one, from, width) {
		const element = node('div', { class: 'frame', role: 'treeitem', id: new_id('frame'),
			'aria-level': one.depth + 1, title: this.describe(one),
			'aria-label': this.describe(one),
			onclick: () => this.zoom(one),
			onmouseenter: () => this.tell(one) },
		width > 0.012 ? brief_text(one.name) : '');

		element.dataset.module = Math.min(this.modules.indexOf(one.module), MODULE_COLOURS - 1);
		element.style.setProperty('left', 100 * from + '%');
		element.style.setProperty('width', 100 * width + '%');
		element.style.setProperty('top', one.depth * 21 + 'px');
		if (one.depth < this.zoomed.depth)
			element.classList.add('outer');
		this.elements.set(one, element);
	}

	describe(one) {
		const share = 100 * one.inclusive / (this.root.inclusive || 1);

		return one.name + (one.module ? ' (' + one.module + ')' : '') + ': ' +
			percent(share) + ', ' + short_count(one.inclusive) + ' ' +
			this.cost.replace('_', ' ') + ', ' + short_count(one.exclusive) +
			' of its own, ' + short_count(one.calls) + ' ' +
			plural(one.calls, 'call', 'calls');
	}

	tell(one) {
		this.status.textContent = brief_text(this.describe(one));
	}

	zoom(one) {
		this.zoomed = this.selected = one;
		this.show();
	}

	select(one, scrolls = true) {
		const old = this.elements.get(this.selected), element = this.elements.get(one);

		if (old)
			old.classList.remove('selected');
		if (!element)
			return;
		this.selected = one;
		element.classList.add('selected');
		this.frames.setAttribute('aria-activedescendant', element.id);
		this.tell(one);
		if (scrolls)
			element.scrollIntoView({ block: 'nearest' });
	}

	key(event) {
		const { selected } = this, { caller } = selected;
		const row = caller ? caller.callees : [selected], at = row.indexOf(selected);
		const to = { ArrowDown: selected.callees[0], ArrowUp: caller,
			ArrowRight: row[at + 1], ArrowLeft: row[at - 1], Home: this.root }[event.key];

		if (event.key === 'Enter' || event.key === ' ')
			this.zoom(selected);
		else if (event.key === 'Escape')
			this.zoom(this.root);
		else if (to && this.elements.has(to))
			this.select(to);
		else if (!/^(Arrow|Home)/.test(event.key))
			return;
		event.preventDefault();
	}

	/* Marks the functions whose names have the searched text. */
	search(words) {
		this.words = words.toLowerCase();
		this.mark();
	}

	mark() {
		const matches = (one) => this.words !== '' && one.caller !== null &&
			one.name.toLowerCase().includes(this.words);

		this.frames.classList.toggle('searched', this.words !== '');
		for (const [one, element] of this.elements)
			element.classList.toggle('match', matches(one));
		if (this.words)
			this.status.textContent = '“' + this.words + '”: ' +
				percent(100 * matched_cost(this.root, matches) / this.root.inclusive) +
				' of the ' + this.cost.replace('_', ' ');
	}
}

/* Returns the names of modules, the one with most exclusive cost first. */
function modules_by_cost(root) {
	const costs = new Map();

	each_below(root, (one) => costs.set(one.module,
		(costs.get(one.module) || 0) + one.exclusive));
	costs.delete('');
	return [...costs.keys()].sort((a, b) => costs.get(b) - costs.get(a));
}

/* Returns the names of the colours. */
function module_names(modules) {
	return modules.length <= MODULE_COLOURS ? modules :
		[...modules.slice(0, MODULE_COLOURS - 1), 'other modules'];
}

/* Returns the command of the chosen thread; for all threads, how many of these can be chosen. */
function thread_note(calls, trace, warning, thread) {
	const chosen = calls.threads.find((one) => String(one.thread) === thread);

	if (chosen)
		return shortened(thread_command(trace, chosen.thread) || '', 160);
	return trace.threads > calls.threads.length ? calls.threads.length + ' of ' +
		count(trace.threads) + ' threads can be chosen. ' + warning : '';
}

function flame_controls(state, calls, trace, warning) {
	const note = has_rows(calls.threads) &&
		node('span', { id: 'flame-note' }, thread_note(calls, trace, warning));
	const controls = [choice('Width:', FLAME_COSTS.filter(([key]) => is_number(calls[key])),
		(value) => {
			state.flame.cost = value;
			state.flame.load();
		}, { id: 'flame-cost' })];

	if (has_rows(calls.threads))
		controls.push(choice('Thread:', [['all', 'All'], ...thread_choices(trace, calls.threads)],
			(value) => {
				state.flame.thread = value;
				state.flame.load();
				note.textContent = thread_note(calls, trace, warning, value);
			}, { id: 'flame-thread' }));
	controls.push(button('Show everything', () => state.flame.zoom(state.flame.root),
		{ id: 'flame-reset' }));
	return [...controls, note];
}

function flame_section(report, state) {
	const found = result(report, 'calls'), trace = report.traces[0] || {};

	return section('flame', 'Call tree', null, contents('Flame graph', found,
		(calls) => has_rows(calls.call_paths), 'The report has no call paths.',
		'trace-calls TRACE', ({ data }) => figure({
			title: 'Flame graph',
			definition: FLAME_DEFINITION,
			command: found.command,
			exactness: found.exactness,
			height: 'free',
			keeps_clicks: true,
			controls: flame_controls(state, data, trace,
				warning_of(report, 'calls_by_thread')),
			draw: (plot) => {
				state.flame = new Flame(plot, data, (trace.command || '').split(' ')[0],
					(thread) => thread_name(trace, thread));
			},
			table: () => table('Call paths', [
				{ key: 'function', title: 'Function' },
				{ key: 'module', title: 'Module' },
				{ key: 'depth', title: 'Depth', format: count },
				{ key: 'calls', title: 'Calls', format: count },
				{ key: 'inclusive_instructions', title: 'Inclusive instructions',
					format: count },
				{ key: 'exclusive_instructions', title: 'Exclusive instructions',
					format: count },
			], data.call_paths),
		})));
}
