"""yupana splice --frameshift: proteins whose gene lacks a base, has one too many, or a stop codon."""
import functools
import pathlib
import random

import genes
from genes import complement, fasta, table, translated
from program import helper, run

AUTO = ("--genome", "g.fa", "--protein", "p.fa")
SCORED = (*AUTO, "--matrix", "m.txt")
EQUAL, UNEQUAL = 5, -4
CODONS = {"A": "GCT", "D": "GAC", "K": "AAG", "L": "CTG", "S": "TCC", "F": "TTC", "V": "GTC", "E": "GAA"}
refuse = functools.partial(genes.refuse, status=2)


def noise(length):
    return "".join(random.choice("ACGT") for _ in range(length))


def protein(letters):
    return "M" + "".join(random.choice("ADKLSFVE") for _ in range(letters - 1))


def coding(acids):
    return "".join({"M": "ATG", **CODONS}[a] for a in acids) + "TAA"


def attributes(kind):
    return [line.split("\t")[8] for line in pathlib.Path("s.gff3").read_text().splitlines()
            if not line.startswith("#") and line.split("\t")[2] == kind]


@helper
def tags():
    return {field[:2]: field[5:] for field in pathlib.Path("s.paf").read_text().split("\t")[12:]}


def splice(bases, acids, *more):
    """On both strands, which say the same; the files on the + strand stay."""
    fasta("p.fa", p=acids)
    letters = "ARNDCQEGHILKMFPSTWYVX*"
    pathlib.Path("m.txt").write_text("   " + "  ".join(letters) + "\n" + "".join(
        f"{a} " + " ".join(str(EQUAL if a == b else UNEQUAL) for b in letters) + "\n" for a in letters))
    scores = []
    for letters in (complement(bases), bases):
        fasta("g.fa", chr=letters)
        run("splice", *SCORED, "-o", "s", *more)
        scores.append(tags()["AS"])
    assert scores[0] == scores[1], scores
    return float(scores[1])


def best_score(bases, acids, penalty):
    """Of a global alignment of codons to letters that may skip 1 or 2 bases."""
    lowest, acids = -1e9, acids + "*"
    rows = []  # by bases: the best, and in a gap of codons
    for at in range(len(bases) + 1):
        best, gap = [lowest] * (len(acids) + 1), [lowest] * (len(acids) + 1)
        letters = lowest
        for j in range(len(acids) + 1):
            here = 0 if at == j == 0 else lowest
            if at >= 3:
                gap[j] = max(rows[at - 3][0][j] - 12, rows[at - 3][1][j] - 1)
                if j:
                    equal = translated(bases[at - 3:at]) == acids[j - 1]
                    here = max(here, rows[at - 3][0][j - 1] + (EQUAL if equal else UNEQUAL))
            for skipped in (1, 2):
                if at >= skipped:
                    here = max(here, rows[at - skipped][0][j] - penalty)
            best[j] = max(here, gap[j], letters)
            letters = max(letters - 1, best[j] - 12)
        rows.append((best, gap))
    return rows[-1][0][-1]


def bases_too_few_and_too_many_are_shifts():
    random.seed(11)
    for shift in (-2, -1, 1, 2) * 2:
        acids = protein(random.randrange(60, 90))
        whole = coding(acids)
        at = random.randrange(60, len(whole) - 60)
        broken = whole[:at] + noise(shift) + whole[at:] if shift > 0 else whole[:at] + whole[at - shift:]
        bases = noise(300) + broken + noise(300)
        penalty = random.choice((15, 23))
        score = splice(bases, acids, "-F", penalty)
        assert score == best_score(broken, acids, penalty), (shift, at, score)
        assert tags()["fs"] == "1" and tags()["st"] == "0", tags()
        assert ";frameshift=1;" in attributes("mRNA")[0] and "stop_codon" not in attributes("mRNA")[0]
        assert len(attributes("CDS")) == 2 and "frameshift: " in pathlib.Path("s.txt").read_text()
        first, last = sorted(tuple(map(int, x.split("-"))) for x in table("s")[0]["chain"].split(","))
        assert (first[0], last[1]) == (301, 300 + len(broken)), (first, last)
        assert last[0] - first[1] - 1 == shift % 3, (shift, first, last)
        assert splice(bases, acids) < score, "a shift that does not pay"


def letters_alike_in_two_frames_hid_shifts():
    random.seed(16)
    # Lysines and glutamates one base on are lysines, glutamates and arginines.
    acids = protein(40) + "".join(random.choice("KE") for _ in range(25)) + protein(40)[1:]
    whole = coding(acids)
    at = 3 * 65
    fasta("g.fa", chr=noise(200) + whole[:at] + whole[at + 1:] + noise(200))
    fasta("p.fa", p=acids)
    run("splice", *AUTO, "-o", "s", "-F", 15)
    assert tags()["fs"] == "1", tags()


def shifts_beside_introns_keep_their_exons():
    random.seed(12)
    acids = protein(150)
    whole = coding(acids)
    intron = "GTAAGT" + noise(150) + "TTTTTTTCTTTTTTTTGCAG"
    broken = whole[:130] + whole[131:200] + intron + whole[200:]
    splice(noise(400) + broken + noise(400), acids, "--frameshift", 23)
    chain = [tuple(map(int, x.split("-"))) for x in table("s")[0]["chain"].split(",")]
    assert len(chain) == 3 and chain[0][0] == 401 and chain[1][1] == 400 + 199, chain
    assert chain[2] == (400 + 200 + len(intron), 400 + len(broken)), chain
    assert tags()["fs"] == "1" and tags()["cg"].count("F") == 1 and "V" in tags()["cg"], tags()


def shifts_were_refused_with_scores_of_sites():
    """The intron may lie six bases further on; the scores of its sites say where, between two shifts."""
    random.seed(16)
    acids = protein(67) + "VK" + protein(80)[1:]
    whole = coding(acids).replace("GTCAAG", "GTAAAG")
    intron = "GTAAAGGTAAGT" + noise(150) + "TTTTCTTTTCCTTTTTTTGCAG"
    broken = whole[:100] + whole[101:201] + intron + whole[201:330] + whole[331:]
    bases = noise(400) + broken + noise(400)
    fasta("p.fa", p=acids)
    for shift in (0, 6):
        sites = ((400 + 200 + shift, "D"), (400 + 200 + shift + len(intron), "A"))
        for strand in "+-":
            place = (lambda at: at) if strand == "+" else (lambda at: len(bases) - at)
            fasta("g.fa", chr=bases if strand == "+" else complement(bases))
            pathlib.Path("sites.tsv").write_text("".join(f"chr\t{place(at)}\t{strand}\t{kind}\t13\n" for at, kind in sites))
            run("splice", *AUTO, "-F", 23, "--splice-scores", "sites.tsv", "-o", "s")
            exons = [tuple(map(int, part.split("-"))) for part in table("s")[0]["chain"].split(",")]
            if strand == "-":
                exons = [(len(bases) + 1 - last, len(bases) + 1 - first) for first, last in exons]
            junctions = {first - 1 for first, _ in exons} | {last for _, last in exons}
            assert {at for at, _ in sites} <= junctions, (sites, junctions, strand)
            assert tags()["fs"] == "2", (tags(), shift, strand)


def shifts_were_introns_on_the_page():
    random.seed(12)
    acids = protein(150)
    whole = coding(acids)
    intron = "GTAAGT" + noise(150) + "TTTTTTTCTTTTTTTTGCAG"
    broken = whole[:130] + whole[131:200] + intron + whole[200:]
    splice(noise(400) + broken + noise(400), acids, "--frameshift", 23, "--also", "html")
    assert "0 of 1 intron is not GT..AG." in pathlib.Path("s.html").read_text()


def stop_codons_inside_are_paid_for():
    random.seed(13)
    acids = protein(80)
    whole = coding(acids)
    broken = whole[:120] + "TGA" + whole[123:]
    unbroken = splice(noise(300) + whole + noise(300), acids, "-F", 20)
    score = splice(noise(300) + broken + noise(300), acids, "-F", 20)
    assert score == unbroken - EQUAL + UNEQUAL - 20, (score, unbroken)
    assert (tags()["fs"], tags()["st"]) == ("0", "1"), tags()
    assert ";stop_codon=1;" in attributes("mRNA")[0] and "frameshift" not in attributes("mRNA")[0]
    assert table("s")[0]["chain"] == f"301-{300 + len(broken)}"
    score = splice(noise(300) + broken + noise(300), acids, "-F", 200)
    assert unbroken - EQUAL - 200 < score < unbroken - EQUAL + UNEQUAL, "a gap, or an intron, pays"


def frames_that_are_whole_are_as_without_the_option():
    random.seed(14)
    acids = protein(100)
    whole = coding(acids)
    bases = noise(300) + whole[:100] + "GTAAGT" + noise(100) + "TTTTTTTCTTTTTTTTGCAG" + whole[100:] + noise(300)
    files = []
    for more in ((), ("-F", 23), ("-F", 0)):
        splice(bases, acids, *more)
        row = table("s")[0]
        row.pop("executed_cells")  # more where stop codons may be read over
        files.append([row] + [pathlib.Path(f"s.{end}").read_text() for end in ("gff3", "paf", "txt")])
    files[1][2] = files[1][2].replace("\tfs:i:0", "")
    assert files[0] == files[1] == files[2]


def devices_agree_on_shifts():
    random.seed(15)
    acids = protein(60)
    whole = coding(acids)
    fasta("g.fa", chr=noise(100) + whole[:90] + whole[91:] + noise(100))
    fasta("p.fa", p=acids)
    files = []
    for more in (("--device", "cpu", "--threads", 1), ("--device", "cpu", "--threads", 2), ("--device", "reference")):
        run("splice", *AUTO, "-o", "s", "-F", 23, *more)
        files.append([pathlib.Path(f"s.{end}").read_text() for end in ("gff3", "paf", "txt")])
    assert files[0] == files[1] == files[2] and "\tfs:i:1" in files[0][1]


def shifts_without_effect_are_refused():
    fasta("g.fa", chr="ACGTACGTAC")
    fasta("p.fa", p="MKV")
    pathlib.Path("e.tsv").write_text("1 9\n")
    refuse(*AUTO, "--exons", "e.tsv", "-F", 5, says=["--frameshift", "--exons auto"])
    refuse("--genome", "g.fa", "--target", "g.fa", "-F", 5, says=["--frameshift", "--protein"])
