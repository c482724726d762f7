"""VCF files of calls with dosages, for tests."""
import pathlib


def write_vcf(path, calls):
    """Sites 1, 2, ... of samples s0, s1, ...: `calls` has the text of each, GT or GT:DS."""
    head = ["##fileformat=VCFv4.2", "##contig=<ID=1>",
            '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
            '##FORMAT=<ID=DS,Number=A,Type=Float,Description="Dosage of ALT">',
            "\t".join(["#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT",
                       *(f"s{i}" for i in range(len(calls[0])))])]
    sites = ["\t".join([f"1\t{k + 1}\tv{k}\tG\tA\t.\tPASS\t.", "GT:DS" if ":" in "".join(site) else "GT",
                        *site]) for k, site in enumerate(calls)]
    pathlib.Path(path).write_text("\n".join(head + sites) + "\n")
