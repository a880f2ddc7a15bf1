# SPDX-License-Identifier: MIT
#
# Makes a manual from a page of this folder, NAME.1.in, and the command's own table of options:
#
#	trace-NAME --help=table | awk -f page.awk - shared.options trace-NAME.1.in
#
# `.Option NAME...` becomes the head of an item of the list: the names and the arguments of these
# options. `.Shared NAME...` becomes the items of these options with texts from shared.options, and
# `.Shared` the items of all further options of that file. The program fails if an option has no text,
# or a text no option.

BEGIN { FS = "\t" }

FNR == 1 { file++ }

file == 1 {
	letter[$2] = $1
	argument[$2] = $3
	if (!$4)
		listed[++n_listed] = $2
	next
}

file == 2 {
	if (/^\.Option /)
		current = substr($0, 9)
	else if (current)
		shared[current] = shared[current] $0 "\n"
	next
}

/^\.Option / {
	print ".It " heads(substr($0, 9))
	next
}

/^\.Shared / {
	count = split(substr($0, 9), names, " ")
	for (i = 1; i <= count; i++)
		put_shared(names[i])
	next
}

/^\.Shared$/ {
	for (i = 1; i <= n_listed; i++)
		if (!described[listed[i]] && listed[i] in shared)
			put_shared(listed[i])
	next
}

{ print }

END {
	for (i = 1; i <= n_listed; i++)
		if (!described[listed[i]])
			fault("option --" listed[i] " has no text")
	exit n_faults > 0
}

function fault(text) {
	print FILENAME ": " text >"/dev/stderr"
	n_faults++
}

function put_shared(name) {
	if (!(name in shared))
		fault("shared.options has no option --" name)
	printf "%s", ".It " heads(name) "\n" shared[name]
}

# Returns the heads of options, "-o, --output=file".
function heads(names,    name, count, i, all) {
	count = split(names, name, " ")
	for (i = 1; i <= count; i++) {
		if (!(name[i] in argument))
			fault("the command has no option --" name[i])
		if (described[name[i]]++)
			fault("option --" name[i] " has two texts")
		all = all (i > 1 ? " , " : "") (letter[name[i]] ? "Fl " letter[name[i]] " , " : "") \
			"Fl -" name[i] value(argument[name[i]])
	}
	return all
}

# Returns the value of an option behind its name: "N", "this|that", "[=X]" or none.
function value(text) {
	if (!text)
		return ""
	if (text ~ /^\[=/)
		return " Ns Oo = Ns" words(substr(text, 3, length(text) - 3)) " Oc"
	return " Ns = Ns" words(text)
}

# Returns the words of an argument: those in capitals name a value, others are meant literally.
function words(text,    all, word) {
	while (text) {
		if (!match(text, /^[A-Za-z0-9.+-]+/))
			match(text, /^./)
		word = substr(text, 1, RLENGTH)
		text = substr(text, RLENGTH + 1)
		all = all (all ? " Ns" : "") macro(word)
	}
	return all
}

function macro(word) {
	if (word !~ /[A-Za-z0-9]/)
		return " " word
	return word ~ /[a-z0-9]/ ? " Cm " word : " Ar " tolower(word)
}
