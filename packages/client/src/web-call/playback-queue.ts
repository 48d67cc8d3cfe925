/** The agent's sound, between the network and the loudspeaker. */
export interface PlaybackQueue {
  add(samples: Float32Array): void;
  clear(): void;
  /** Fills the block, with silence if there is no audio. */
  take(block: Float32Array): void;
}

/**
 * @param leadSamples how much audio to buffer before playback starts, so that unevenly spaced packets cause no gaps
 * @param mostSamples the longest buffer, beyond which the oldest audio is dropped
 */
export function createPlaybackQueue(leadSamples: number, mostSamples: number): PlaybackQueue {
  let blocks: Float32Array[] = [];
  let length = 0;
  let offset = 0;
  let isPlaying = false;
  /** Ends of speech are shorter than the lead: they are played once nothing has come for as long as the lead lasts. */
  let waited = 0;

  function clear(): void {
    blocks = [];
    length = 0;
    offset = 0;
    isPlaying = false;
  }

  return {
    add(samples) {
      blocks.push(samples);
      length += samples.length;
      waited = 0;
      while (length > mostSamples) {
        const gone = blocks.shift();
        if (gone === undefined) break;
        length -= gone.length - offset;
        offset = 0;
      }
    },
    clear,
    take(block) {
      if (!isPlaying && length > 0) {
        waited += block.length;
        isPlaying = length >= leadSamples || waited > leadSamples;
      }
      let at = 0;
      while (isPlaying && at < block.length) {
        const first = blocks[0];
        if (first === undefined) {
          clear();
          break;
        }
        const count = Math.min(first.length - offset, block.length - at);
        block.set(first.subarray(offset, offset + count), at);
        at += count;
        offset += count;
        length -= count;
        if (offset === first.length) {
          blocks.shift();
          offset = 0;
        }
      }
      block.fill(0, at);
    },
  };
}
