# The programs that the benchmarks record: source this after lib.sh.

# make_programs: writes them and their input here. Sets scale and programs, lines "name | command", each
# of about 1 s of CPU time. SCALE, if given, makes them so many times larger instead.
make_programs() {
	local source
	for source in "$folder"/programs/*.c; do
		gcc -O2 -g -pthread -o "$(basename "$source" .c)" "$source"
	done
	scale=${SCALE:-$(calculate %d "0.75 / $(seconds_of ./compute 900) + 0.5")}
	[ "$scale" -gt 0 ] || scale=1

	# Bytes of programs, to be compressed.
	cat /usr/bin/[a-z]* 2>/dev/null | head -c $((12600000 * scale)) >gzip.in || true
	head -c $((6600000 * scale)) gzip.in >bzip2.in
	echo 'create table t(a,b); with recursive n(i) as (select 1 union all select i+1 from n where i<'$((600000 * scale))')
insert into t select i, (i*7919)%300007 from n; create index x on t(b);
select sum(a) from t where b % 3 = 0; select count(*) from t a join t b on a.b = b.a;' >script.sql
	cat >script.py <<END
words = {}
for i in range($((900000 * scale))):
    word = str(i * 7919 % 10007)
    words[word] = words.get(word, 0) + len(word)
text = ' '.join(sorted(words, key=words.get))
print(len(text), sum(int(w[::-1]) for w in text.split() for _ in range($((150 * scale)))))
END

	# chase goes through a list that fits into the cache.
	programs="
compute     | ./compute $(calculate %d "900 * $scale ^ (1 / 3)")
chase       | ./chase 4096 $((30000 * scale))
sort        | ./sort $((6600000 * scale))
interpreter | ./interpreter $((900000 * scale))
gzip        | gzip -c gzip.in
bzip2       | bzip2 -c bzip2.in
sqlite3     | sqlite3 -init script.sql :memory: .quit
python3     | /usr/bin/python3 -S -E script.py"
}
