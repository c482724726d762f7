#include "yupana/spectral/mixed_cuda.cuh"

namespace yupana::spectral::cuda {

Radices radices_of(int length) {
  // As few stages as possible, then the smallest sum of radices: 1000 is 10 10 10.
  constexpr int all[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 16};
  Radices best;
  best.count = max_stages + 1;
  int least = 0;
  Radices trial;
  const auto search = [&](const auto& again, int left, int from, int sum) -> void {
    if (left == 1) {
      if (trial.count < best.count || (trial.count == best.count && sum < least)) {
        best = trial;
        least = sum;
      }
      return;
    }
    if (trial.count == max_stages) return;
    for (int i = from; i >= 0; --i) {
      if (left % all[i] != 0) continue;
      trial.radix[static_cast<std::size_t>(trial.count++)] = all[i];
      again(again, left / all[i], i, sum + all[i]);
      --trial.count;
    }
  };
  search(search, length, static_cast<int>(std::size(all)) - 1, 0);
  if (length == 1) best.radix[0] = best.count = 1;
  best.length = length;
  return best;
}

}  // namespace yupana::spectral::cuda
