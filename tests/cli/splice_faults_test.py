"""Faults of yupana splice that users met: values and options taken silently, files that other
programs or splice itself refused, memory that was not held."""
import functools
import json
import pathlib
import random
import re
import shutil
import subprocess

import genes
from genes import complement, example, fasta, table, translated
from program import PROGRAM, run

EXAMPLE = ("--genome", "g.fa", "--exons", "e.tsv", "--target", "t.fa")
AUTO = ("--genome", "g.fa", "--target", "t.fa")
refuse = functools.partial(genes.refuse, status=2)


def gene(seed=5):
    """A gene of three exons with clear signals: the sequence, its exons' places, its cDNA."""
    random.seed(seed)
    body = lambda n: "".join(random.choice(["GCT", "GAC", "AAG", "CTG", "TCC"]) for _ in range(n // 3))
    noise = lambda n: "".join(random.choice("ACGT") for _ in range(n))
    exons = ["ATG" + body(90) + "CAGC", "CT" + body(120) + "CAGGA", "C" + body(60) + "TAA"]
    bases, places = noise(300), []
    for k, exon in enumerate(exons):
        if k > 0:
            bases += "GTAAGT" + noise(80) + "TTTTCTTTTCCTTTTTTTGCAG"
        places.append((len(bases) + 1, len(bases) + len(exon)))
        bases += exon
    return bases + noise(300), places, "".join(exons)


def features(prefix, kind):
    rows = [line.split("\t") for line in pathlib.Path(prefix + ".gff3").read_text().splitlines()]
    return [row for row in rows if len(row) == 9 and row[2] == kind]


def scores_that_wrapped_are_refused_with_their_range():
    example()
    for option in ("--match", "--mismatch", "--gap-open", "--gap-extend"):
        refuse(*EXAMPLE, option, "-1073741825", says=[option, "-250000 to"])
        refuse(*EXAMPLE, option, "1073741825", says=[option, "-250000 to"])
    # A score in range, and a target so long that sums pass 32 bits: on every device alike.
    fasta("t.fa", **{"long": 1000 * "ACG"})
    for device in ("cpu", "reference"):
        refuse(*EXAMPLE, "--match", "250000", "--device", device,
               says=["3000 target letters", "32 bits", "250004", "at most 178956"])
    refuse(*AUTO, "--match", "250000", says=["250004", "at most 44739;"])
    run("splice", *EXAMPLE, "--match", "170000", "-o", "in_range")
    pathlib.Path("m.txt").write_text("  A C G T\nA 1 0 0 0\nC 0 300000 0 0\nG 0 0 1 0\nT 0 0 0 1\n")
    refuse(*EXAMPLE, "--matrix", "m.txt", status=3, says=["m.txt:3", "300000", "250000"])


def scores_of_a_matrix_out_of_range_were_called_no_whole_numbers():
    example()
    for score in ("9999999999", "-2147483648", "250001", "1.5", "x"):
        pathlib.Path("m.txt").write_text(f"A C G T\nA {score} 0 0 0\n")
        refuse(*EXAMPLE, "--matrix", "m.txt", status=3,
               says=f"m.txt:2: expected a whole number from -250000 to 250000 as the score of 'A' and 'A', got '{score}'")


def numbers_out_of_range_name_option_value_and_range():
    example()
    for option in ("--junction-weight", "--junction-cost", "--missing-signal", "--min-donor",
                   "--min-gc-donor", "--min-acceptor", "--max-evalue"):
        for value in ("nan", "inf", "-inf", "1e9", "x"):
            refuse(*AUTO, option, value, says=[option, f"'{value}'", " to 1"])
    refuse(*AUTO, "--min-intron", "10", says=["--min-intron 10", "20 to"])
    refuse(*EXAMPLE, "--min-intron", "-5", says=["--min-intron", "'-5'", "0 to"])
    refuse(*EXAMPLE, "--gap-extend", "3", says=["--gap-extend", "'3'", "-250000 to 0"])
    refuse(*AUTO, "--min-exon", "0", says=["--min-exon", "'0'", "1 to"])
    refuse(*AUTO, "--min-exon", "50", "--max-exon", "20", says=["--min-exon 50", "--max-exon 20"])
    refuse(*AUTO, "--max-exons", "0", says=["--max-exons", "0"])
    fasta("p.fa", **{"p": "MKV"})
    proteins = ("--genome", "g.fa", "--exons", "e.tsv", "--protein", "p.fa")
    for code in ("7", "14", "-1", "x"):
        refuse(*proteins, "--genetic-code", code,
               says=["--genetic-code", f"'{code}'", "1 standard", "13 ascidian"])
    refuse(*proteins, "--partial-codon", "1", says=["--partial-codon", "'1'", "-250000 to 0"])
    run("splice", *EXAMPLE, "--min-intron", "10", "-o", "given")
    run("splice", *AUTO, "--min-intron", "20", "-o", "auto")


def options_without_effect_are_refused():
    example()
    fasta("p.fa", **{"p": "MKV"})
    pathlib.Path("c.tsv").write_text("g.fa e.tsv t.fa\n")
    for option, value in (("--genome", "g.fa"), ("--target", "t.fa"), ("--exons", "e.tsv"),
                          ("--protein", "p.fa")):
        refuse("--batch", "c.tsv", option, value, says=[option, "--batch"])
    for options in (["--junction-weight", "1"], ["--junction-cost", "1"], ["--missing-signal", "1"],
                    ["--min-donor", "1"], ["--min-gc-donor", "1"], ["--min-acceptor", "1"],
                    ["--gc-donors"], ["--no-gc-donors"], ["--coding"], ["--any-frame"],
                    ["--min-exon", "5"], ["--max-exon", "50"], ["--max-exons", "5"],
                    ["--one-strand"], ["--exact-window"], ["--max-evalue", "1"],
                    ["--max-intron", "9"], ["--max-loci", "2"]):
        refuse(*EXAMPLE, *options, says=[options[0], "--exons auto"])
        refuse("--batch", "c.tsv", *options, says=[options[0], "--exons auto"])
    for options in (["--genetic-code", "2"], ["--partial-codon", "-3"], ["--allow-acgt"]):
        refuse(*EXAMPLE, *options, says=[options[0], "--protein"])
    for option in ("--match", "--mismatch"):
        refuse("--genome", "g.fa", "--exons", "e.tsv", "--protein", "p.fa", option, "-2",
               says=[option, "--protein"])
        refuse(*EXAMPLE, "--matrix", "m.txt", option, "-2", says=[option, "--matrix"])
    pathlib.Path("both.tsv").write_text("g.fa e.tsv t.fa\ng.fa auto t.fa\n")
    for inputs in (AUTO, ("--batch", "both.tsv")):
        refuse(*inputs, "--one-strand", "--both-strands", says=["--both-strands", "--one-strand"])
    refuse(*AUTO, "--no-gc-donors", "--min-gc-donor", "3", says=["--min-gc-donor", "--no-gc-donors"])
    pathlib.Path("e.tsv").write_text("1 2 +\n")
    assert "--both-strands changes nothing" in run(
        "splice", *EXAMPLE, "--both-strands", "-o", "both").stderr


def names_in_gff3_are_written_and_read_back():
    bases, places, cdna = gene()
    name = "chr;1=a,b&c%3B>(x)#/"
    fasta("g.fa", **{name: bases})
    fasta("t.fa", **{"my;cdna%": cdna})
    lines = [f"chr%3B1%3Da%2Cb%26c%253B%3E(x)#/\tx\texon\t{a}\t{b}\t.\t+\t.\tParent=m\n"
             for a, b in places]
    pathlib.Path("e.gff3").write_text("".join(lines))
    usual = ("--genome", "g.fa", "--target", "t.fa")
    run("splice", *usual, "--exons", "e.gff3", "-o", "first")
    run("splice", *usual, "--exons", "first.gff3", "-o", "again")
    assert table("first")[0]["sequence"] == name
    for end in ("tsv", "gff3", "paf", "txt"):
        assert pathlib.Path(f"first.{end}").read_bytes() == \
            pathlib.Path(f"again.{end}").read_bytes(), end
    # GTF has no escapes: %3B stays.
    fasta("g.fa", **{"chr%3B": bases})
    pathlib.Path("e.gtf").write_text("".join(
        f'chr%3B\tx\texon\t{a}\t{b}\t.\t+\t.\tgene_id "g"; transcript_id "t";\n' for a, b in places))
    run("splice", *usual, "--exons", "e.gtf", "-o", "gtf")
    assert table("gtf")[0]["exons"] == "3"


def gff3_passes_the_validator_of_genometools():
    if shutil.which("gt") is None:
        print("skipped: gt (genometools) is not installed")
        return
    bases, places, cdna = gene()
    protein = translated(cdna)
    fasta("t.fa", **{"my;cdna%": cdna})
    fasta("p.fa", **{"prot": protein})
    for sign, letters in (("+", bases), ("-", complement(bases))):
        fasta("g.fa", **{"chr;1(x)": letters})
        for target in (["--target", "t.fa"], ["--protein", "p.fa"]):
            run("splice", "--genome", "g.fa", *target, "--both-strands", "-o", "v")
            assert table("v")[0]["strand"] == sign and table("v")[0]["exons"] == "3"
            done = subprocess.run(["gt", "gff3validator", "v.gff3"], capture_output=True, text=True,
                                  check=False)
            assert done.returncode == 0, done.stdout + done.stderr


def identity_of_proteins_leaves_out_the_stop_codon():
    bases, _, cdna = gene()
    protein = translated(cdna)
    assert protein.endswith("*")
    changed = protein[:20] + ("W" if protein[20] != "W" else "K") + protein[21:]
    for letters in (bases, complement(bases)):
        fasta("g.fa", **{"chr": letters})
        for text, equal in ((protein, 1), (changed, 1 - 1 / (len(protein) - 1))):
            found = []
            for target in (text, text[:-1]):
                fasta("p.fa", **{"prot": target})
                done = run("splice", "--genome", "g.fa", "--protein", "p.fa", "--both-strands",
                           "-o", "i", "--json")
                identity = float(table("i")[0]["identity"])
                assert abs(identity - equal) < 1e-6, (identity, equal)
                assert abs(json.loads(done.stdout)["hits"][0]["identity"] - equal) < 1e-9
                mrna = re.search(r"identity=([0-9.]+)", features("i", "mRNA")[0][8])[1]
                assert abs(float(mrna) - equal) < 1e-4, (mrna, equal)
                found.append([re.search(r"identity=([0-9.]+)", row[8])[1]
                              for row in features("i", "exon")])
                row = table("i")[0]
                assert row["deleted"] == "0", row
                columns = sum(int(row[c]) for c in ("equal", "unequal", "inserted", "deleted"))
                assert columns == len(protein) - 1, row
                assert abs(int(row["equal"]) / columns - identity) < 1e-6, row
            assert found[0] == found[1] and "1.0000" in found[0], found


def introns_in_cs_have_their_bases_and_length():
    #          1234567890123456789012
    letters = "ACCTAGGGTCCAGTTACACATT"
    for places, introns in (([(1, 3), (5, 8)], [("ta", 1, "ct")]),
                            ([(1, 3), (6, 8)], [("ta", 2, "ta")]),
                            ([(1, 4), (15, 22)], [("ag", 10, "gt")]),
                            ([(1, 4), (5, 8)], [])):
        fasta("t.fa", **{"cdna": "".join(letters[a - 1:b] for a, b in places)})
        for sign in "+-":
            fasta("g.fa", **{"chr": letters if sign == "+" else complement(letters)})
            spots = places if sign == "+" else [(23 - b, 23 - a) for a, b in places]
            pathlib.Path("e.tsv").write_text("".join(f"{a} {b} {sign}\n" for a, b in spots))
            run("splice", "--genome", "g.fa", "--exons", "e.tsv", "--target", "t.fa", "-o", "cs")
            cs = re.search(r"cs:Z:(\S+)", pathlib.Path("cs.paf").read_text())[1]
            assert re.fullmatch(r"(:\d+|~[acgt]{2}\d+[acgt]{2})+", cs), cs
            found = [(a, int(n), b) for a, n, b in re.findall(r"~([acgt]{2})(\d+)([acgt]{2})", cs)]
            wanted = introns if sign == "+" else [
                (complement(b.upper()).lower(), n, complement(a.upper()).lower())
                for a, n, b in introns]
            assert found == wanted, (cs, wanted)
            if not introns:
                assert cs == ":8", cs


def cdnas_given_as_proteins_are_refused():
    bases, places, cdna = gene()
    fasta("g.fa", **{"chr": bases})
    pathlib.Path("e.tsv").write_text("".join(f"{a} {b} +\n" for a, b in places))
    usual = ("--genome", "g.fa", "--exons", "e.tsv")
    fasta("t.fa", **{"prot": "MKVLEF", "cdna": cdna.lower()[:-2] + "ry"})
    refuse(*usual, "--protein", "t.fa", status=3, says=["t.fa", "'cdna'", "--target", "--allow-acgt"])
    pathlib.Path("c.tsv").write_text("g.fa e.tsv t.fa protein\n")
    refuse("--batch", "c.tsv", status=3, says=["t.fa", "'cdna'"])
    run("splice", *usual, "--protein", "t.fa", "--allow-acgt", "-o", "taken")
    fasta("t.fa", **{"prot": "MKVLEF"})
    refuse(*usual, "--target", "t.fa", status=3, says=["t.fa:2", "'L' at place 4", "--protein"])


def memory_is_held_and_told_in_units_that_show_it():
    random.seed(2)
    letters = "".join(random.choice("ACGT") for _ in range(200_000))
    fasta("g.fa", **{"chr": letters})
    fasta("t.fa", **{"cdna": "".join(random.choice("ACGT") for _ in range(2000))})
    pathlib.Path("e.tsv").write_text("".join(f"{a} {a + 99}\n" for a in range(1, 199_000, 150)))
    given = ("--genome", "g.fa", "--exons", "e.tsv", "--target", "t.fa")
    fasta("p.fa", **{"prot": "".join(random.choice("ACDEFGHIKLMNPQRSTVWY") for _ in range(700))})
    proteins = ("--genome", "g.fa", "--exons", "e.tsv", "--protein", "p.fa")
    unit = re.compile(r"[1-9][0-9.]* (k|M|G)?B of memory")
    for arguments in (given, proteins, AUTO, (*given, "--device", "reference")):
        for extra in (("-o", "out"), ("--estimate",)):
            before = sorted(p.name for p in pathlib.Path(".").iterdir())
            done = run("splice", *arguments, *extra, "--memory", "1M", status=4)
            assert unit.search(done.stderr) and " 0.0 " not in done.stderr, done.stderr
            assert before == sorted(p.name for p in pathlib.Path(".").iterdir())
    done = run("splice", *given, "--memory", "100k", "-o", "out", status=4)
    assert "g.fa:2" in done.stderr, done.stderr
    # What an estimate says is what suffices, and less memory changes no byte.
    run("splice", *given, "-o", "much")
    needs = json.loads(run("splice", *given, "--estimate", "--json").stdout)["estimates"][0]["bytes"]
    held = 2 * len(letters) + 200_000
    for threads in ("1", "3"):
        run("splice", *given, "-o", "little", "--memory", needs + held, "--threads", threads)
        for end in ("gff3", "paf", "txt", "tsv"):
            assert pathlib.Path(f"much.{end}").read_bytes() == \
                pathlib.Path(f"little.{end}").read_bytes(), end


def a_hint_about_memory_had_no_number():
    random.seed(3)
    fasta("g.fa", **{f"chr{k}": "".join(random.choice("ACGT") for _ in range(60_000)) for k in range(3)})
    fasta("t.fa", **{"cdna": "".join(random.choice("ACGT") for _ in range(900))})
    pathlib.Path("e.tsv").write_text("".join(f"chr{k} {a} {a + 99} +\n" for k in range(3) for a in range(1, 59_000, 150)))
    allowed, refusals = "50k", 0
    for _ in range(9):
        told = subprocess.run([PROGRAM, "splice", "--genome", "g.fa", "--exons", "e.tsv", "--target", "t.fa",
                               "-o", "out", "--memory", allowed], capture_output=True, text=True, check=False)
        if told.returncode == 0:
            break
        assert told.returncode == 4, told.stderr
        more = re.search(r" --memory ([\d.]+)([kM])\b", told.stderr)
        assert more, told.stderr
        allowed, refusals = more[1] + more[2], refusals + 1
    assert told.returncode == 0 and refusals > 1, (refusals, told.stderr)


def scores_have_one_unit_in_every_output():
    bases, _, cdna = gene()
    fasta("g.fa", **{"chr": bases})
    fasta("t.fa", **{"cdna": cdna[:30] + "A" + cdna[31:]})
    answers = {}
    for name, exons in (("auto", "auto"), ("given", "auto.gff3")):
        done = run("splice", "--genome", "g.fa", "--exons", exons, "--target", "t.fa", "-o", name,
                   "--json")
        answers[name] = json.loads(done.stdout)["hits"][0]["score"]
    for name, score in answers.items():
        assert float(table(name)[0]["score"]) == score
        assert {float(row[5]) for row in features(name, "gene") + features(name, "mRNA")} == {score}
        kind, tag = re.search(r"AS:(.):(\S+)", pathlib.Path(f"{name}.paf").read_text()).groups()
        assert float(tag) == score and kind == {"auto": "f", "given": "i"}[name]
        assert f": score {score:g}, " in pathlib.Path(f"{name}.txt").read_text()
    # Columns score alike; auto adds what its two introns and signals do, in the same unit.
    scores = {name: [row[5] for row in features(name, "exon")] for name in answers}
    assert scores["auto"] == scores["given"], scores
    wrong = sum(a != b for a, b in zip(cdna, cdna[:30] + "A" + cdna[31:]))
    assert answers["given"] == len(cdna) - 2 * wrong, answers
    assert abs(answers["auto"] - answers["given"]) < 2 * 13, answers


def outputs_never_replace_their_inputs():
    example()
    pathlib.Path("c.tsv").write_text("g.fa e.tsv t.fa\n")
    refuse("--batch", "c.tsv", "-o", "c", says=["-o c", "c.tsv"], out=False)
    refuse(*EXAMPLE, "-o", "./e", says=["-o ./e", "e.tsv"], out=False)
    assert pathlib.Path("e.tsv").read_text().startswith("1\t2\n")
    pathlib.Path("t.txt").write_text(">cdna\nCCGGT\n")
    refuse("--genome", "g.fa", "--exons", "e.tsv", "--target", "t.txt", "-o", "t",
           says=["-o t", "t.txt"], out=False)
    run("splice", *EXAMPLE, "-o", "run")
    run("splice", *EXAMPLE, "-o", "run")


def empty_names_are_refused():
    example()
    for option in ("--genome", "--exons", "--target", "--protein", "--batch", "--matrix"):
        arguments = [a for pair in zip(EXAMPLE[::2], EXAMPLE[1::2]) if pair[0] != option
                     for a in pair]
        refuse(*arguments, option, "", says=[option, "empty"])


def estimates_name_the_factor_they_hold_within():
    random.seed(4)
    fasta("g.fa", **{"chr": "".join(random.choice("ACGT") for _ in range(300_000))})
    fasta("t.fa", **{"cdna": "".join(random.choice("ACGT") for _ in range(3000))})
    pathlib.Path("e.tsv").write_text("".join(f"{a} {a + 999}\n" for a in range(1, 299_000, 60)))
    usual = ("--genome", "g.fa", "--exons", "e.tsv", "--target", "t.fa", "--estimate")
    answer = json.loads(run("splice", *usual, "--json").stdout)
    assert answer["estimates"][0]["bytes"] > 1e6 and answer["predicted_seconds"] > 0.01, answer
    assert answer["predicted_within_factor"] in (3, 6), answer
    last = run("splice", *usual).stdout.splitlines()[-1]
    assert re.fullmatch(r"predicted [0-9.]+ s of aligning on idle cores, within a factor of "
                        r"[36]", last), last
    done = run("splice", *usual[:-1], "-o", "out").stdout
    assert re.search(r"of aligning \(predicted [0-9.]+ s on idle cores, within a factor of [36]\)", done), done


def the_empty_chain_scored_more_than_the_best():
    """One given exon is taken, whatever it scores."""
    fasta("g.fa", chr="GTGAG")
    fasta("t.fa", cdna="C")
    pathlib.Path("e.tsv").write_text("1 5\n")
    run("splice", *EXAMPLE, "--gap-open", "-5", "-o", "one")
    assert [table("one")[0][c] for c in ("score", "chain")] == ["-14", "1-5"], table("one")


def an_estimate_ignored_its_output():
    example()
    refuse(*EXAMPLE, "--estimate", says=["-o has no effect with --estimate"])


def help_says_what_it_hid():
    text = " ".join(run("splice", "--help").stdout.split())
    for words in ("with --exons auto 20, and no less", "human splice sites", "=4000000",
                  "6 ciliate nuclear", "units of --match", ".25, .5 or .75",
                  "one of which at least is taken", "repeats of short words are no evidence"):
        assert words in text, words
