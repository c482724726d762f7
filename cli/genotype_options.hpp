#pragma once

#include "cli/command.hpp"
#include "yupana/genotype/cohort.hpp"
#include "yupana/genotype/grm.hpp"
#include "yupana/job/count.hpp"
#include "yupana/job/input.hpp"
#include "yupana/report/pictures.hpp"

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

}  // namespace yupana::cli
