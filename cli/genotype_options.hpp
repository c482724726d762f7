#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "yupana/analysis/neighbor_joining.hpp"
#include "yupana/genotype/block_bootstrap.hpp"
#include "yupana/genotype/cohort.hpp"
#include "yupana/genotype/grm.hpp"
#include "yupana/genotype/kinship.hpp"
#include "yupana/job/count.hpp"
#include "yupana/job/input.hpp"
#include "yupana/report/report.hpp"

namespace yupana::cli {

/// The options of every command that reads genotypes: input, filters, missing calls. `drawing`:
/// options of the command that draw at random, by --seed as --thin does.
void add_cohort_options(Command& command, job::InputParams& input, const Names& drawing = {});
/// The same, and how processes that mpirun starts share the counting, and checkpoints: options of
/// every command that counts pairs. None has an effect with `replaced_by`, an option that gives
/// distances instead.
void add_genotype_options(Command& command,
                          job::InputParams& input,
                          job::CheckpointParams& checkpoint,
                          const std::string& replaced_by = "",
                          const Names& drawing = {});
/// --dosage, of commands that can take dosages instead of hard calls.
void add_dosage(Command& command, job::InputParams& input);
/// --standardize, of commands that make a relationship matrix.
void add_standardize(Command& command, genotype::Standardize& standardize);
/// --figures and --figure-width, of the pictures of reports.
void add_pictures(Command& command, report::PictureParams& pictures);
/// --plan, which the body answers with plan_answer().
void add_plan_flag(Command& command, bool& plan);
/// Throws usage where no input is given, or for one of these options that has no effect on it.
void check_cohort_options(const Call& call, const job::InputParams& input);
/// The same, and of those of commands that count pairs.
void check_genotype_options(const Call& call, const job::InputParams& input);
/// Sample and site accounting, for people and for programs.
std::string account_text(const genotype::CohortSummary& summary);
nlohmann::ordered_json account_json(const genotype::CohortSummary& summary);
/// The answer of a command that has read a cohort and written `files`: its account, `text`, stages.
Answer cohort_answer(const Context& context,
                     const Call& call,
                     const genotype::CohortSummary& summary,
                     const std::vector<std::string>& files,
                     const std::string& text = "");

/// -o of commands that write several files.
inline constexpr const char* prefix_out = "PREFIX, the beginning of the files to write, as out/run";

/// The methods of --tree by their words; upgma is another one for average.
Choices<analysis::TreeMethod> tree_methods();

/// --bootstrap and --block, of commands that count pairs of genotypes and write a tree. The seed is
/// that of --thin.
void add_bootstrap(Command& command, genotype::BootstrapParams& bootstrap);

/// Adds what support is of to `json`, and returns it as a line; of no replicates nothing.
std::string add_support(nlohmann::ordered_json& json,
                        const genotype::BootstrapParams& bootstrap,
                        std::int64_t blocks);

/// Adds to an answer how many pairs of each relationship there are, and those that are duplicates
/// or twins by name; returns the same in lines of text.
std::string add_relationships(nlohmann::ordered_json& json,
                              const genotype::RelationshipCounts& counts,
                              const std::vector<std::string>& names);

}  // namespace yupana::cli
