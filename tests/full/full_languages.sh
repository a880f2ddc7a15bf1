#!/bin/bash
# SPDX-License-Identifier: MIT
# Interpreters and programs that generate code.
. "$(dirname "$0")/lib.sh"

cat >workers.js <<'EOF'
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads')
if (isMainThread) {
	const out = []
	let left = 3
	for (let i = 0; i < 3; i++)
		new Worker(__filename, { workerData: i }).on('message', m => {
			out[i] = m
			if (--left === 0)
				console.log(out.join(' '), JSON.stringify(JSON.parse('{"a":[1,2,{"b":null}]}')))
		})
} else {
	let s = 0
	for (let k = 0; k < 200000; k++)
		s = (s * 31 + k + workerData) % 1000003
	parentPort.postMessage(s)
}
EOF
cat >Sort.java <<'EOF'
import java.util.Arrays;
public class Sort {
	public static void main(String[] args) throws Exception {
		int[] a = new int[200000];
		for (int i = 0; i < a.length; i++)
			a[i] = (int)((long)i * 7919 % 200003);
		int[] b = a.clone();
		Thread t = new Thread(() -> Arrays.sort(b));
		t.start();
		Arrays.parallelSort(a);
		t.join();
		System.out.println(Arrays.equals(a, b) + " " + a[1000]);
	}
}
EOF
same node -- node workers.js
javac Sort.java
same java -- java -XX:-UsePerfData Sort
# Debian ships perl without its tests.
for how in '' --follow --threads=serial; do
	same perl.broad$how $how -- perl "$OLDPWD/tests/full/broad.pl"
done
same perl -- perl -e 'my %h; $h{$_ % 97} += $_ for 1 .. 200000; print map { "$_=$h{$_}\n" } sort keys %h;
	$SIG{ALRM} = sub { die "alarm\n" }; alarm 1; eval { 1 while 1 }; print $@; exit 3'
cat >big.sql <<'EOF'
create table t(a, b);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000)
insert into t select i, (i * 7919) % 30011 from n;
create index x on t(b);
select sum(a), count(distinct b) from t where b % 3 = 0;
select b, count(*) from t group by b order by 2 desc, 1 limit 20;
pragma integrity_check;
EOF
same sqlite3 -- sqlite3 -init big.sql :memory: .quit
same openssl.dgst -- openssl dgst -sha256 -sha512 /usr/bin/openssl
same openssl.enc -- openssl enc -aes-256-gcm -pbkdf2 -S 0011223344556677 -k x -in /bin/bash -base64
same openssl.aes -- openssl enc -aes-256-cbc -pbkdf2 -S 0011223344556677 -k x -in /bin/bash -base64
passes openssl.speed -- openssl speed -seconds 1 -bytes 1024 aes-128-cbc sha256
passes openssl.rsa -- openssl speed -seconds 1 rsa2048 ecdsap256
