#include "yupana/job/align_cases.hpp"

#include <cstring>

#include "yupana/core/comm.hpp"
#include "yupana/splice/shares.hpp"

namespace yupana::job {
namespace {

using splice::SplicedAlignment;

using Numbers = std::vector<std::int64_t>;

/// An alignment as numbers of a message.
void put(const SplicedAlignment& alignment, Numbers& to) {
  to.insert(to.end(),
            {alignment.score,
             alignment.executed_cells,
             alignment.traced_cells,
             alignment.wide,
             std::ssize(alignment.chain)});
  for (const splice::ExonAlignment& exon : alignment.chain) {
    to.insert(to.end(), {exon.exon, exon.target_begin, exon.target_end, std::ssize(exon.runs)});
    for (const splice::Run& run : exon.runs) to.insert(to.end(), {run.operation, run.length});
  }
}

SplicedAlignment take(const std::int64_t*& from) {
  SplicedAlignment alignment;
  alignment.score = *from++;
  alignment.executed_cells = *from++;
  alignment.traced_cells = *from++;
  alignment.wide = *from++ != 0;
  alignment.chain.resize(static_cast<std::size_t>(*from++));
  for (splice::ExonAlignment& exon : alignment.chain) {
    exon.exon = *from++;
    exon.target_begin = *from++;
    exon.target_end = *from++;
    exon.runs.resize(static_cast<std::size_t>(*from++));
    for (splice::Run& run : exon.runs) {
      run.operation = static_cast<char>(*from++);
      run.length = *from++;
    }
  }
  return alignment;
}

}  // namespace

std::vector<SplicedAlignment> align_cases(
    Context& context,
    std::span<const splice::Case> cases,
    const std::vector<double>& cells,
    const std::function<std::vector<SplicedAlignment>(std::span<const splice::Case>)>& align) {
  if (context.ranks() == 1) return align(cases);
  const auto dealt =
      splice::deal(splice::by_work(cells), cells, static_cast<std::size_t>(context.ranks()));
  const std::vector<std::size_t>& own = dealt[static_cast<std::size_t>(context.rank())];
  std::vector<splice::Case> mine;
  for (const std::size_t c : own) mine.push_back(cases[c]);
  Numbers numbers;
  for (const SplicedAlignment& alignment : align(mine)) put(alignment, numbers);

  std::vector<std::vector<std::byte>> messages(dealt.size());
  messages.front().resize(numbers.size() * sizeof(std::int64_t));
  if (!numbers.empty()) {
    std::memcpy(messages.front().data(), numbers.data(), messages.front().size());
  }
  const auto received = context.comm()->exchange(messages);
  if (context.rank() > 0) return {};
  std::vector<SplicedAlignment> all(cases.size());
  for (std::size_t r = 0; r < dealt.size(); ++r) {
    Numbers theirs(received[r].size() / sizeof(std::int64_t));
    if (!theirs.empty()) std::memcpy(theirs.data(), received[r].data(), received[r].size());
    const std::int64_t* next = theirs.data();
    for (const std::size_t c : dealt[r]) all[c] = take(next);
  }
  return all;
}

}  // namespace yupana::job
