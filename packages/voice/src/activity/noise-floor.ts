/** How loud a line is where nobody speaks. */
export interface NoiseFloor {
  /** Takes the loudness of the next frame, and gives how much louder than the noise the line is; Infinity while that is not known. */
  take(loudness: number): number;
}

/** Of 20 ms each: half a second. */
const framesOfPart = 25;
/** Three seconds: people who speak draw breath within them. */
const parts = 6;
/** A single frame says little of a noise that moves. */
const smoothing = 0.6;
/** The first frames may be those of a word. */
const leastFrames = 5;

/**
 * The least loudness of the last seconds, which is that of the pauses between and within words ("minimum statistics", Martin 2001). A steady noise is
 * all floor; so is a tone.
 */
export function createNoiseFloor(): NoiseFloor {
  let smooth: number | null = null;
  let frames = 0;
  let current = Infinity;
  let minima: number[] = [];
  return {
    take(loudness) {
      smooth = smooth === null ? loudness : smoothing * smooth + (1 - smoothing) * loudness;
      frames += 1;
      current = Math.min(current, smooth);
      if (frames < leastFrames) return Infinity;
      const floor = Math.min(current, ...minima);
      if (frames % framesOfPart === 0) {
        minima = [...minima, current].slice(-parts);
        current = Infinity;
      }
      return floor === 0 ? Infinity : smooth / floor;
    },
  };
}
