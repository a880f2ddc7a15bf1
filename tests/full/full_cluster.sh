#!/bin/bash
# SPDX-License-Identifier: MIT
# Engines that run many commands: Slurm with one node, Open MPI's launcher, GNU parallel. Each block of
# examples/slurm.md runs as it is. Slurm's and munge's daemons keep all their files in a folder of the test.
. "$(dirname "$0")/lib.sh"
example=$OLDPWD/examples/slurm.md

needed() { # needed COMMAND...: notes the commands that are not installed
	local command
	for command in "$@"; do
		command -v "$command" >/dev/null || PATH=$PATH:/usr/sbin command -v "$command" >/dev/null || {
			echo "# $command is not installed: what needs it is skipped"
			return 1
		}
	done
}

export PATH=$BIN:$PATH:/usr/sbin
for i in 1 2 3; do
	"$BIN/trace-record" -q --chunk=10k -o $i.trace -- "$PROGRAMS/phases" A1B1 $((i * 10000)) >/dev/null 2>&1
done
"$BIN/trace-record" -q --chunk=10k -o long.trace -- "$PROGRAMS/phases" A1B1 100000 >/dev/null 2>&1
for analyzer in mix itypes stackdist ppm reg; do
	check "plain.$analyzer" "$BIN/trace-$analyzer" -o plain.$analyzer long.trace
done
# The results begin with the path of the trace as it was given.
same() { # same NAME FILE ANALYZER
	check "$1" cmp <(grep -v ^trace "$2") <(grep -v ^trace "plain.$3")
}

if needed parallel; then
	check parallel sh -c "seq 0 3 | parallel --will-cite -j 2 trace-stackdist --part={}/4 --partial=g.{} long.trace"
	trace-merge -o parallel.txt g.*
	same parallel.same parallel.txt stackdist
	suite() { trace-analyze --all --suite=list -o commands -q --only=mix,ppm --part-size=40k "$@"; }
	ls ./*.trace >list
	for _ in 1 2; do
		suite --submit=commands >lines
		check parallel.suite parallel --will-cite -j 2 <lines
	done
	check parallel.collect suite --collect
	same parallel.suite.same commands/long/mix.txt mix
fi

if needed mpirun; then
	as_root=()
	[ "$(id -u)" != 0 ] || as_root=(--allow-run-as-root)
	check mpirun mpirun "${as_root[@]}" --oversubscribe -n 4 trace-stackdist --part=mpi --partial=o.%p long.trace
	check_equal mpirun.parts 4 "$(ls o.* | wc -l)"
	trace-merge -o mpirun.txt o.*
	same mpirun.same mpirun.txt stackdist
fi

# ---- Slurm ----
start_slurm() {
	local host
	host=$(hostname -s)
	mkdir controller node
	head -c 1024 /dev/urandom >munge.key
	chmod 600 munge.key
	munged --force --key-file="$work/munge.key" --socket="$work/munge.socket" --pid-file="$work/munged.pid" \
		--log-file="$work/munged.log" --seed-file="$work/munge.seed" || return
	export SLURM_CONF=$work/slurm.conf
	cat >"$SLURM_CONF" <<-END
		ClusterName=tracelab
		SlurmctldHost=$host(127.0.0.1)
		SlurmctldPort=16817
		SlurmdPort=16818
		SlurmUser=root
		SlurmdUser=root
		AuthType=auth/munge
		AuthInfo=socket=$work/munge.socket
		CredType=cred/munge
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core
		MpiDefault=none
		ReturnToService=2
		StateSaveLocation=$work/controller
		SlurmdSpoolDir=$work/node
		SlurmctldLogFile=$work/slurmctld.log
		SlurmdLogFile=$work/slurmd.log
		SlurmctldPidFile=$work/slurmctld.pid
		SlurmdPidFile=$work/slurmd.pid
		AccountingStorageType=accounting_storage/none
		JobAcctGatherType=jobacct_gather/none
		SchedulerParameters=batch_sched_delay=1,sched_interval=2,bf_interval=2
		NodeName=$host NodeAddr=127.0.0.1 CPUs=2 RealMemory=500 State=UNKNOWN
		PartitionName=debug Nodes=$host Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4
	END
	slurmctld && eventually scontrol ping && slurmd && eventually sh -c 'sinfo -h -o %T | grep -q idle'
}
stop_slurm() {
	scontrol shutdown
	eventually [ ! -e slurmd.pid -a ! -e slurmctld.pid ]
	kill "$(cat munged.pid)"
	eventually [ ! -e munged.pid ]
}
# Prints block N, from 1, of the example.
block() {
	awk -v n="$1" '/^```sh/ { inside = ++count == n; next } /^```/ { inside = 0 } inside' "$example"
}
no_jobs() {
	[ -z "$(squeue -h)" ]
}

if [ "$(id -u)" != 0 ]; then
	echo '# not root: Slurm is skipped'
elif needed munged slurmctld slurmd sbatch srun hostname; then
	trap 'stop_slurm >/dev/null 2>&1; rm -rf "$work"' EXIT
	check slurm.start start_slurm
	blocks=$(grep -c '^```sh' "$example")
	check_equal slurm.blocks 6 "$blocks"
	for ((i = 1; i <= blocks; i++)); do
		block "$i" >block.sh
		check slurm.block.$i bash -e block.sh
	done
	check slurm.ended eventually no_jobs
	check_match slurm.suite '^done +20 jobs$' suite/suite.slurm.1/collect.log
	for analyzer in mix itypes stackdist ppm; do
		same slurm.suite.$analyzer suite/long/$analyzer.txt $analyzer
	done
	check slurm.pages [ -s suite/3/report.html -a -s suite/suite.html ]
	same slurm.limited limited/long/reg.txt reg
	same slurm.array distances.txt stackdist
	same slurm.step mix.txt mix
	same slurm.traces long.trace.itypes itypes
	same slurm.copied copied.txt mix
	rm -f "${TMPDIR:-/tmp}/copy.trace"
	# A job that is lost is run again by the same command, and nothing else is.
	rm suite/long/mix.job
	block 1 >block.sh
	check slurm.again bash -e block.sh
	check slurm.again.ended eventually no_jobs
	check_equal slurm.again.tasks 'long/mix' "$(sed 's/.*--task=//; s/:.*//' suite/suite.slurm.2/analyze | sort -u)"
	same slurm.again.same suite/long/mix.txt mix
	check slurm.stop stop_slurm
	trap 'rm -rf "$work"' EXIT
fi
