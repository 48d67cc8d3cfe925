/** One call's way to a person: µ-law frames of 20 ms in both directions. */
export interface Leg {
  /** At most a frame in 20 ms, on the average. */
  send(frame: Uint8Array): void;
  /** Forgets what was sent and is not played yet, where the other side can. */
  flush(): void;
  /** Ends the call. */
  hangUp(): void;
}

/** What a leg tells. */
export interface LegEvents {
  frame(bytes: Uint8Array): void;
  key(digit: string): void;
  /** The other side has left. Told once, also after `hangUp`. */
  gone(): void;
}
