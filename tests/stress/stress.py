#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""stress.py BIN PROGRAMS RUNS [SEED]: random programs (tests/programs/storm.c) under the recorder,
which starts them or attaches to them, and kill -9 of the recorder or of one of the programs at
random moments. After each run no process may be left, and the trace must be whole, or readable up to
its last section. A program that has been attached to ends as it does natively, whatever becomes of
the recorder.

Run number i depends only on SEED + i, but for the moment of the kill. Prints "ok NAME" or "not ok
NAME: why" for each; the trace of one that fails stays in the folder that is named then."""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PATIENCE = 300  # s; only a process that hangs takes so long
OPTIONS = [[], ["--follow"], ["--follow"], ["--follow"], ["--threads=serial"],
           ["--follow", "--threads=serial"], ["--follow", "--chunk=1k", "--flush=0.05"],
           ["--follow", "--count=200k"], ["--follow", "--time=0.1"], ["--from=main"],
           ["--follow", "--from=main"], ["--follow", "--skip=50k"],
           ["--backend=step", "--count=30k"], ["--follow", "--backend=step"]]
LETS_GO = {"--count=30k", "--count=200k", "--time=0.1"}  # the program is no longer the recorder's at the end
ATTACHED = 0.25  # share of all runs
ORPHAN = "is not recorded: its parent was killed while it began"
UNBORN = "ended before it began"
UNREACHED = ("main was not reached", "instructions before the end of --skip",
             "ended before it ran", "ended before it executed an instruction",
             "did not run; if it is stopped, SIGCONT lets it")
TOO_LATE = ("no such process", "has ended")


class Failure(Exception):
    pass


def members(sessions):
    """Returns the live processes of these sessions."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="latin-1") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) in sessions and fields[0] not in "ZX":
            found.append(int(pid))
    return sorted(found)


def wait_until(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise Failure(f"{what} within {PATIENCE} s")
        time.sleep(0.01)


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def tool(command, *args):
    return subprocess.run([command, *args], capture_output=True, check=False)


def begin(command):
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, start_new_session=True)


class Run:
    def __init__(self, number, commands, programs, folder):
        self.random = random.Random(number)
        self.commands = commands
        self.trace = os.path.join(folder, "storm.trace")
        self.victim = self.random.choice(["nobody", "recorder", "program", "program"])
        self.storm = [os.path.join(programs, "storm"), str(number)]
        self.options = self.random.choice(OPTIONS)
        self.attaches = self.random.random() < ATTACHED
        if self.attaches:
            self.options = [option for option in self.options if option != "--from=main"]
        elif self.victim == "recorder" and not LETS_GO & set(self.options):
            self.storm.append("linger")
        how = ["attaches"] if self.attaches else []
        self.name = " ".join([str(number), self.victim, *how, *self.options])
        self.recorder = self.program = None

    def command(self, name):
        return os.path.join(self.commands, name)

    def start(self):
        """Starts the run; processes that the recorder starts are seen only through the recorder."""
        record = [self.command("trace-record"), "-q", "-o", self.trace, *self.options]
        if self.attaches:
            self.program = begin(self.storm)
            time.sleep(self.random.expovariate(50))
            self.recorder = begin([*record, "-p", str(self.program.pid)])
        else:
            self.program = self.recorder = begin([*record, "--", *self.storm])

    def members(self):
        return members({self.recorder.pid, self.program.pid})

    def check(self):
        self.start()
        try:
            self.disturb()
            self.wait_for_all()
        finally:
            for pid in self.members():
                kill(pid)
        out, err = self.program.communicate()
        if self.attaches:
            err = self.recorder.communicate()[1]
        self.check_end(err)
        self.check_program(out)
        self.check_trace()

    def disturb(self):
        if self.victim == "nobody":
            return
        time.sleep(self.random.expovariate(5))
        others = [pid for pid in members({self.program.pid}) if pid != self.recorder.pid]
        if self.victim == "recorder":
            kill(self.recorder.pid)
            self.recorder.wait()
        elif others:
            kill(self.random.choice(others))

    def wait_for_all(self):
        def gone():
            self.recorder.poll()
            self.program.poll()
            return not self.members()
        wait_until(gone, "processes did not end")

    def check_end(self, err):
        if self.victim == "recorder":
            return
        status = self.recorder.returncode
        short = self.victim == "program" or self.attaches  # that part of the program is not seen
        harmless = (ORPHAN, *UNREACHED) if short else ORPHAN
        lines = err.decode().splitlines()
        said = [line for line in lines if not line.endswith(harmless)]
        if status == 125 and said and said[0].endswith(self.never_begun()):
            return
        if status == 125 and short and not said and any(line.endswith(UNREACHED) for line in lines):
            return
        if status < 0 or status == 125 or said:
            raise Failure(f"the recorder: status {status}, {said}")

    def never_begun(self):
        if self.attaches:
            return TOO_LATE
        return (UNBORN,) if self.victim == "program" else ()

    def check_program(self, out):
        """Checks that the program has behaved as natively, unless one of its processes was killed."""
        if self.victim == "nobody" or self.attaches and self.victim == "recorder":
            native = subprocess.run(self.storm, capture_output=True, check=False)
            status = self.program.returncode
            if (native.returncode, native.stdout) != (status, out):
                raise Failure(f"natively {native.returncode} {native.stdout}, "
                              f"recorded {status} {out}")

    def check_trace(self):
        if not os.path.exists(self.trace) or os.path.getsize(self.trace) == 0:
            if self.victim == "nobody" and not self.attaches:
                raise Failure("there is no trace")
            return  # the program ended before it began
        if self.victim != "recorder":
            whole = tool(self.command("trace-verify"), "-q", self.trace)
            if whole.returncode != 0:
                raise Failure(f"trace-verify: {whole.stdout}{whole.stderr}")
            return
        verified = tool(self.command("trace-verify"), "--format=json", self.trace)
        if verified.returncode and b'"state": "not closed"' not in verified.stdout:
            raise Failure(f"trace-verify: {verified.stdout}{verified.stderr}")
        mended = self.trace + ".mended"
        repaired = tool(self.command("trace-repair"), "-o", mended, self.trace)
        whole = tool(self.command("trace-verify"), "-q", mended)
        if repaired.returncode or whole.returncode:
            raise Failure(f"trace-repair: {repaired.stderr}{whole.stdout}{whole.stderr}")


def main():
    commands, programs, runs = sys.argv[1:4]
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    for number in range(first, first + int(runs)):
        folder = tempfile.mkdtemp(prefix="stress-")
        os.environ["TMPDIR"] = folder  # of files that killed programs leave
        run = Run(number, commands, programs, folder)
        try:
            run.check()
            print("ok", run.name, flush=True)
            shutil.rmtree(folder)
        except Failure as failure:
            print(f"not ok {run.name}: {failure}\n# {folder}", flush=True)


if __name__ == "__main__":
    main()
