#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "yupana/genotype/cohort.hpp"
#include "yupana/job/counting.hpp"
#include "yupana/job/input.hpp"

namespace yupana::cli {

/// The options of every command that reads genotypes: input, filters, missing calls.
void add_genotype_options(CLI::App& app, job::InputParams& input);
/// How processes that mpirun starts share the counting.
void add_rank_options(CLI::App& app, job::InputParams& input);
void add_checkpoint_options(CLI::App& app, job::CheckpointParams& checkpoint);

/// Sample and site accounting, for people and for programs.
std::string account_text(const genotype::CohortSummary& summary);
nlohmann::ordered_json account_json(const genotype::CohortSummary& summary);

}  // namespace yupana::cli
