# %% [markdown]
# # Spectra of sampled signals, with the switch on and off
# What SciPy's tutorial on Fourier transforms teaches, told in other words: two tones and where they stand, what a
# window is for, signals that are real, and filters in two dimensions. Run as
# `python switch_spectra.py [FOLDER] [off]`; both runs print the same figures.

# %%
import sys

import numpy as np
import scipy.fft
from scipy.signal import get_window

arguments = [word for word in sys.argv[1:] if word != "off"]
folder = arguments[0] if arguments else "."
if "off" not in sys.argv[1:]:
    import yupana.scipy_fft

    scipy.fft.set_global_backend(yupana.scipy_fft)  # the only line that changes

# %% [markdown]
# A second of two tones, 440 Hz and a weaker 659.25 Hz, at 4,096 values a second. A transform of n values has n bins
# of one hertz; of a real signal the upper half mirrors the lower.

# %%
rate = 4096
time = np.arange(rate) / rate
signal = np.sin(2 * np.pi * 440 * time) + 0.3 * np.sin(2 * np.pi * 659.25 * time)
spectrum = scipy.fft.fft(signal)
frequency = scipy.fft.fftfreq(rate, 1 / rate)
height = 2 / rate * np.abs(spectrum[: rate // 2])
strongest = np.sort(np.argsort(height)[-3:])
print("highest bins:", [f"{frequency[k]:.0f} Hz: {height[k]:.6f}" for k in strongest])
print(f"mirror image: {np.abs(spectrum[1:] - spectrum[:0:-1].conj()).max() < 1e-9}")

# %% [markdown]
# The second tone falls between two bins, and leaks into all. A window that fades in and out keeps it together.

# %%
for name in ("boxcar", "hann", "blackman"):
    window = get_window(name, rate)
    faded = np.abs(scipy.fft.rfft(signal * window)) * 2 / window.sum()
    print(f"{name:8} at 800 Hz {20 * np.log10(faded[800]):8.3f} dB, at 659 Hz {faded[659]:.6f}")

# %% [markdown]
# There and back: the half spectrum of a real signal suffices, for odd lengths the length has to be told.

# %%
for n in (4096, 4095):
    again = scipy.fft.irfft(scipy.fft.rfft(signal[:n]), n)
    print(f"{n} values return to within 1e-12: {np.abs(again - signal[:n]).max() < 1e-12}")
energy = (np.abs(scipy.fft.fft(signal, norm="ortho")) ** 2).sum()
print(f"energy of the signal {(signal**2).sum():.6f}, of its unitary transform {energy:.6f}")

# %% [markdown]
# In two dimensions: a picture of stripes and a disc. A few waves near the middle of the spectrum are the picture's
# rough shape.

# %%
y, x = np.mgrid[-1:1:256j, -1:1:256j]
picture = (x**2 + y**2 < 0.3) + 0.2 * np.cos(40 * x)
waves = scipy.fft.fftshift(scipy.fft.fft2(picture))
for kept in (4, 16, 64):
    mask = np.zeros_like(waves)
    mask[128 - kept : 128 + kept, 128 - kept : 128 + kept] = 1
    rough = scipy.fft.ifft2(scipy.fft.ifftshift(waves * mask)).real
    print(f"{(2 * kept) ** 2:6} of 65536 waves: root mean square error {np.sqrt(np.mean((rough - picture) ** 2)):.6f}")

# %% [markdown]
# Two signals convolved: a product of spectra, padded so that the ends do not meet.

# %%
echo = np.zeros(2000)
echo[[0, 700, 1500]] = 1, 0.5, 0.25
length = scipy.fft.next_fast_len(rate + 1999, real=True)
product = scipy.fft.rfft(signal, length) * scipy.fft.rfft(echo, length)
both = scipy.fft.irfft(product, length)[: rate + 1999]
print(f"with its echoes: {len(both)} values, power {np.mean(both**2):.6f}")
np.save(f"{folder}/spectra.npy", np.concatenate([height, both]))
