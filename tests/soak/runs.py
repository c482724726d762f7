"""Where random jobs run: in processes that make many runs (serve_shim.cpp), in folders of their own."""
import os
import pathlib
import queue
import select
import struct
import subprocess
import tempfile

TIMEOUT = 300  # seconds; a run takes a fraction of one
MEMORY = "/dev/shm"  # what lasts for a moment needs no disk


class Server:
    """A process of the program that makes one run after the other; None once it has ended."""

    def __init__(self, program, shim, environment):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL,
                                        env={**os.environ, **environment, "LD_PRELOAD": shim})

    def run(self, words, folder, streams):
        """The exit status; the negative number of a signal that ended the process; "hangs"."""
        text = b"".join(os.fsencode(word) + b"\0" for word in [folder, *streams, *words])
        self.process.stdin.write(struct.pack("=I", len(text)) + text)
        self.process.stdin.flush()
        if not select.select([self.process.stdout], [], [], TIMEOUT)[0]:
            self.end()
            return "hangs"
        answer = self.process.stdout.read(4)
        if len(answer) == 4:
            return struct.unpack("=i", answer)[0]
        status = self.process.wait()
        self.end()
        return status

    def end(self):
        self.process.kill()
        self.process.communicate()
        self.process = None


class Servers:
    """Processes that wait for work, by their environment."""

    def __init__(self, program, shim):
        self.program, self.shim, self.idle = program, shim, {}

    def run(self, words, folder, environment, streams):
        idle = self.idle.setdefault(tuple(environment.items()), queue.SimpleQueue())
        try:
            server = idle.get_nowait()
        except queue.Empty:
            server = Server(self.program, self.shim, environment)
        status = server.run(words, folder, streams)
        if server.process is not None:
            idle.put(server)
        return status

    def end(self):
        for idle in self.idle.values():
            while not idle.empty():
                idle.get().end()


def read(path):
    with open(path, "rb", buffering=0) as file:
        return file.readall()


def write_inputs(job, folder):
    for name, content in job.inputs.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content.data())


class Place:
    """A folder with the inputs of a job, which its runs leave alone."""

    def __init__(self, job):
        self.whole = tempfile.TemporaryDirectory(prefix="yupana_soak.",
                                                 dir=MEMORY if os.access(MEMORY, os.W_OK) else None)
        self.folder = f"{self.whole.name}/job"
        self.streams = [f"{self.whole.name}/{name}" for name in ("out", "err")]
        os.mkdir(self.folder)
        write_inputs(job, pathlib.Path(self.folder))
        self.inputs = {name.split("/")[0] for name in job.inputs}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.whole.cleanup()

    def take(self, without):
        """{name: bytes} of what a run has written but for names that end so; no file of it stays."""
        files = {}
        for name in os.listdir(self.folder):
            if name in self.inputs:
                continue
            path = f"{self.folder}/{name}"
            if not name.endswith(without):
                files[name] = read(path)
            os.unlink(path)
        return files
