/** The loudness of a line without speech. */
export interface NoiseFloor {
  /** Takes the loudness of the next frame, and returns how many times louder than its noise the line is. */
  take(loudness: number): number;
}

/** Of 20 ms each: half a second. */
const framesOfPart = 25;
/** Three seconds: people who speak draw breath within them. */
const parts = 6;
/** A single frame says little of a noise that moves. */
const smoothing = 0.6;
/** A person may speak from the first frame on, so for a second the line is assumed to be quiet. */
const quietLine = { frames: 50, loudness: 100 };

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
