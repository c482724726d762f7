"""Arrays that Zarr's own packages write, with every compressor that is read; stores of bio2zarr."""
import pathlib
import random
import shutil
import subprocess

import numcodecs
import numpy as np
import zarr_stores
from program import peer, run


def containers_of_every_shape_are_unpacked():
    rng = random.Random(1)
    calls = [[(rng.choice((0, 0, 1, -1)), rng.choice((0, 0, 1, -1))) for _ in range(37)] for _ in range(61)]
    zarr_stores.write_store("w.zarr", calls)
    run("filter", "w.zarr", "-o", "w.bed")
    wanted = pathlib.Path("w.bed").read_bytes()
    for name in ("lz4", "lz4hc", "zlib", "zstd"):
        for shuffle in (0, 1, 2):
            for kind in (1, 2, 4):
                codec = numcodecs.Blosc(cname=name, clevel=rng.randint(1, 9), shuffle=shuffle,
                                        blocksize=rng.choice((0, 0, 256, 1000, 4096)))
                rows = rng.choice((5, 8, 61))
                shutil.rmtree("c.zarr", ignore_errors=True)
                zarr_stores.write_store("c.zarr", calls, chunk=(rows, rng.choice((8, 37))), call_size=kind)
                for file in pathlib.Path("c.zarr/call_genotype").glob("[0-9]*"):
                    data = np.frombuffer(file.read_bytes(), f"<i{kind}")
                    file.write_bytes(codec.encode(data))
                description = pathlib.Path("c.zarr/call_genotype/.zarray")
                description.write_text(description.read_text().replace(
                    '"compressor": null', '"compressor": {"id": "blosc"}'))
                run("filter", "c.zarr", "-o", "c.bed")
                assert pathlib.Path("c.bed").read_bytes() == wanted, (name, shuffle, kind)


def stores_of_bio2zarr_are_the_vcf():
    tool = shutil.which("vcf2zarr")
    if tool is None:
        print("        skipped: vcf2zarr is not installed")
        return
    run("simulate", "--samples", 130, "--sites", 2500, "--missing", 0.02, "--format", "vcf.gz", "-o", "c")
    subprocess.run(["tabix", "-f", "c.vcf.gz"], check=True)
    run("dist", "c.vcf.gz", "--shared", "-o", "out")
    wanted = [pathlib.Path(f"out.{name}").read_bytes() for name in ("dist.npy", "shared.npy", "ids")]
    for version in (2, 3):
        peer(tool, "convert", "--zarr-format", version, "-w", 50, "-l", 700, "c.vcf.gz", f"c{version}.vcz")
        run("dist", f"c{version}.vcz", "--shared", "-o", "out")
        assert [pathlib.Path(f"out.{name}").read_bytes()
                for name in ("dist.npy", "shared.npy", "ids")] == wanted, version
