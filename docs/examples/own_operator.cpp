// A running composition of affine maps x -> a x + b: a scan by an operator of one's own, which is
// associative and not commutative.
#include <cstdio>
#include <vector>

#include "yupana/arrays/scan.hpp"

struct Affine {
  double a = 1, b = 0;
};
/// First f, then g.
struct Then {
  Affine operator()(const Affine& f, const Affine& g) const { return {g.a * f.a, g.a * f.b + g.b}; }
};

int main() {
  yupana::Context context({.device = "cpu"});
  std::vector<Affine> maps(1000, Affine{0.5, 1});
  yupana::arrays::inclusive_scan(context, maps.data(), 1000, maps.data(), Then{});
  std::printf("after 1000 maps x -> x / 2 + 1, 0 has become %g\n", maps.back().b);
}
