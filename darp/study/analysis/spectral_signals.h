#pragma once
// Signals on a graph's rows (a column for each number of an action) by frequency.

#include <span>
#include <vector>

#include "darp/retrieval/graph/spectrum.h"

namespace darp {

/// For every mode, summed over columns: what a signal has in it, and what it shares with another.
struct SignalModes {
  std::vector<double> energy;  // <v, f>^2
  std::vector<double> shared;  // <v, f> <v, a>

  /// The parts of the energy in each mode: they sum to 1. All 0 for a signal that is 0.
  std::vector<double> shares() const;
};

/// `signal` and `reference` have the graph's rows and equally many columns.
SignalModes signal_modes(const Spectrum& spectrum, DoubleView signal, DoubleView reference);

/// f'Lf / f'f: the mean eigenvalue by energy. 0: as smooth as the graph allows.
double roughness(std::span<const double> eigenvalues, std::span<const double> shares);

/// The part of the energy in modes with eigenvalues up to each of `limits`, which ascend.
std::vector<double> energy_up_to(std::span<const double> eigenvalues,
                                 std::span<const double> shares, std::span<const double> limits);

/// Modes [begin, end) with eigenvalues in [i width, (i + 1) width) for some i.
struct ModeBand {
  size_t begin = 0, end = 0;
  double eigenvalue = 0;  // the mean
};
/// All modes in bands; none is empty. `eigenvalues` ascend; below 0 by rounding counts as 0.
std::vector<ModeBand> mode_bands(std::span<const double> eigenvalues, double width);

/// What a policy keeps of the reference in a band: the factor that, on the reference, comes nearest
/// to the signal. 1: all of it; 0: nothing.
double band_gain(const ModeBand& band, const SignalModes& signal,
                 std::span<const double> reference_energy);

}  // namespace darp
