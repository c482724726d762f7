#include <optional>

#include "yupana/core/error.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/sparse/triangular_backends.hpp"
#include "yupana/sparse/triangular_cuda.hpp"

namespace yupana::sparse::cuda {
namespace {

using yupana::cuda::DeviceScope;

template <class T>
void upload(DeviceArray<T>& to, const T* from, std::int64_t count) {
  if (to.size() < count) to = DeviceArray<T>(count);
  yupana::cuda::upload("copy to the device", to.data(), from, count);
}

template <class Value, class Index>
class ResidentSystem : public Resident<Value, Index> {
 public:
  ResidentSystem(int device, const Split<Value, Index>& matrix)
      : device_(device), rows_(matrix.rows) {
    const DeviceScope scope(device_);
    system_.emplace();
    upload(begin_, matrix.begin.data(), matrix.begin.size());
    upload(columns_, matrix.columns.data(), matrix.columns.size());
    upload_values(matrix);
    triangle_ = matrix.triangle;
    system_->analyse(view());
  }
  ~ResidentSystem() override {
    const DeviceScope scope(device_);
    system_.reset();
  }

  LevelAnalysis<Index> analysis() const override {
    const DeviceScope scope(device_);
    return system_->analysis();
  }
  void prepare(SolveMethod method) override {
    const DeviceScope scope(device_);
    by_level_ = method == SolveMethod::level_set;
    system_->pack(view(), by_level_);
  }
  void update_values(const Split<Value, Index>& matrix) override {
    const DeviceScope scope(device_);
    upload_values(matrix);
    system_->update_values(view());
  }
  void solve(const Value* b,
             std::int64_t b_stride,
             Value* x,
             std::int64_t x_stride,
             std::int64_t sides) override {
    const DeviceScope scope(device_);
    if (b_.size() < rows_ * sides) {
      b_ = DeviceArray<Value>(rows_ * sides);
      x_ = DeviceArray<Value>(rows_ * sides);
    }
    copy_columns(b_.data(), sides, b, b_stride, sides);
    run(b_.data(), x_.data(), sides);
    copy_columns(x, x_stride, x_.data(), sides, sides);
    system_->stream().wait();
  }
  void solve(const Value* b, Value* x, std::int64_t sides) override {
    const DeviceScope scope(device_);
    run(b, x, sides);
    system_->stream().wait();
  }
  int device() const override { return device_; }

 private:
  void run(const Value* b, Value* x, std::int64_t sides) {
    if (by_level_) {
      system_->solve_levels(b, x, sides);
    } else {
      system_->solve(b, x, sides);
    }
  }
  void copy_columns(Value* to,
                    std::int64_t to_stride,
                    const Value* from,
                    std::int64_t from_stride,
                    std::int64_t sides) {
    const auto width = static_cast<std::size_t>(sides) * sizeof(Value);
    yupana::cuda::copy_rows("copy b or x",
                            {to, static_cast<std::size_t>(to_stride) * sizeof(Value)},
                            {from, static_cast<std::size_t>(from_stride) * sizeof(Value)},
                            width,
                            rows_,
                            system_->stream());
  }
  void upload_values(const Split<Value, Index>& matrix) {
    upload(values_, matrix.values.data(), matrix.values.size());
    upload(diagonal_, matrix.diagonal.data(), matrix.diagonal.size());
  }
  DeviceCsr<Value, Index> view() const {
    return {rows_, triangle_, begin_.data(), columns_.data(), values_.data(), diagonal_.data()};
  }

  int device_;
  std::int64_t rows_;
  bool by_level_ = false;
  Triangle triangle_ = Triangle::lower;
  DeviceArray<Index> begin_, columns_;
  DeviceArray<Value> values_, diagonal_, b_, x_;
  std::optional<DeviceSystem<Value, Index>> system_;
};

}  // namespace

template <class Value, class Index>
std::unique_ptr<Resident<Value, Index>> resident(Context& context,
                                                 const Split<Value, Index>& matrix) {
  return std::make_unique<ResidentSystem<Value, Index>>(context.devices().front(), matrix);
}

YUPANA_FUNCTIONS(YUPANA_SPARSE, resident)

}  // namespace yupana::sparse::cuda
