#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/command.hpp"
#include "yupana/genotype/cohort.hpp"
#include "yupana/job/counting.hpp"
#include "yupana/job/input.hpp"

namespace yupana::cli {

/// The options of every command that reads genotypes: input, filters, missing calls.
void add_genotype_options(CLI::App& app, job::InputParams& input);
/// Throws usage for an option of them that has no effect on this input or without its partner.
void check_genotype_options(const CLI::App& app, const job::InputParams& input);
/// The same for the options of add_rank_options and add_checkpoint_options.
void check_run_options(const CLI::App& app, const CommonOptions& common);
/// Throws usage for any of them where `other` gives distances instead of genotypes.
void refuse_genotype_options(const CLI::App& app, const std::string& other);
/// How processes that mpirun starts share the counting.
void add_rank_options(CLI::App& app, job::InputParams& input);
void add_checkpoint_options(CLI::App& app, job::CheckpointParams& checkpoint);

/// Sample and site accounting, for people and for programs.
std::string account_text(const genotype::CohortSummary& summary);
nlohmann::ordered_json account_json(const genotype::CohortSummary& summary);

}  // namespace yupana::cli
