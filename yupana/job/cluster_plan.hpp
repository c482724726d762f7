#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yupana::job {

/// A run on a cluster that need not exist. Rates are assumptions where no measurement is named in
/// measured_rates().
struct ClusterParams {
  bool fermat = false;  ///< shortest paths and pictures after the distances
  std::int64_t samples = 0;
  std::int64_t sites = 0;
  bool missing = true;  ///< some calls are missing, or may be
  bool hethet = false;  ///< KING
  int gpus = 64;
  int gpus_per_node = 8;
  std::uint64_t gpu_memory = std::uint64_t{125} << 30;  ///< nine tenths of an H200's 139 GiB
  double network = 50;                                  ///< GB/s that a GPU sends, and receives
  double file_rate = 10;                                ///< GB/s that a node reads, or writes
  double pcie = 55.6;                                   ///< GB/s to a GPU
};

/// A rate that was measured, and where it is reported.
struct MeasuredRate {
  std::string_view name;
  double value;
  std::string_view unit;
  std::string_view source;
};
std::span<const MeasuredRate> measured_rates();

/// Work of one kind. Stages that flow together end with the slowest.
struct ClusterStage {
  std::string name;
  double seconds = 0;
  bool flows = false;  ///< concurrent with the other stages that flow, block after block
};

/// How pairs x sites are cut, and what that costs.
///   The triangle of pairs is cut into pair_groups x passes tiles of equal size, the sites into
///   site_groups. GPU (p, s) counts tile p of the sites s, pass after pass; the sums of a tile meet
///   over the site groups by reduce-scatter. GPUs of one site group sit on as few nodes as hold
///   them, and a node reads its sites once.
struct ClusterPlan {
  ClusterParams params;
  int pair_groups = 1, site_groups = 1;
  std::int64_t passes = 1;
  int nodes = 1;             ///< in use
  double gpu_bytes = 0;      ///< on each GPU, at the most
  double host_bytes = 0;     ///< on the first node, where Fermat's report is made; 0 for dist
  double read_bytes = 0;     ///< from files, by all nodes
  double upload_bytes = 0;   ///< to all GPUs
  double sent_bytes = 0;     ///< by all GPUs
  double written_bytes = 0;  ///< to files
  double pair_sites = 0;     ///< n (n - 1) / 2 x sites
  double relaxations = 0;    ///< additions and minima of the shortest paths: n^3 / 2
  std::vector<ClusterStage> stages;
  std::string bottleneck;        ///< the longest stage
  double seconds = 0;            ///< the longest of what flows, and all of what does not
  double one_group_seconds = 0;  ///< the same with pair_groups = 1; 0: does not fit

  int used_gpus() const { return pair_groups * site_groups; }
  const ClusterStage& stage(std::string_view name) const;
};

/// The quickest cut of at most params.gpus GPUs; of equal ones that with the fewest groups of
/// pairs. More GPUs are never slower: what does not help stays idle.
///   time: gpus x log gpus cuts are tried
///   errors: usage (a size or rate that cannot be), out_of_resources with what would do
ClusterPlan plan_cluster(const ClusterParams& params);

/// In lines of text, and for programs.
std::string describe(const ClusterPlan& plan);
nlohmann::ordered_json plan_json(const ClusterPlan& plan);

}  // namespace yupana::job
