"""yupana splice as users run it: files that add up on both strands, batches, estimates, bad input."""
import json
import pathlib
import random
import re

from genes import EXAMPLE, body, complement, example, fasta, intron, noise, refuse, table
from program import DATA, run


def replay(prefix, sequence, target):
    """Rebuilds the target from the genome and cs, checks cg against cs, returns the genome span."""
    fields = pathlib.Path(prefix + ".paf").read_text().split("\n")[0].split("\t")
    tags = {f[:2]: f[5:] for f in fields[12:]}
    at, end = int(fields[7]), int(fields[8])
    query, columns = "", []
    for op, text in re.findall(r"([:*+\-~])([^:*+\-~]+)", tags["cs"]):
        if op == ":":
            query += sequence[at:at + int(text)]
            at += int(text)
            columns.append(("=", int(text)))
        elif op == "*":
            assert sequence[at].lower() == text[0]
            query += text[1]
            at += 1
            columns.append(("X", 1))
        elif op == "+":
            query += text
            columns.append(("I", len(text)))
        elif op == "-":
            assert sequence[at:at + len(text)].lower() == text
            at += len(text)
            columns.append(("D", len(text)))
        else:
            length = int(re.sub(r"\D", "", text))
            assert sequence[at:at + 2].lower().startswith(re.match(r"[a-z]+", text)[0])
            at += length
            columns.append(("N", length))
    assert at == end, (at, end)
    wanted = target if fields[4] == "+" else complement(target)
    assert query.upper() == wanted.upper(), (query, wanted)
    totals = lambda pairs: {op: sum(n for o, n in pairs if o == op) for op in "=XIDN"}
    cigar = [(op, int(n)) for n, op in re.findall(r"(\d+)([=XIDN])", tags["cg"])]
    assert totals(cigar) == totals(columns), (cigar, columns)
    assert all(a[0] != b[0] for a, b in zip(cigar, cigar[1:])), cigar


def gff_is_valid(prefix, length):
    lines = pathlib.Path(prefix + ".gff3").read_text().splitlines()
    assert lines[0] == "##gff-version 3"
    identifiers, introduced = set(), set()
    for line in lines[1:]:
        if line.startswith("##sequence-region "):
            name, first, last = line.split(" ")[1:]
            assert first == "1" and name not in introduced, line
            introduced.add(name)
            continue
        columns = line.split("\t")
        assert columns[0] in introduced, line
        assert len(columns) == 9 and columns[2] in ("gene", "mRNA", "exon"), line
        assert 1 <= int(columns[3]) <= int(columns[4]) <= length, line
        attributes = dict(pair.split("=", 1) for pair in columns[8].split(";"))
        assert attributes["ID"] not in identifiers
        assert "Parent" not in attributes or attributes["Parent"] in identifiers, line
        identifiers.add(attributes["ID"])
    return lines


def the_worked_example():
    example()
    done = run("splice", "--genome", "g.fa", "--exons", "e.tsv", "--target", "t.fa", "-o", "run")
    assert "score 3" in done.stdout, done.stdout
    row = table("run")[0]
    assert row["score"] == "3" and row["chain"] == "1-2,3-4,8-9", row
    replay("run", EXAMPLE, "CCGGT")
    assert gff_is_valid("run", len(EXAMPLE))[1] == "##sequence-region chr1 1 9"
    assert "intron 2: 5..7, 3 bases\n" in pathlib.Path("run.txt").read_text()
    for device in ("reference", "cpu"):
        run("splice", "--genome", "g.fa", "--exons", "e.tsv", "--target", "t.fa", "-o", device,
            "--device", device)
        for end in ("tsv", "gff3", "paf", "txt"):
            assert pathlib.Path(f"{device}.{end}").read_bytes() == \
                pathlib.Path(f"run.{end}").read_bytes(), end


def both_strands_mirror_each_other():
    random.seed(3)
    for round in range(15):
        letters = "".join(random.choice("ACGT") for _ in range(300))
        exons = sorted((a, a + random.randrange(40)) for a in random.sample(range(1, 250), 12))
        target = "".join(letters[a - 1:b] for a, b in exons[::4])[:-3]
        target = target[:10] + "A" + target[12:]
        fasta("g.fa.gz", f=letters.lower(), r=complement(letters))
        fasta("t.fa", cdna=target)
        rows = []
        for name, strand in (("f", "+"), ("r", "-")):
            with open("e.gff3", "w", newline="\r\n") as file:
                for a, b in exons:
                    first, last = (a, b) if strand == "+" else (301 - b, 301 - a)
                    file.write(f"{name}\tx\texon\t{first}\t{last}\t.\t{strand}\t.\tParent=m\n")
            run("splice", "--genome", "g.fa.gz", "--exons", "e.gff3", "--target", "t.fa", "-o", name)
            rows.append(table(name)[0])
            assert rows[-1]["strand"] == strand
            replay(name, letters if name == "f" else complement(letters), target)
            gff_is_valid(name, 300)
        assert rows[0]["score"] == rows[1]["score"]
        mirrored = ",".join(f"{301 - int(b)}-{301 - int(a)}" for a, b in
                            (x.split("-") for x in reversed(rows[1]["chain"].split(","))))
        assert rows[0]["chain"] == mirrored, rows


def batches_give_what_each_case_gives():
    example()
    fasta("u.fa", a="CCGGT", b="ACCG")
    pathlib.Path("cases.tsv").write_text("genome\texons\ttarget\ng.fa e.tsv t.fa\ng.fa e.tsv u.fa\n")
    run("splice", "--batch", "cases.tsv", "-o", "b")
    rows = table("b")
    assert [r["target"] for r in rows] == ["cdna", "a", "b"]
    assert rows[0]["chain"] == rows[1]["chain"] == "1-2,3-4,8-9"
    assert rows[2]["score"] == "4", rows[2]


def estimates_name_cells_and_steps():
    example()
    usual = ("splice", "--genome", "g.fa", "--exons", "e.tsv", "--target", "t.fa", "--estimate")
    answer = json.loads(run(*usual, "--json").stdout)
    # groups by ends: 1-2 | 3-4 4-5 | 6-8 8-9; the longest chain: 1-2 3-4 6-8
    assert 0 < answer["estimates"][0].pop("bytes") < 1e5, answer
    assert answer["estimates"] == [{
        "target": answer["estimates"][0]["target"], "sequence": answer["estimates"][0]["sequence"],
        "strand": "+", "target_strand": "+", "letters": 5, "exons": 5, "cells": 5 * 11, "executed_cells": 55, "dense_cells": 5 * 9,
        "sequential_steps": 55, "exon_steps": 11 + 5 * 4, "group_steps": 2 + 2 + 3 + 3 * 4,
        "skewed_steps": 5 - 1 + 2 + 2 + 3, "length_histogram": [0, 5], "group_histogram": [1, 2],
    }], answer
    assert answer["problems"] == 1 and 0 < answer["predicted_seconds"] < 1, answer
    assert "hits" not in answer and not list(pathlib.Path(".").glob("*.paf"))
    lines = run(*usual, "--histograms").stdout.splitlines()
    assert re.fullmatch(r"\w+ on \w+ \(\+\): cells 55 \(executed 55, dense 45\); steps: one by one 55, within exons 31, "
                        r"and across groups 19, skewed 11; memory on a CPU [0-9.]+ k?B",
                        lines[0]), lines[0]
    bars = [line.split() for line in lines]
    assert ["2", "-", "3", "5", 40 * "#"] in bars and ["1", "-", "1", "1", 20 * "#"] in bars, lines
    assert ["2", "-", "3", "2", 40 * "#"] in bars, lines
    # Too short for a rate: no seconds that cannot hold.
    assert lines[-1] == "predicted less than 0.03 s of aligning on idle cores", lines[-1]
    assert "predicted_within_factor" not in answer, answer
    # Two targets on one sequence: twice the cells; and the run says what was predicted and taken.
    fasta("u.fa", a="CCGGT", b="ACCGT")
    both = [argument if argument != "t.fa" else "u.fa" for argument in usual]
    twice = json.loads(run(*both, "--json").stdout)
    assert [e["cells"] for e in twice["estimates"]] == [55, 55], twice
    done = run(*[argument for argument in usual if argument != "--estimate"], "-o", "out").stdout
    assert re.search(r"1 target in [0-9.e-]+ s of aligning \(predicted less than 0\.03 s on idle cores\)", done), done


def a_gene_is_found_from_its_signals():
    random.seed(5)
    exons = ["ATG" + body(90) + "CAG", body(120) + "CAG", body(60) + "TAA"]
    genome = noise(300) + exons[0] + intron() + exons[1] + intron() + exons[2] + noise(300)
    fasta("t.fa", cdna="".join(exons))
    for name, letters in (("+", genome), ("-", complement(genome))):
        fasta("g.fa", chr=letters)
        run("splice", "--genome", "g.fa", "--exons", "auto", "--target", "t.fa", "--both-strands",
            "-o", "a")
        row = table("a")[0]
        assert row["strand"] == name and row["exons"] == "3" and row["identity"] == "1.000000", row
        replay("a", letters, "".join(exons))


def annotated_exons_are_chosen_among_decoys():
    genes = sorted((DATA.parent / "splice" / "vertebrate_cds").glob("*"))
    if not genes:
        print("skipped: no genes of vertebrates under the shared data")
        return
    random.seed(1)
    more = 0
    for gene in genes:
        annotated = {(int(a), int(b)) for a, b in
                     (line.split() for line in (gene / "exons.tsv").read_text().splitlines()[1:])}
        length = sum(len(line) for line in (gene / "genomic.fa").read_text().splitlines()[1:])
        decoys = [(a, a + random.randrange(30, 300))
                  for a in random.sample(range(1, length - 400), 300)]
        lines = [f"{a}\t{b}\n" for a, b in decoys + sorted(annotated)]
        random.shuffle(lines)
        pathlib.Path("e.tsv").write_text("".join(lines))
        run("splice", "--genome", gene / "genomic.fa", "--exons", "e.tsv", "--target",
            gene / "target_cdna.fa", "-o", "d")
        chain = {tuple(map(int, exon.split("-"))) for exon in table("d")[0]["chain"].split(",")}
        assert annotated <= chain, (gene.name, annotated - chain)
        more += len(chain - annotated)
    assert more <= len(genes) // 5, more


def bad_input_is_one_line():
    example()
    usual = ("--genome", "g.fa", "--exons", "e.tsv", "--target", "t.fa")
    pathlib.Path("e.tsv").write_text("1\t2\n3\t90\n")
    refuse(*usual, says=["e.tsv:2", "3..90 is outside 'chr1', which has 9 bases"])
    pathlib.Path("e.tsv").write_text("chrX 1 2\n")
    refuse(*usual, says=["e.tsv:1", "'chrX' is no sequence of g.fa"])
    pathlib.Path("e.tsv").write_text("1 2\n")
    fasta("g.fa", a="ACGT", b="ACGT")
    refuse(*usual, says=["e.tsv:1", "2 sequences"])
    fasta("g.fa", a="AC!T")
    refuse(*usual, says=["g.fa:2", "place 3 of 'a'"])
    example()
    pathlib.Path("t.fa").write_text(">x\n")
    refuse(*usual, says=["t.fa:1", "no letters"])
    example()
    refuse(*usual, "--gap-extend", "3", status=2, says=["--gap-extend", "-250000 to 0", "'3'"])
    refuse("--genome", "g.fa", status=2, says=["--target"])
    pathlib.Path("c.tsv").write_text("g.fa t.fa\n")
    refuse("--batch", "c.tsv", says=["c.tsv:1", "2 columns"])
    pathlib.Path("c.tsv").write_bytes(b"g.fa e\r.tsv t.fa\n")
    refuse("--batch", "c.tsv", says=["c.tsv:1", "control character"])
    pathlib.Path("e.tsv").write_text("")
    refuse(*usual, says=["e.tsv", "expected exons", "got none", "--exons auto"])
    pathlib.Path("e.tsv").write_text("1 2\n1 2\n")
    assert "merged" in run("splice", *usual, "-o", "twice").stderr
