import { frameBytes, fromMuLaw } from '../audio/mu-law.ts';
import { silentFrame } from '../call/playback.ts';
import { frameMs } from '../turn/turn-settings.ts';

/** Puts both sides of a call side by side: the person left, the agent right, each where the person said or heard it. */
export interface StereoMixer {
  /** When the call was answered, on the clock of the frames; before anything else. */
  begin(at: number): void;
  /** A frame of the person that ends at `at`; they come without gaps. */
  person(bytes: Uint8Array, at: number): void;
  /** A frame of the agent that is heard from `at` on; they are told ahead of that. */
  agent(bytes: Uint8Array, at: number): void;
  /** What the agent would have said from `at` on is not heard any more. */
  dropped(at: number): void;
  /** Writes what was held back. */
  end(): void;
}

/** Bytes of a frame of two channels of 16-bit samples. */
export const stereoFrameBytes = frameBytes * 2 * 2;
/** Both sides are held back for 2.3 s, since they come at different times: what a person says may have been held up, and is heard ahead of the clock. */
const heldFrames = 115;
/** So far beyond that a leg is told at most. */
const aheadFrames = 45;

/** @param write takes a frame, which it may keep; called once for each frame of the person */
export function createStereoMixer(write: (frame: Int16Array<ArrayBuffer>) => void): StereoMixer {
  const people: Uint8Array[] = [];
  const agents = new Map<number, Uint8Array>();
  /** The number of the frame that is written next. */
  let next = 0;
  let beganAt = 0;
  const slotOf = (at: number) => Math.round((at - beganAt) / frameMs);

  function writeOne(): void {
    const left = fromMuLaw(people.shift() ?? silentFrame);
    const right = fromMuLaw(agents.get(next) ?? silentFrame);
    agents.delete(next);
    next += 1;
    const frame = new Int16Array(frameBytes * 2);
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
      if (people.length > heldFrames) writeOne();
    },
    agent(bytes, at) {
      const slot = Math.max(next, slotOf(at));
      // Beyond what a leg is sent ahead nothing is kept.
      if (slot - next <= heldFrames + aheadFrames) agents.set(slot, bytes);
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
