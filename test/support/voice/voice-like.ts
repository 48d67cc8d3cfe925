/** Two resonances of the mouth for each of three vowels, in hertz. The detector hears a voice from one to the next, without a pause. */
const vowels = [
  [270, 2_290],
  [730, 1_090],
  [530, 1_840],
] as const;
const vowelSeconds = 0.12;

/** Audio that a voice detector takes for speech, without a speech program: vowels of a pitch that moves. */
export function voiceLike(ms: number, rate = 8_000): Int16Array<ArrayBuffer> {
  let phase = 0;
  return Int16Array.from({ length: (rate * ms) / 1_000 }, (_, index) => {
    const at = index / rate;
    const pitch = 120 * (1 + 0.15 * Math.sin(2 * Math.PI * 1.3 * at));
    phase += (2 * Math.PI * pitch) / rate;
    const [first, second] = vowels[Math.floor(at / vowelSeconds) % vowels.length] ?? vowels[0];
    let value = 0;
    for (let harmonic = 1; harmonic * pitch < 3_400; harmonic += 1) {
      const hz = pitch * harmonic;
      const formant = (middle: number, width: number) => 1 / (1 + ((hz - middle) / width) ** 2);
      value += (formant(first, 90) + 0.5 * formant(second, 120)) * Math.sin(harmonic * phase);
    }
    return Math.max(-32_000, Math.min(32_000, value * 3_500));
  });
}
