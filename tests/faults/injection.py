"""One run of the program in which chosen calls to the system fail (fault_shim.cpp), and its verdict."""
import dataclasses
import errno
import mmap
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import threading

import jobs
from program import PROGRAM, run

SHIM = pathlib.Path(PROGRAM).parent / "libfault_shim.so"
TIMEOUT = 30  # seconds; a run takes a fraction of one
# The calls that the shim counts, in its order, and those that it made fail.
CALLS = ("memory", "map", "open", "read", "write", "rename", "sync", "grow", "thread", "failed")
# Faults: the call, the errno that it fails with (a read with 0 ends early: the file was cut) or minus
# the signal that comes when it begins, and the exit statuses that may follow besides 0. A signal that
# comes before it is caught ends the program as it ends any.
KINDS = {"memory": ("memory", errno.ENOMEM, {4}), "map": ("map", errno.ENOMEM, {4}),
         "open": ("open", errno.EACCES, {3}), "open_full": ("open", errno.ENOSPC, {3, 4}),
         "read": ("read", errno.EIO, {3}), "read_cut": ("read", 0, {3}),
         "read_again": ("read", errno.EINTR, set()), "write": ("write", errno.ENOSPC, {4}),
         "rename": ("rename", errno.EACCES, {3}), "sync": ("sync", errno.EIO, {3}),
         "grow": ("grow", errno.ENOSPC, {4}), "thread": ("thread", errno.EAGAIN, {4}),
         "term_open": ("open", -signal.SIGTERM, {130, -signal.SIGTERM}),
         "term_read": ("read", -signal.SIGTERM, {130, -signal.SIGTERM}),
         "hup_write": ("write", -signal.SIGHUP, {130, -signal.SIGHUP}),
         "pipe_write": ("write", -signal.SIGPIPE, {-signal.SIGPIPE}),
         "int_rename": ("rename", -signal.SIGINT, {130, -signal.SIGINT}),
         "kill_open": ("open", -signal.SIGKILL, {-signal.SIGKILL}),
         "kill_write": ("write", -signal.SIGKILL, {-signal.SIGKILL}),
         "kill_rename": ("rename", -signal.SIGKILL, {-signal.SIGKILL})}
# For ever, reading again has no end, and a signal comes once.
ONCE = {"read_again"} | {kind for kind, (_, cause, _) in KINDS.items() if cause < 0}
FOREVER = 2**63
WITHOUT_THREADS = {"plan", "info", "man", "help", "bench", "completion", "show", "export"}
ABOUT_THE_MACHINE = {"info", "plan"}  # they leave out what the system does not say


@dataclasses.dataclass(frozen=True)
class Fault:
    """Calls first to last of a kind fail; `over`: outputs of an older run are there before."""
    job: str
    kind: str
    first: int
    last: int
    over: bool

    def __str__(self):
        calls = f"{self.first} on" if self.last == FOREVER else str(self.first)
        return f"{self.job}: {self.kind} {calls}{', over older outputs' if self.over else ''}"


@dataclasses.dataclass
class Outcome:
    status: object  # None: it hung
    output: bytes
    errors: str
    files: dict
    counts: dict


class Injector:
    """A folder with the inputs, and a working folder and reference outcomes for each thread."""

    def __init__(self):
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="yupana_faults."))
        self.local = threading.local()
        jobs.make_inputs(self.base / "in", run)
        self.references = {}

    def close(self):
        shutil.rmtree(self.base)

    def folder(self):
        """The working folder of this thread, empty."""
        if not hasattr(self.local, "folder"):
            self.local.folder = pathlib.Path(tempfile.mkdtemp(dir=self.base))
            self.local.counts = tempfile.NamedTemporaryFile()
            self.local.counts.truncate(8 * len(CALLS))
            self.local.counted = mmap.mmap(self.local.counts.fileno(), 8 * len(CALLS))
        for path in self.local.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        (self.local.folder / "tmp").mkdir()
        return self.local.folder

    def run(self, job, fault="", older=()):
        """`job`: a name or a line; `older`: the files that are there before, as names or with
        their bytes."""
        folder, counted = self.folder(), self.local.counted
        for path in older:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(older[path] if isinstance(older, dict) else b"older")
        counted[:] = bytes(8 * len(CALLS))
        environment = {"PATH": os.environ["PATH"], "TMPDIR": str(folder / "tmp"),
                       "LD_PRELOAD": str(SHIM), "YUPANA_FAULT_COUNTS": self.local.counts.name}
        if fault:
            environment["YUPANA_FAULT"] = fault
        words = jobs.JOBS.get(job, job).split()
        if words[0] not in WITHOUT_THREADS and words[1] not in WITHOUT_THREADS:
            words += ["--threads", "2"]
        try:
            done = subprocess.run([PROGRAM, *words], cwd=folder, env=environment,
                                  capture_output=True, timeout=TIMEOUT, check=False)
        except subprocess.TimeoutExpired as late:
            return Outcome(None, b"", (late.stderr or b"").decode(errors="replace"), {}, {})
        files = {str(p.relative_to(folder)): p.read_bytes() if p.is_file() else None
                 for p in folder.rglob("*")}
        del files["tmp"]
        counts = dict(zip(CALLS, struct.unpack(f"{len(CALLS)}Q", counted)))
        return Outcome(done.returncode, done.stdout, done.stderr.decode(errors="replace"), files, counts)

    def reference(self, job, over):
        """Two undisturbed runs: what they have in common is what a run that survives must write."""
        if (job, over) not in self.references:
            first = self.run(job)
            older = [p for p, text in first.files.items() if text is not None] if over else ()
            both = [self.run(job, older=older) for _ in range(2)]
            for outcome in both:
                assert outcome.status == 0, (job, outcome.status, outcome.errors)
            self.references[job, over] = (both, older)
        return self.references[job, over]

    def verdict(self, fault):
        """(whether the fault was met, what is wrong or None)"""
        call, cause, statuses = KINDS[fault.kind]
        (whole, again), older = self.reference(fault.job, fault.over)
        outcome = self.run(fault.job, f"{call}:{fault.first}:{fault.last}:{cause}", older)
        if outcome.status is None:
            return True, "hangs; " + outcome.errors
        met = outcome.counts["failed"] > 0
        if outcome.status == -signal.SIGKILL:
            return met, self.wrong_after_kill(fault, outcome)
        kept = {p: text for p, text in outcome.files.items() if is_kept(p) and text is not None}
        if kept:
            again_from_checkpoint = self.run(fault.job, older=kept)
            if again_from_checkpoint.status != 0 or not is_whole(again_from_checkpoint.files, whole, again):
                return met, f"leaves a checkpoint that fails: {again_from_checkpoint.errors}"
        return met, wrong(outcome, whole, again, older, statuses if met else {0},
                          fault.job in ABOUT_THE_MACHINE)


    def wrong_after_kill(self, fault, outcome):
        """What is wrong with the files of a killed run. It leaves temporary files and those of its
        outputs that were whole, and the next run needs neither."""
        (whole, again), older = self.reference(fault.job, fault.over)
        files = {p: text for p, text in outcome.files.items() if text is not None}
        for p, text in files.items():
            temporary = ".part-" in p or ".old-" in p or p.startswith("tmp/") or is_kept(p)
            before = p in older and text == b"older"
            if not (temporary or before or p in whole.files and is_same(p, text, whole, again)):
                return f"killed, leaves {p} with {len(text)} bytes"
        lost = sorted(set(older) - files.keys())
        if lost:
            return f"killed, loses {lost}"
        left = {p: text for p, text in files.items() if not p.startswith("tmp/")}
        after = self.run(fault.job, older=left)
        if after.status != 0 or not is_whole(after.files, whole, again):
            return f"the run after a killed one: exit {after.status}, {sorted(after.files)}: {after.errors}"
        return None


def is_same(p, text, whole, again):
    """Whether a file is that of an undisturbed run. Those that hold times differ in bytes, and images
    where a font cannot be read."""
    return text == whole.files[p] or text != b"older" and (
        whole.files[p] != again.files[p] or p.endswith((".pdf", ".png", ".svg", ".html")))


def is_whole(files, whole, again):
    return files.keys() == whole.files.keys() and all(
        is_same(p, text, whole, again) for p, text in files.items())


def without_times(output):
    """What a run prints, without what it took and its rates: two runs may happen to take the same time."""
    seconds = rb"(?:less than )?[0-9][0-9.e-]*(?= [mu]?s\b)|(?<=seconds\":)[0-9.e-]+"
    rates = rb"[0-9][0-9.e-]* (?:[kMGT] )?(?=executed cells|dense-equivalent)"
    # Of a short time predicted no factor is told.
    output = re.sub(rb", within a factor of [0-9.]+", b"", output)
    return re.sub(seconds + b"|" + rates, b"T", output)


def is_kept(path):
    """A checkpoint, which a run that fails keeps for the next one."""
    return path == "save" or path.startswith("save/counts-") and ".part-" not in path


def wrong(outcome, whole, again, older, statuses, machine):
    notes = [x for x in outcome.errors.splitlines() if not x.startswith("note: ")]
    if "Fontconfig error" in outcome.errors:  # it reports on its own, and goes on
        notes = [x for x in notes if x.startswith("yupana: ")]
    if outcome.status == 0:
        if notes:
            return f"exit 0 with {notes}"
        if not is_whole(outcome.files, whole, again):
            return f"exit 0 with other files: {sorted(outcome.files)}"
        alike = {without_times(x.output) for x in (whole, again)}
        if len(alike | {without_times(outcome.output)}) > len(alike) == 1 and not machine:
            return f"exit 0 with another output: {outcome.output[:200]}"
        return None
    if outcome.status not in statuses:
        return f"exit {outcome.status}, expected {sorted(statuses)}: {outcome.errors}"
    untold = outcome.status < 0 and not notes
    if not untold and (len(notes) != 1 or not notes[0].startswith("yupana: ") or "unforeseen" in notes[0]):
        return f"exit {outcome.status} with {notes}"
    before = {p: b"older" for p in older}
    left = {p: text for p, text in outcome.files.items() if not is_kept(p)}
    folders = {str(f) for p in older for f in pathlib.PurePath(p).parents} - {"."}
    if left == {**before, **dict.fromkeys(folders)}:
        return None
    # The files were whole before what is told at the end, or the removal of a checkpoint, failed.
    if is_whole(left, whole, again):
        return None
    changed = sorted(p for p in left if p not in folders and left[p] != before.get(p, b"none"))
    changed += sorted(before.keys() - left)
    return f"exit {outcome.status} leaves {changed}: {outcome.errors}"
