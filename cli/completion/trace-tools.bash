# SPDX-License-Identifier: MIT
# bash completion for all commands. Options and their values are those of the command's own table, so that
# analyzers of others are completed as well.

# Prints the options of a command, those that need a value with "=": "--format=".
_trace_options()
{
	"$1" --help=table 2>/dev/null | awk -F '\t' '$4 == "" {
		if ($1 != "") print "-" $1
		print "--" $2 ($3 ~ /^[^[]/ ? "=" : "")
	}'
}

_trace_analyzers()
{
	trace-analyze --list --format=csv 2>/dev/null | tail -n +2 | cut -d, -f1
}

# Prints the values that the table of command $1 gives for option $2: "yes|no".
_trace_values()
{
	case $2 in
	--sample)
		printf 'cpu-clock\npage-faults\nibs_op\nibs_fetch\nmem-loads\n'
		;;
	--to)
		"$1" --list 2>/dev/null | awk '{ print $1 }'
		;;
	*)
		"$1" --help=table 2>/dev/null | awk -F '\t' -v option="$2" '"--" $2 == option {
			if ($3 == "FMT") $3 = "text|json|csv"
			gsub(/^\[=|\]$/, "", $3)
			if ($3 ~ /^[a-z0-9].*\|/) print $3
		}' | tr '|' '\n'
		;;
	esac
}

# Sets COMPREPLY to files, traces first.
_trace_files()
{
	local IFS=$'\n'

	compopt -o filenames 2>/dev/null
	COMPREPLY=($(compgen -f -X '!*.trace' -- "$1") $(compgen -d -- "$1"))
	[ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$1"))
}

# Completes $3, the argument of option $2 of command $1: its values, or else files.
_trace_argument()
{
	local values=$(_trace_values "$1" "$2")

	if [ -n "$values" ]; then
		COMPREPLY=($(compgen -W "$values" -- "$3"))
	else
		_trace_files "$3"
	fi
}

# Completes the words of a command from $1 on: options of $2, values, files.
_trace_words()
{
	local program=$1 current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}

	# "--format=te" arrives as the three words "--format", "=", "te".
	if [ "$current" = "=" ]; then
		_trace_argument "$program" "$previous" ""
	elif [ "$previous" = "=" ]; then
		_trace_argument "$program" "${COMP_WORDS[COMP_CWORD - 2]}" "$current"
	elif [[ $current == -* ]]; then
		COMPREPLY=($(compgen -W "$(_trace_options "$program")" -- "$current"))
		[[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
	else
		_trace_files "$current"
	fi
}

_trace_command()
{
	_trace_words "$1"
}

_trace_analyze()
{
	if [ "$COMP_CWORD" -eq 1 ] && [[ ${COMP_WORDS[1]} != -* ]]; then
		COMPREPLY=($(compgen -W "$(_trace_analyzers)" -- "${COMP_WORDS[1]}"))
	elif [[ ${COMP_WORDS[1]} == -* ]]; then
		_trace_words "$1"
	else
		_trace_words "trace-${COMP_WORDS[1]}"
	fi
}

# After the options comes a program with its own arguments.
_trace_record()
{
	local i

	if [ "${COMP_WORDS[COMP_CWORD - 1]}" = -p ]; then
		COMPREPLY=($(cd /proc && compgen -G "${COMP_WORDS[COMP_CWORD]}[0-9]*"))
		return
	fi
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--)
			((i++))
			break
			;;
		-o | -p)
			((i++))
			;;
		=)
			((i++))
			;;
		-*)
			;;
		*)
			break
			;;
		esac
	done
	if [ "$i" -lt "$COMP_CWORD" ]; then
		compopt -o filenames 2>/dev/null
		COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"))
	elif [[ ${COMP_WORDS[COMP_CWORD]} == -* || ${COMP_WORDS[COMP_CWORD - 1]} == [-=]* &&
		${COMP_WORDS[COMP_CWORD - 1]} != -- ]]; then
		_trace_words "$1"
	else
		COMPREPLY=($(compgen -c -- "${COMP_WORDS[COMP_CWORD]}"))
	fi
}

complete -F _trace_command trace-compare trace-import trace-export trace-info trace-dump trace-verify trace-repair trace-repack trace-join trace-filter trace-mix trace-bbv \
	trace-itypes trace-ilp trace-ppm trace-reg trace-stride trace-footprint trace-stackdist trace-cache trace-calls trace-slo trace-ibs \
	trace-mica trace-merge trace-simpoint trace-cut trace-extrapolate trace-anonymise trace-report
complete -F _trace_analyze trace-analyze
complete -F _trace_record trace-record trace-sample
