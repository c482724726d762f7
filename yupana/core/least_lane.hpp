// For files that are compiled for every SIMD target, after hwy/highway.h.
#if defined(YUPANA_LEAST_LANE) == defined(HWY_TARGET_TOGGLE)
#ifdef YUPANA_LEAST_LANE
#undef YUPANA_LEAST_LANE
#else
#define YUPANA_LEAST_LANE
#endif

#include <hwy/highway.h>

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace yupana::HWY_NAMESPACE {

/// The least lane of a vector. Where the compiler knows no instruction set, Highway's MinOfLanes
/// begins with the largest finite number, and takes infinity in all lanes for that.
template <class D>
hwy::HWY_NAMESPACE::TFromD<D> least_lane(D d, hwy::HWY_NAMESPACE::Vec<D> v) {
  namespace hn = hwy::HWY_NAMESPACE;
#if HWY_TARGET == HWY_EMU128
  HWY_ALIGN hn::TFromD<D> lanes[hn::MaxLanes(D())];
  hn::Store(v, d, lanes);
  return *std::min_element(lanes, lanes + hn::Lanes(d));
#else
  return hn::GetLane(hn::MinOfLanes(d, v));
#endif
}

}  // namespace yupana::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
