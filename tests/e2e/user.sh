# Functions for tests of an ordinary user's rights: source this after e2e.sh. Root runs programs and recorder
# as another user; ${user[@]} precedes a command. They are copied to $work/user, where that user may
# read and write, whatever folder the checkout is in.
chmod 755 "$work"
mkdir -m 777 "$work/user"
user=()
if [ "$(id -u)" = 0 ]; then
	user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi

# user_has NAME...: copies programs, and the recorder.
user_has() {
	local name
	cp -L "$BIN/trace-record" "$work/user"
	for name; do
		cp "$PROGRAMS/$name" "$work/user"
	done
	recorder[0]=$work/user/trace-record
	cd "$work/user" || exit 1
}

# check_as_user NAME TRACE [OPTION...] -- PROGRAM ARGUMENT...: like check_same, for that user, without
# the recorder's own messages.
check_as_user() {
	local name=$1 trace=$2
	local -a options command
	shift 2
	split_options "$@"
	set -- "${command[@]}"
	"${user[@]}" "$@" <"$input" >native.out 2>native.err
	native=$?
	"${user[@]}" "${recorder[@]}" --quiet --force -o "$trace" "${options[@]}" -- "$@" \
		<"$input" >recorded.out 2>recorded.err
	recorded=$?
	check_equal "$name.status" $native $recorded
	check "$name.stdout" cmp native.out recorded.out
	check "$name.verify" "$BIN/trace-verify" -q "$trace"
}
