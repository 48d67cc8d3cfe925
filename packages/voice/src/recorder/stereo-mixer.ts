import { frameBytes, frameMs, fromMuLaw, silentFrame } from '../audio/mu-law.ts';

/** Mixes a call to stereo: the person left, the agent right, aligned as the person heard the call. */
export interface StereoMixer {
  /** Sets when the call was answered, on the clock of the frames. Call it first. */
  begin(at: number): void;
  /** Adds a frame of the person. Frames come without gaps. */
  person(bytes: Uint8Array): void;
  /** Adds a frame of the agent that is heard from `at` on. Call it before that time. */
  agent(bytes: Uint8Array, at: number): void;
  /** The agent's audio from `at` on is not heard. */
  dropped(at: number): void;
  end(): void;
}

/** Two channels of 16-bit samples. */
export const stereoFrameBytes = frameBytes * 2 * 2;
/** Both sides are buffered for 2.3 s, because they arrive at different times: delayed audio of the person is ahead of the clock. */
const bufferedFrames = 115;
/** How far beyond the buffer the agent's frames may lie. */
const aheadFrames = 45;

/** @param write is called once for each frame of the person. The next frame overwrites it. */
export function createStereoMixer(write: (frame: Int16Array<ArrayBuffer>) => void): StereoMixer {
  const people: Uint8Array[] = [];
  const agents = new Map<number, Uint8Array>();
  const left = new Int16Array(frameBytes);
  const right = new Int16Array(frameBytes);
  const frame = new Int16Array(frameBytes * 2);
  /** The number of the next frame. */
  let next = 0;
  let beganAt = 0;
  const slotOf = (at: number) => Math.round((at - beganAt) / frameMs);

  function writeOne(): void {
    fromMuLaw(people.shift() ?? silentFrame, left);
    fromMuLaw(agents.get(next) ?? silentFrame, right);
    agents.delete(next);
    next += 1;
    for (let at = 0; at < frameBytes; at += 1) {
      frame[at * 2] = left[at] ?? 0;
      frame[at * 2 + 1] = right[at] ?? 0;
    }
    write(frame);
  }

  return {
    begin(at) {
      beganAt = at;
    },
    person(bytes) {
      people.push(bytes);
      if (people.length > bufferedFrames) writeOne();
    },
    agent(bytes, at) {
      const slot = Math.max(next, slotOf(at));
      if (slot - next <= bufferedFrames + aheadFrames) agents.set(slot, bytes);
    },
    dropped(at) {
      const from = slotOf(at);
      for (const slot of agents.keys()) if (slot >= from) agents.delete(slot);
    },
    end() {
      while (people.length > 0) writeOne();
    },
  };
}
