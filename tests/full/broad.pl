# Exercises in short the subjects of perl's own tests: the language, libraries in C, signals, processes, threads,
# sockets. Prints TAP that is the same in each run.
use strict;
use warnings;
use threads;
use threads::shared;
use B::Deparse;
use Compress::Zlib;
use Digest::SHA qw(sha256_hex);
use Encode;
use Fcntl;
use File::Temp qw(tempdir);
use IO::Select;
use IPC::Open3;
use List::Util qw(reduce sum);
use Math::BigInt;
use POSIX qw(:signal_h :sys_wait_h);
use SDBM_File;
use Socket;
use Storable qw(dclone freeze thaw);
use Test::More;
use Thread::Queue;
use Time::HiRes qw(setitimer ITIMER_REAL ITIMER_VIRTUAL);

# ---- the language ----
my $text = join ' ', map { "word$_" } 1 .. 2000;
is(scalar(() = $text =~ /\bword(?:(\d)\1|\d*7)\b/g), 208, 'regular expressions');
our $again = qr/\((?:[^()]++|(??{ our $again }))*\)/;
like('f(a(b)(c(d)))', qr/^f$again$/, 'recursive ones');
my @numbers = map { $_ * 7919 % 101 } 1 .. 100;
is("@{[sort { $b <=> $a } @numbers]}", join(' ', reverse 1 .. 100), 'sort');
is(unpack('H*', pack 'w/a* n N q> d<', 'text', 1, 2, -3, 0.5),
   '0474657874' . '0001' . '00000002' . 'fffffffffffffffd' . '000000000000e03f', 'pack');
is(sprintf('%.15g %a %vd %*d', 1 / 3, 0.1, v1.22, 6, 54),
   '0.333333333333333 0x1.999999999999ap-4 1.22     54', 'sprintf');
is(eval { local $SIG{__DIE__} = sub { die "again: $_[0]" }; die "here\n" } // $@, "again: here\n", 'die');
like(B::Deparse->new->coderef2text(sub { $_[0] ? 1 : 2 }), qr/\$_\[0\] \? 1 : 2/, 'code told as text');
is(sum(map { (eval "sub { $_ * \$_[0] }")->(3) } 1 .. 300), 135450, 'eval of text');

# ---- libraries ----
my $tree = { list => [ 1 .. 20 ], text => "\x{263a}" };
$tree->{self} = $tree->{list};
is_deeply(thaw(freeze(dclone($tree))), $tree, 'Storable');
is(sha256_hex('x' x 100000), sha256_hex(uncompress(compress('x' x 100000))), 'Zlib, SHA');
is(decode('UTF-16LE', encode('UTF-16LE', "\x{1f600}\x{e9}")), "\x{1f600}\x{e9}", 'Encode');
is(Math::BigInt->new(30)->bfac . '', '265252859812191058636308480000000', 'BigInt');
is((reduce { ($a * 31 + $b) % 1009 } 1 .. 10000), 143, 'List::Util');
my $folder = tempdir(CLEANUP => 1);
tie my %file, 'SDBM_File', "$folder/file", O_RDWR | O_CREAT, 0600;
$file{$_} = $_ ** 2 for 1 .. 500;
is(sum(values %file), 41791750, 'SDBM_File');
untie %file;

# ---- signals ----
my $caught = '';
$SIG{USR1} = sub { $caught .= 'a' };
kill USR1 => $$ for 1 .. 5;
is($caught, 'aaaaa', 'handlers');
my $set = POSIX::SigSet->new(SIGUSR1);
sigprocmask(SIG_BLOCK, $set);
kill USR1 => $$ for 1 .. 3;
is($caught, 'aaaaa', 'blocked');
sigprocmask(SIG_UNBLOCK, $set);
is($caught, 'aaaaaa', 'unblocked');
sigaction(SIGALRM, POSIX::SigAction->new(sub { die "time\n" }, $set, 0));
setitimer(ITIMER_REAL, 0.05);
eval { 1 while 1 };
is($@, "time\n", 'a timer ends a loop');
setitimer(ITIMER_REAL, 0.05);
eval { select undef, undef, undef, 300 };
is($@, "time\n", 'a timer ends a system call');
$SIG{VTALRM} = sub { die "CPU\n" };
setitimer(ITIMER_VIRTUAL, 0.02);
eval { 1 while 1 };
is($@, "CPU\n", 'CPU time does');

# ---- processes ----
my @children = map { fork || exit $_ } 1 .. 5;
is(join(' ', map { waitpid $_, 0; $? >> 8 } @children), '1 2 3 4 5', 'fork');
my $killed = fork || do { sleep 300; exit };
kill KILL => $killed;
waitpid $killed, 0;
is($? & 127, SIGKILL, 'a killed child');
is(`sh -c 'echo out; exit 3'`, "out\n", 'backquotes');
is($? >> 8, 3, 'their status');
my $pid = open3(my $in, my $out, undef, 'sort', '-n');
print $in map { "$_\n" } 3, 1, 2;
close $in;
is(join('', <$out>), "1\n2\n3\n", 'open3');
waitpid $pid, 0;
open my $pipe, '-|', $^X, '-e', 'print map { "$_\n" } 1 .. 1000' or die;
is(scalar(() = <$pipe>), 1000, 'a pipe');
ok(close($pipe), 'its end');

# ---- sockets ----
socketpair my $left, my $right, AF_UNIX, SOCK_STREAM, PF_UNSPEC or die;
if (!fork) {
	syswrite $right, reverse(scalar <$right>) . "\n";
	POSIX::_exit(0);
}
ok(!IO::Select->new($left)->can_read(0.01), 'select waits');
syswrite $left, "hello\n";
is(<$left> . <$left>, "\nolleh\n", 'an answer');
wait;

# ---- threads ----
my $queue = Thread::Queue->new;
my $total : shared = 0;
my @threads = map {
	threads->create(sub {
		while (defined(my $n = $queue->dequeue)) {
			lock $total;
			$total += $n;
		}
		return threads->tid;
	})
} 1 .. 4;
$queue->enqueue(1 .. 500);
$queue->end;
is(join(' ', map { $_->join } @threads), '1 2 3 4', 'threads');
is($total, 125250, 'what they share');
done_testing();
