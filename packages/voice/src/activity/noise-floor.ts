/** Half a second. */
const framesOfPart = 25;
/** Three seconds. Within them, a person who speaks draws breath. */
const parts = 6;
/** Single frames of a noise vary. */
const smoothing = 0.6;
/** For the first second the line is assumed to be quiet, because the person may speak at once. */
const quietLine = { frames: 50, loudness: 100 };

/**
 * Estimates the loudness of a line without speech as the minimum over the last seconds, which the pauses between and within words reach ("minimum
 * statistics", Martin 2001). A steady noise or tone counts as noise entirely.
 */
export function createNoiseFloor() {
  let smooth: number | null = null;
  let frames = 0;
  let current = Infinity;
  let minima: number[] = [];
  return {
    /** Takes the loudness of the next frame. Returns how many times louder than its noise the line is. */
    take(loudness: number): number {
      smooth = smooth === null ? loudness : smoothing * smooth + (1 - smoothing) * loudness;
      frames += 1;
      current = Math.min(current, smooth);
      const known = Math.min(current, ...minima);
      const floor = frames < quietLine.frames ? Math.min(known, quietLine.loudness) : known;
      if (frames % framesOfPart === 0) {
        minima = [...minima, current].slice(-parts);
        current = Infinity;
      }
      return floor === 0 ? Infinity : smooth / floor;
    },
  };
}
