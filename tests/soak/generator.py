"""Random small jobs of every command. A job is a function of its number."""
import random

import genome_jobs
import number_jobs
import table_jobs

FAMILIES = {f.__name__: f for module in (number_jobs, table_jobs, genome_jobs) for f in module.FAMILIES}


def job(seed, number_of_job, families):
    rng = random.Random(f"{seed}.{number_of_job}")
    return FAMILIES[rng.choice(sorted(families))](rng)
