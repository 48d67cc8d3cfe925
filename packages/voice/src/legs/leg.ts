import type { TurnRecord } from '../turn/turn-messages.ts';

/** One call's way to a person: µ-law frames of 20 ms in both directions. */
export interface Leg {
  /**
   * At most a frame in 20 ms, on the average.
   * @param playsAt when it begins, if there were no way to the person, on the clock of the call
   */
  send(frame: Uint8Array, playsAt: number): void;
  /** Forgets what was sent and is not played yet, where the other side can. */
  flush(): void;
  /** How much later the person hears it, where the other side tells. */
  lagMs?(): number;
  /** Where the other side speaks: what the agent says, piece by piece, each answer ended. What is sent is not heard. */
  words?: { say(text: string): void; end(): void };
  /** Presses keys, where the line can. */
  press?(digits: string): void;
  /** Shows the person what was said, where the other side can. */
  turn?(turn: TurnRecord): void;
  /** Ends the call. */
  hangUp(): void;
}

/** What a leg tells. */
export interface LegEvents {
  frame(bytes: Uint8Array): void;
  key(digit: string): void;
  /** Where the other side hears: what the person said. */
  said?(text: string): void;
  /** Where the other side speaks: the person has cut it off after these words. */
  interrupted?(heard: string): void;
  /** The other side has left. Told once, also after `hangUp`. */
  gone(): void;
}
