/** Audio that a voice detector takes for speech, without a speech program: a buzz with the formants of a vowel. */
export function voiceLike(ms: number, rate = 8_000): Int16Array<ArrayBuffer> {
  let phase = 0;
  return Int16Array.from({ length: (rate * ms) / 1_000 }, (_, index) => {
    const at = index / rate;
    const pitch = 130 + 20 * Math.sin(2 * Math.PI * 3 * at);
    phase += (2 * Math.PI * pitch) / rate;
    let value = 0;
    for (let harmonic = 1; harmonic <= 20; harmonic += 1) {
      const hz = pitch * harmonic;
      const formant = (middle: number, width: number) => Math.exp(-(((hz - middle) / width) ** 2));
      value += (formant(600, 250) + 0.7 * formant(1_200, 300) + 0.1 / harmonic) * Math.sin(harmonic * phase);
    }
    return Math.max(-32_000, Math.min(32_000, value * 3_500));
  });
}
