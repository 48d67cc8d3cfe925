import type { TurnRecord } from '../turn/turn-messages.ts';

/** The connection of one call to the person: µ-law frames of 20 ms in both directions. */
export interface Leg {
  /**
   * Sends at most one frame per 20 ms on average.
   * @param playsAt when playback begins on the clock of the call, without the delay of the line
   */
  send(frame: Uint8Array, playsAt: number): void;
  /** Discards audio that was sent but not played, if the carrier supports it. */
  flush(): void;
  /** The delay of the line, if the carrier reports it. */
  lagMs?(): number;
  /** Set if the carrier synthesizes speech: it receives the agent's words piece by piece, and ignores audio. */
  words?: { say(text: string): void; end(): void };
  /** Presses keys, if the carrier supports it. */
  press?(digits: string): void;
  /** Shows a turn to the person, if the other side has a screen. */
  turn?(turn: TurnRecord): void;
  hangUp(): void;
}

export interface LegEvents {
  frame(bytes: Uint8Array): void;
  key(digit: string): void;
  /** The words of the person, if the carrier recognizes speech. */
  said(text: string): void;
  /** The person interrupted the agent after these words. Reported only by carriers that synthesize speech. */
  interrupted(heard: string): void;
  /** The other side has left. Called once, also after `hangUp`. */
  left(): void;
}
