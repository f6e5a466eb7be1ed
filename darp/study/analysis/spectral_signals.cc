#include "darp/study/analysis/spectral_signals.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace darp {

std::vector<double> SignalModes::shares() const {
  const double sum = std::accumulate(energy.begin(), energy.end(), 0.0);
  std::vector<double> shares = energy;
  for (double& share : shares) share = sum > 0 ? share / sum : 0;
  return shares;
}

SignalModes signal_modes(const Spectrum& spectrum, DoubleView signal, DoubleView reference) {
  DARP_CHECK(signal.rows() == spectrum.rows() && reference.rows() == spectrum.rows() &&
                 signal.cols() == reference.cols(),
             "{}x{} and {}x{} on {} rows", signal.rows(), signal.cols(), reference.rows(),
             reference.cols(), spectrum.rows());
  SignalModes modes;
  for (int64_t j = 0; j < spectrum.rows(); ++j) {
    double energy = 0, shared = 0;
    for (int64_t c = 0; c < signal.cols(); ++c) {
      double of_signal = 0, of_reference = 0;
      for (int64_t i = 0; i < spectrum.rows(); ++i) {
        const double along = spectrum.weights[static_cast<size_t>(i)] * spectrum.modes(j, i);
        of_signal += along * signal(i, c);
        of_reference += along * reference(i, c);
      }
      energy += of_signal * of_signal;
      shared += of_signal * of_reference;
    }
    modes.energy.push_back(energy);
    modes.shared.push_back(shared);
  }
  return modes;
}

double roughness(std::span<const double> eigenvalues, std::span<const double> shares) {
  return std::inner_product(shares.begin(), shares.end(), eigenvalues.begin(), 0.0);
}

std::vector<double> energy_up_to(std::span<const double> eigenvalues,
                                 std::span<const double> shares, std::span<const double> limits) {
  std::vector<double> sums;
  double sum = 0;
  size_t next = 0;
  for (const double limit : limits) {
    for (; next < eigenvalues.size() && eigenvalues[next] <= limit; ++next) sum += shares[next];
    sums.push_back(sum);
  }
  return sums;
}

std::vector<ModeBand> mode_bands(std::span<const double> eigenvalues, double width) {
  const auto place = [&](double eigenvalue) {
    return std::floor(std::max(0.0, eigenvalue) / width);
  };
  std::vector<ModeBand> bands;
  for (size_t j = 0; j < eigenvalues.size(); ++j) {
    if (j == 0 || place(eigenvalues[j]) != place(eigenvalues[j - 1])) bands.push_back({j, j, 0});
    bands.back().end = j + 1;
    bands.back().eigenvalue += eigenvalues[j];
  }
  for (ModeBand& band : bands) band.eigenvalue /= static_cast<double>(band.end - band.begin);
  return bands;
}

double band_gain(const ModeBand& band, const SignalModes& signal,
                 std::span<const double> reference_energy) {
  double shared = 0, energy = 0;
  for (size_t j = band.begin; j < band.end; ++j) {
    shared += signal.shared[j];
    energy += reference_energy[j];
  }
  return energy > 0 ? shared / energy : 0;
}

}  // namespace darp
