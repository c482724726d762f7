"""Random cohorts in every form that is read, and the filters of them."""
import dataclasses
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import bgen_files
import pgen_files
import zarr_stores
from ingredients import Npy, Text, Whole, size, some

CALLS = {-1: "./.", 0: "0/0", 1: "0/1", 2: "1/1"}


@dataclasses.dataclass
class Cohort:
    command: list           # the positional input, or none
    inputs: dict
    options: list
    samples: list           # names of them, where filters can name them
    families: bool = False  # samples have families f0, f1, ...
    sites: list = ()        # names of them
    text: bool = False      # positions 1, 2, ... of the contigs of CONTIGS
    founders: bool = False  # samples may have parents


CONTIGS = ("1", "1", "2", "X")


def contig_of(k, sites):
    return CONTIGS[k * len(CONTIGS) // sites]


def simulated(rng, samples, sites, code):
    missing = rng.choice(("", ",missing=0.05", ",missing=0.3"))
    populations = min(samples, rng.randrange(1, 4))
    return Cohort([f"simulate:{samples}x{sites},populations={populations},seed={rng.randrange(999)}"
                   f"{missing}"], {}, [], [])


def numbers(rng, samples, sites, code):
    rows = [[code() for _ in range(sites)] for _ in range(samples)]
    if rng.random() < 0.2:
        rows = [[x + rng.choice((0.0, 0.25)) if x >= 0 else x for x in row] for row in rows]
        return Cohort(["g.npy"], {"g.npy": Npy("d", rows, sites)}, [["--round"]], [])
    return Cohort(["g.npy"], {"g.npy": Npy("b", rows, sites)}, [], [])


def vcf(rng, samples, sites, code):
    odd = rng.random() < 0.2
    rare = lambda: rng.choice(("0/.", "./1", "1", "0/1/1")) if odd and rng.random() < 0.02 else CALLS[code()]
    dosages = rng.random() < 0.5
    ds = lambda: rng.choice((":.", "", f":{rng.random():.3f}")) if dosages else ""
    names = [f"s{k}" for k in range(samples)]
    lines = ["##fileformat=VCFv4.2", *(f"##contig=<ID={c}>" for c in sorted(set(CONTIGS))),
             "\t".join(["#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT", *names])]
    for k in range(sites):
        alleles = rng.choice(("A\tC", "A\tC", "G\tT", "AT\tA", "A\tC,G"))
        verdict = rng.choice(("PASS", "PASS", ".", "q10", "low"))
        lines.append("\t".join([contig_of(k, sites), str(k + 1), f"v{k}", alleles, str(rng.randrange(99)),
                                verdict, ".", "GT:DS" if dosages else "GT",
                                *(rare() + ds() for _ in range(samples))]))
    options = some(rng, ["--half-call", ("missing", "haploid", "reference")], share=0.2)
    options += [["--polyploid", "missing"]] if odd else []
    options += some(rng, ["--multiallelic", ("skip", "split", "collapse")], ["--var-min-qual", 50],
                    ["--snps-only"], share=0.15)
    options += [rng.choice((["--var-filter"], ["--var-filter", "q10"]))] if rng.random() < 0.15 else []
    return Cohort(["g.vcf"], {"g.vcf": Text(lines)}, options, names, sites=[f"v{k}" for k in range(sites)],
                  text=True)


def plink_text(rng, samples, sites, code):
    text = {-1: "0 0", 0: "G G", 1: "G A", 2: "A A"}
    calls = [[text[code()] for _ in range(samples)] for _ in range(sites)]
    people = [f"f{i // 2} s{i} 0 0 1 -9" for i in range(samples)]
    place = [f"{contig_of(k, sites)} v{k} 0 {k + 1}" for k in range(sites)]
    if rng.random() < 0.5:
        inputs = {"g.ped": Text([f"{who} {' '.join(site[i] for site in calls)}"
                                 for i, who in enumerate(people)]), "g.map": Text(place)}
        given = [["g.ped"], []] if rng.random() < 0.5 else [[], [["--file", "g"]]]
    else:
        inputs = {"g.tped": Text([f"{at} {' '.join(site)}" for at, site in zip(place, calls)]),
                  "g.tfam": Text(people)}
        given = [["g.tped"], []] if rng.random() < 0.5 else [[], [["--tfile", "g"]]]
    return Cohort(given[0], inputs, given[1], [f"s{i}" for i in range(samples)], True,
                  [f"v{k}" for k in range(sites)], True, True)


def files_of(write):
    """What a function writes into a folder, as inputs."""
    with tempfile.TemporaryDirectory(prefix="yupana_soak.") as folder:
        write(pathlib.Path(folder))
        return {str(p.relative_to(folder)): Whole(p.read_bytes())
                for p in sorted(pathlib.Path(folder).rglob("*")) if p.is_file()}


def plink_binary(rng, samples, sites, code):
    rows = pgen_files.genotypes(samples, sites, rng.randrange(1 << 30))
    second = rng.random() < 0.6

    def write(folder):
        pgen_files.companions(folder / "g", sites, samples, lambda k: contig_of(k, sites))
        if second:
            pgen_files.write_variable(folder / "g.pgen", samples, pgen_files.records(rows, samples))
        else:
            pgen_files.write_bed(folder / "g.bed", rows)
    ways = ((["g.pgen"], []), ([], [["--pfile", "g"]]),
            ([], [["--pgen", "g.pgen"], ["--pvar", "g.bim"], ["--psam", "g.fam"]])) if second else (
        (["g.bed"], []), ([], [["--bfile", "g"]]),
        ([], [["--bed", "g.bed"], ["--bim", "g.bim"], ["--fam", "g.fam"]]))
    command, options = rng.choice(ways)
    return Cohort(command, files_of(write), options, [f"I{i}" for i in range(samples)],
                  sites=[f"v{k}" for k in range(sites)], text=True, founders=True)


def bgen(rng, samples, sites, code):
    bits = rng.choice((8, 8, 3, 16))
    top = (1 << bits) - 1

    def block(k):
        if rng.random() < 0.7:
            calls = [code() for _ in range(samples)]
            return bgen_files.unphased([None if c < 0 else c for c in calls], bits)
        values = [sorted((rng.randrange(top + 1), rng.randrange(top + 1))) for _ in range(samples)]
        return bgen_files.probabilities([(2, False)] * samples, [[a, b - a] for a, b in values], bits)
    variants = [bgen_files.variant(block(k), contig=contig_of(k, sites), position=k + 1, name=f"v{k}")
                for k in range(sites)]
    names = [f"s{i}" for i in range(samples)]
    sample = "ID_1 ID_2 missing\n0 0 0\n" + "".join(f"f {n} 0\n" for n in names)
    inputs = files_of(lambda folder: bgen_files.write(folder / "g.bgen", samples, variants, names=names))
    options = some(rng, ["--hard-call-threshold", (0, 0.2, 0.45)])
    command = ["g.bgen"]
    if rng.random() < 0.5:
        command = []
        options += [["--bgen", "g.bgen", *rng.sample(("ref-last",), rng.randrange(2))]]
        if rng.random() < 0.5:
            inputs["g.sample"] = Whole(sample.encode())
            options.append(["--sample", "g.sample"])
    return Cohort(command, inputs, options, names, sites=[f"v{k}" for k in range(sites)], text=True)


def zarr(rng, samples, sites, code):
    calls = {-1: (-1, -1), 0: (0, 0), 1: (0, 1), 2: (1, 1)}
    sites = min(sites, 30)
    rows = [[calls[code()] for _ in range(samples)] for _ in range(sites)]
    contigs = sorted(set(CONTIGS))
    return Cohort(["g.zarr"], files_of(lambda folder: zarr_stores.write_store(
        folder / "g.zarr", rows, contigs=contigs, contig=lambda k: contigs.index(contig_of(k, sites)),
        packing=rng.choice((None, "zlib")), version=2)), [], [f"I{i}" for i in range(samples)],
                  sites=[f"v{k}" for k in range(sites)], text=True)


def cohort(rng):
    samples, sites = 2 + size(rng, 40), 1 + size(rng, 600)
    form = rng.choice((simulated, simulated, numbers, numbers, vcf, vcf, plink_text, plink_binary,
                       plink_binary, bgen, zarr))
    if form not in (simulated, numbers, plink_binary):
        sites = min(sites, 120)
    share = rng.choice((0, 0, 0.1, 0.6))
    code = lambda: -1 if rng.random() < share else rng.choice((0, 0, 1, 2))
    made = form(rng, samples, sites, code)
    if made.command == ["g.vcf"] and rng.random() < 0.2:
        made.command, made.options = [], [["--vcf", "g.vcf"], *made.options]
    return made


SHARES = (["--maf", (0.05, 0.2)], ["--max-maf", (0.3, 0.45)], ["--mac", (2, 5)], ["--geno", (0.05, 0.5)],
          ["--mind", (0.1, 0.9)], ["--missing", ("mode", "error", "pairwise")],
          ["--king-cutoff", (0.0884, 0.354)], ["--indep-pairwise", 20, (1, 3), (0.1, 0.5)],
          ["--indep-pairwise", "1kb", 1, 0.2])


def choose_people(rng, made):
    """Options that name samples or families, with their files."""
    options = []
    if made.samples and rng.random() < 0.15:
        some_of = rng.sample(made.samples, rng.randrange(1, len(made.samples) + 1))
        lines = [f"f{made.samples.index(n) // 2} {n}" if made.families else n for n in some_of]
        made.inputs["people.txt"] = Text(lines)
        options.append([rng.choice(("--keep", "--remove")), "people.txt"])
    if made.families and rng.random() < 0.2:
        made.inputs["families.txt"] = Text(["f0", "f2"])
        options.append([rng.choice(("--keep-fam", "--remove-fam")), "families.txt"])
    return options


def choose_sites(rng, made):
    options, what = [], rng.random()
    if made.text and what < 0.2:
        options.append(["--chr", rng.choice(("1", "1-2", "2,X"))])
        if options == [["--chr", "1"]]:
            options += some(rng, ["--from-bp", range(1, 20)], ["--to-bp", range(10, 90)])
    elif made.text and what < 0.4:
        options.append(rng.choice((["--all-chr"], ["--cow"], ["--dog"], ["--horse"], ["--mouse"], ["--sheep"],
                                   ["--chr-set", "5"], ["--autosome-num", "30"], ["--region", "1:5-60"])))
    if made.sites and rng.random() < 0.15:
        if rng.random() < 0.5:
            made.inputs["sites.txt"] = Text(rng.sample(made.sites, 1 + len(made.sites) // 2))
            named = []
        else:
            made.inputs["sites.txt"] = Text(["1\t3\t40", "2\t0\t1000"])
            named = [rng.choice(("bed0", "bed1"))]
        options.append([rng.choice(("--extract", "--exclude")), *named, "sites.txt"])
    return options


def filters(rng, made, share=0.1):
    """What a cohort is read with: its own options, and filters."""
    options = made.options + choose_people(rng, made) + choose_sites(rng, made)
    options += some(rng, *SHARES, share=share)
    options = [o for k, o in enumerate(options) if o[0] not in [x[0] for x in options[:k]]]
    options += [["--hwe", rng.choice(("0.001", "0.2")), *rng.sample(("midp",), rng.randrange(2))]
                ] if rng.random() < share else []
    if made.founders and {"--maf", "--max-maf", "--mac", "--hwe"} & {o[0] for o in options}:
        options += some(rng, ["--nonfounders"], share=0.2)
    if rng.random() < share:
        options += [["--thin", rng.choice(("0.3", "0.8"))], *some(rng, ["--seed", range(99)])]
    return options


def seeded(rng, options):
    """A seed for what is drawn, where no filter has named one."""
    return [] if any(o[0] == "--seed" for o in options) else some(rng, ["--seed", range(99)])

