"""What yupana splice did without a word: exons that were lost, candidates and places that were not tried."""
import functools
import json
import pathlib
import random
import re
import subprocess

import genes
from genes import complement, example, fasta, noise, table, translated
from program import PROGRAM, helper, put, run

EXAMPLE = ("--genome", "g.fa", "--exons", "e.tsv", "--target", "t.fa")
AUTO = ("--genome", "g.fa", "--target", "t.fa")
refuse = functools.partial(genes.refuse, status=3)


def first_exons_were_dropped_as_headers():
    example()
    for first in ("1,2", "1-2", "1..2"):
        pathlib.Path("e.tsv").write_text(f"{first}\n3\t4\n")
        refuse(*EXAMPLE, says=["e.tsv:1", "[sequence] first last [strand]", f"'{first}'"])
    for header in ("first last\n", "sequence\tfirst\tlast\n", ""):
        name = "chr1\t" if "sequence" in header else ""
        pathlib.Path("e.tsv").write_text(header + "".join(f"{name}{a}\t{b}\n" for a, b in genes.EXONS))
        run("splice", *EXAMPLE, "-o", "header")
        assert table("header")[0]["chain"] == "1-2,3-4,8-9", (header, table("header"))


def bed_without_its_name_had_no_exons():
    example()
    line = "chr1\t0\t9\tname\t0\t+\t0\t9\t0\t3\t2,2,2,\t0,2,7,\n"
    pathlib.Path("e.tsv").write_text(line)
    refuse(*EXAMPLE, says=["e.tsv:1", "'9'", ".bed"])
    pathlib.Path("e.bed").write_text(line)
    run("splice", *EXAMPLE[:2], "--exons", "e.bed", *EXAMPLE[4:], "-o", "bed")
    assert table("bed")[0]["chain"] == "1-2,3-4,8-9", table("bed")


@helper
def gene():
    """A gene of three exons with clear signals, and its cDNA."""
    body = lambda n: "".join(random.choice(["GCT", "GAC", "AAG", "CTG", "TCC"]) for _ in range(n // 3))
    exons = ["ATG" + body(90) + "CAG", body(120) + "CAG", body(60) + "TAA"]
    return ("GTAAGT" + noise(80) + "TTTTCTTTTCCTTTTTTTGCAG").join(exons), "".join(exons)


def exact_ended_at_100_kb():
    random.seed(1)
    bases, cdna = gene()
    for length, said in ((40_000, False), (60_000, True)):
        fasta("g.fa", chr=noise(length) + bases + noise(length))
        fasta("t.fa", a=cdna, b=noise(300))
        for more in ((), ("--exact-window",), ("--estimate",)):
            out = () if "--estimate" in more else ("-o", "loci")
            done = run("splice", *AUTO, *more, *out, "--json")
            answer = json.loads(done.stdout)
            local = said and "--exact-window" not in more
            assert ("--exact-window tries whole sequences" in done.stderr) == local, done.stderr
            if not local:
                assert "loci" not in answer, answer
                continue
            # The random target has no locus, and is tried whole.
            assert answer["targets_by_loci"] == answer["loci"] == 1, answer
            assert len(bases) <= answer["locus_bases"] < 60_000, answer
            assert f" 1 target tried at 1 locus of {answer['locus_bases'] / 1000:.0f} kb" in done.stderr
    assert "100 kb" in run("splice", "--help").stdout


def candidates_were_left_out():
    random.seed(2)
    bases, cdna = gene()
    fasta("g.fa", chr=noise(500) + bases + noise(500))
    fasta("t.fa", a=cdna)
    fasta("p.fa", p="MAGHWKLMTWYRGHWACDE")
    for target in (("--target", "t.fa"), ("--protein", "p.fa")):
        done = run("splice", "--genome", "g.fa", *target, "-o", "all", "--json")
        assert "left out" not in done.stderr and "exons_left_out" not in json.loads(done.stdout)
        done = run("splice", "--genome", "g.fa", *target, "--max-exons", "3", "-o", "few", "--json")
        count = json.loads(done.stdout)["exons_left_out"]
        assert count > 3 and f"--max-exons 3: {count} candidate exons left out" in done.stderr, done.stderr


def piped_lists_were_relative_to_dev():
    example()
    run("splice", "--batch", "/dev/stdin", "-o", "piped", input="g.fa e.tsv t.fa\n")
    assert table("piped")[0]["chain"] == "1-2,3-4,8-9", table("piped")


def both_strands_without_effect_was_silent():
    random.seed(3)
    bases, cdna = gene()
    fasta("g.fa", chr=noise(200) + bases + noise(200))
    fasta("t.fa", a=cdna)
    for more, said in (((), False), (("--both-strands",), True)):
        done = run("splice", *AUTO, *more, "-o", "both")
        assert ("--both-strands changes nothing" in done.stderr) == said, done.stderr


def the_stop_codon_is_in_paf_alone():
    random.seed(4)
    bases, cdna = gene()
    fasta("p.fa", p=translated(cdna).rstrip("*"))
    for letters in (bases, complement(bases)):
        fasta("g.fa", chr=letters)
        run("splice", "--genome", "g.fa", "--protein", "p.fa", "-o", "stop")
        row = table("stop")[0]
        assert [row[c] for c in ("deleted", "identity")] == ["0", "1.000000"], row
        cigar = next(tag for tag in pathlib.Path("stop.paf").read_text().split() if tag.startswith("cg:"))
        assert cigar.endswith("M1D") and cigar.count("D") == 1, cigar


def introns_longer_than_max_intron_were_not_told():
    random.seed(1)
    bases, cdna = gene()
    fasta("g.fa", chr=noise(400) + bases + noise(400))
    fasta("t.fa", a=cdna)
    says = "--max-intron 50: 2 introns are longer"
    assert says in run("splice", *AUTO, "-o", "x", "--max-intron", 50).stderr
    assert table("x")[0]["chain"].count(",") == 2, table("x")
    for more in ((), ("--max-intron", 5000), ("--max-intron", 50, "--ends", "local")):
        assert "longer" not in run("splice", *AUTO, "-o", "x", *more).stderr, more


def times_of_the_reference_were_predicted_40_times_too_short():
    example()
    for more in ((), ("--estimate",)):
        out = () if more else ("-o", "x")
        done = run("splice", *EXAMPLE, *more, *out, "--device", "reference")
        assert "no prediction with --device reference" in done.stdout, done.stdout
        assert "predicted_seconds" not in json.loads(
            run("splice", *EXAMPLE, *more, *out, "--device", "reference", "--json").stdout)
        assert "predicted_seconds" in json.loads(run("splice", *EXAMPLE, *more, *out, "--json").stdout)


def an_ending_of_its_files_was_repeated():
    example()
    for ending in (".tsv", ".gff3", ".paf", ".txt", ".gtf", ".sam", ".bam", ".faa", ".html"):
        done = json.loads(run("splice", *EXAMPLE, "-o", "run" + ending, "--json").stdout)
        assert done["files"] == ["run.tsv", "run.gff3", "run.paf", "run.txt"], done["files"]
    run("splice", "--genome", "g.fa", "--save", "sites", "-o", "sites.tsv")
    assert pathlib.Path("sites.tsv").exists()
    done = run("splice", "--genome", "g.fa", "--exons", "run.gff3", "--target", "t.fa", "-o", "run.gff3", status=2)
    assert "-o run would write over the input run.gff3" in done.stderr, done.stderr


def messages_on_an_index_named_an_option_that_is_none():
    example()
    refuse("--genome", "g.fa", "--index", "g.fa", "--target", "t.fa",
           says="expected an index of splice --save index, got another file")


def memory_was_refused_anew_for_each_target():
    bases, cdna = gene()
    fasta("g.fa", chr=noise(3000) + bases + noise(3000))
    fasta("t.fa", **{f"t{k}": cdna for k in range(60)})
    allowed, refusals = "1k", 0
    while True:
        told = subprocess.run([PROGRAM, "splice", *AUTO, "-o", "o", "--memory", allowed], capture_output=True, text=True)
        if told.returncode == 0:
            break
        assert told.returncode == 4 and refusals < 8, (refusals, told.stderr)
        allowed, refusals = re.search(r"--memory ([\d.]+[kM])", told.stderr)[1], refusals + 1
    assert refusals == 1, (refusals, told)


def memory_that_was_named_raised_the_need():
    """The traceback keeps more rows where more is left, so that the same exons were refused again."""
    fasta("g.fa", chr=noise(60_000))
    fasta("t.fa", t=noise(2000))
    pathlib.Path("e.tsv").write_text("".join(f"{a} {a + 99}\n" for a in range(1, 59_000, 150)))
    allowed, refused = "1k", 0
    while True:
        told = subprocess.run([PROGRAM, "splice", *EXAMPLE, "-o", "o", "--memory", allowed], capture_output=True, text=True)
        if told.returncode == 0:
            break
        refused += "the largest alignment need" in told.stderr
        assert told.returncode == 4 and refused < 2, (refused, told.stderr)
        allowed = re.search(r"--memory ([\d.]+[kM])", told.stderr)[1]
    assert refused


def estimates_named_no_target_and_no_strand():
    random.seed(1)
    bases, cdna = gene()
    fasta("g.fa", chr=noise(300) + bases + noise(300))
    fasta("t.fa", a=cdna, b=complement(cdna))
    answer = json.loads(run("splice", *AUTO, "--estimate", "--json").stdout)
    places = [(e["target"], e["sequence"], e["strand"], e["target_strand"]) for e in answer["estimates"]]
    assert len(set(places)) == len(places) == answer["problems"], places
    for options in (("--estimate",), ("--estimate", "--histograms"), ("--histograms", "-o", "out")):
        said = run("splice", *AUTO, *options).stdout
        for target, sequence, strand, direction in places:
            turned = " (reverse complement)" if direction == "-" else ""
            assert f"{target}{turned} on {sequence} ({strand}): cells " in said, said


def scores_that_gain_nothing_left_all_unaligned():
    random.seed(1)
    bases, cdna = gene()
    fasta("g.fa", chr=noise(300) + bases + noise(300))
    fasta("t.fa", a=cdna)
    for match in ("0", "-1"):
        refuse(*AUTO, "--match", match, status=2, says=["to score above 0", f"got --match {match}", "give higher scores"])
    pathlib.Path("m.txt").write_text("   A  C  G  T\n" + "".join(f"{c} -1 -1 -1 -1\n" for c in "ACGT"))
    refuse(*AUTO, "--matrix", "m.txt", status=2, says=["to score above 0", "got m.txt"])


def the_page_was_silent_of_unaligned_targets():
    random.seed(1)
    bases, cdna = gene()
    fasta("g.fa", chr=noise(300) + bases + noise(300))
    fasta("t.fa", a=cdna, junk=noise(200), other=noise(90))
    run("splice", *AUTO, "--also", "html", "-o", "out")
    page = pathlib.Path("out.html").read_text()
    assert "1 of 3 targets aligned" in page and "Unaligned: junk, other." in page
    fasta("t.fa", a=cdna)
    run("splice", *AUTO, "--also", "html", "-o", "out")
    assert "Unaligned" not in pathlib.Path("out.html").read_text()


def candidates_of_32_targets_were_held_whatever_the_memory():
    random.seed(1)
    fasta("g.fa", chr=noise(40_000))
    fasta("t.fa", **{f"t{k}": noise(500) for k in range(40)})
    files = []
    for memory in ("34M", "1G"):
        run("splice", *AUTO, "-o", "o", "--memory", memory)
        files.append([pathlib.Path(f"o.{end}").read_bytes() for end in ("tsv", "gff3", "paf", "txt")])
    assert files[0] == files[1]


def one_column_was_one_columns():
    bases, cdna = gene()
    fasta("g.fa", chr=bases)
    fasta("t.fa", t=cdna)
    pathlib.Path("s.tsv").write_text("chr\n")
    for options in ((*AUTO, "--splice-scores", "s.tsv"), ("--batch", "s.tsv")):
        told = run("splice", *options, "-o", "o", status=3).stderr
        assert told.endswith("; got 1 column\n"), told


def options_that_save_ignores_were_taken():
    fasta("g.fa", chr=noise(400))
    save = ("--genome", "g.fa", "--save")
    for options in (["--match", "3"], ["--max-loci", "2"], ["--ends", "local"], ["-F", "3"], ["--coding"], ["--histograms"],
                    ["--isoforms", "2"], ["--max-exons", "9"], ["--target", "t.fa"], ["--also", "gtf"]):
        for kind in "index", "protein-index", "sites":
            refuse(*save, kind, *options, status=2, says="has no effect with --save, which aligns nothing")
    run("splice", *save, "sites", "--species", "fly", "-o", "s.spsc", "--threads", "1", "--memory", "1G")
    fasta("t.fa", cdna=noise(60))
    refuse(*AUTO, "--exact-window", "--index", "none", status=2, says="--index has no effect with --exact-window")


def letters_of_a_reverse_complement_were_counted_from_its_end():
    random.seed(3)
    bases, cdna = gene()
    fasta("g.fa", chr=noise(300) + bases + noise(300))
    fasta("t.fa", back=complement(cdna))
    run("splice", *AUTO, "-o", "o", "--also", "html", "--json")
    spans = [tuple(map(int, span)) for span in re.findall(r"^exon \d+: .*, target (\d+)\.\.(\d+)$",
                                                          pathlib.Path("o.txt").read_text(), re.M)]
    gff = [tuple(map(int, span)) for span in re.findall(r"exon\d.*Target=back (\d+) (\d+) -",
                                                        pathlib.Path("o.gff3").read_text())]
    assert spans == gff and spans[0][1] == len(cdna) and spans[-1][0] == 1, (spans, gff)
    rows = [line.split() for line in pathlib.Path("o.txt").read_text().splitlines() if re.match(r" +\d+ [ACGT]+$", line)]
    at = len(cdna)
    for place, letters in rows[1::2]:
        assert int(place) == at, (place, at)
        at -= len(letters)
    assert ", reverse complement of the target" in pathlib.Path("o.html").read_text()


def proteins_of_a_batch_were_left_out_of_sam():
    random.seed(4)
    bases, cdna = gene()
    fasta("g.fa", chr=noise(300) + bases + noise(300))
    fasta("t.fa", cdna=cdna)
    fasta("p.fa", prot=translated(cdna[:-3]))
    pathlib.Path("list.tsv").write_text("g.fa\tauto\tt.fa\ng.fa\tauto\tp.fa\tprotein\n")
    for also, said in (("sam", ".sam has no proteins"), ("sam,bam", ".sam and .bam have no proteins"), ("gtf", "")):
        told = run("splice", "--batch", "list.tsv", "-o", "o", "--also", also).stderr
        assert said in told and bool(said) == ("no proteins" in told), told


def letters_that_are_none_were_said_to_be_proteins():
    fasta("g.fa", chr=noise(300))
    for letters, hint in (("ACG-TACG", "take it out"), ("ACG TACG", "take it out"), ("ACG1TACG", "take it out"),
                          ("ACGLTACG", "give proteins by --protein")):
        fasta("t.fa", a=letters)
        refuse(*AUTO, says=f"; {hint}")
    pathlib.Path("t.fa").write_text("@read\nACGT\n+\nIIII\n")
    refuse(*AUTO, says="write FASTQ as FASTA first")
    fasta("t.fa", a="ACGT")
    for text in "", "> a\n", "A C\nA 1 2\n":
        pathlib.Path("m.txt").write_text(text)
        refuse(*AUTO, "--matrix", "m.txt", says=["m.txt", "expected a line of "])


def the_reference_ran_for_minutes_without_a_word():
    fasta("g.fa", chr=noise(2300))
    cdna = noise(250)
    fasta("t.fa", a=cdna)
    pathlib.Path("e.tsv").write_text("".join(f"{k + 1}\t{k + 900}\n" for k in range(500)))
    given = ("splice", "--genome", "g.fa", "--target", "t.fa", "--exons", "e.tsv", "-o", "o", "--device")
    said = run(*given, "reference").stderr
    assert "--device reference is for small cases: it fills 113 M cells" in said, said
    assert "note" not in run(*given, "cpu").stderr
    pathlib.Path("e.tsv").write_text("1\t900\n")
    assert "note" not in run(*given, "reference").stderr


def refusals_followed_one_another_target_by_target():
    """Exons from signals are found for as many targets as memory allows: more memory, more that is held."""
    bases, cdna = gene()
    fasta("g.fa", chr=noise(3000) + bases + noise(3000))
    fasta("t.fa", **{f"t{k}": (cdna + noise(100 * k)) for k in range(1, 12)})
    fasta("p.fa", **{f"p{k}": translated(cdna[:-3]) * k for k in range(1, 5)})
    for targets in ("--target", "t.fa"), ("--protein", "p.fa"):
        given = ("splice", "--genome", "g.fa", "--exons", "auto", *targets, "-o", "o", "--memory")
        allowed, told = "1k", []
        while (done := subprocess.run([PROGRAM, *given, allowed], capture_output=True, text=True)).returncode:
            told.append(done.stderr)
            assert done.returncode == 4 and len(told) < 3, told
            assert len(told) == 2 or "give at least --memory" in done.stderr, told
            allowed = re.search(r"--memory ([\d.]+[kM])", done.stderr)[1]
        # From what reading takes on one refusal is all there is.
        enough = int(allowed[:-1].split(".")[0])
        for least in (k * enough / 8 for k in range(1, 8)):
            done = subprocess.run([PROGRAM, *given, f"{least}M"], capture_output=True, text=True)
            if done.returncode and "largest alignment" in done.stderr:
                run(*given, re.search(r"--memory ([\d.]+[kM])", done.stderr)[1])
                break
        else:
            raise AssertionError(done.stderr)


def gtf_was_no_format_of_exons_in_the_help():
    assert "GFF3, GTF, BED, a table" in run("splice", "--help").stdout
    genome = "ACGTTGCA" * 50
    put("g.fa", f">g\n{genome}\n")
    put("t.fa", f">t\n{genome[100:200]}\n")
    put("e.gtf", 'g\tx\texon\t101\t200\t.\t+\t.\tgene_id "a"; transcript_id "b";\n')
    run("splice", "--genome", "g.fa", "--exons", "e.gtf", "--target", "t.fa", "-o", "o")
    put("e.txt", ">g\n1 2\n")
    told = run("splice", "--genome", "g.fa", "--exons", "e.txt", "--target", "t.fa", "-o", "o", status=3).stderr
    assert "as GFF3, GTF, BED" in told, told
