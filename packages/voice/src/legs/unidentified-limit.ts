/** Only a carrier can sign a handshake. */
export type HandshakeKind = 'signed' | 'unsigned';

export interface UnidentifiedLimits {
  /** For each kind, so that unsigned connections cannot block a carrier. */
  atMost: number;
  /** Unsigned connections from one address. Carriers have few addresses and many calls. */
  perSource: number;
}

const defaults: UnidentifiedLimits = { atMost: 200, perSource: 50 };

/** Limits the number of connections that have not named their call yet. */
export function createUnidentifiedLimit({ atMost, perSource }: UnidentifiedLimits = defaults) {
  const taken: Record<HandshakeKind, number> = { signed: 0, unsigned: 0 };
  const bySource = new Map<string, number>();

  function count(kind: HandshakeKind, source: string, change: 1 | -1): void {
    taken[kind] += change;
    if (kind === 'signed') return;
    const now = (bySource.get(source) ?? 0) + change;
    if (now === 0) bySource.delete(source);
    else bySource.set(source, now);
  }

  return {
    /** Takes a place and returns a function that releases it. Null if none is free. */
    admit(kind: HandshakeKind, source: string): (() => void) | null {
      if (taken[kind] >= atMost) return null;
      if (kind === 'unsigned' && (bySource.get(source) ?? 0) >= perSource) return null;
      count(kind, source, 1);
      let isReleased = false;
      return () => {
        if (isReleased) return;
        isReleased = true;
        count(kind, source, -1);
      };
    },
  };
}
