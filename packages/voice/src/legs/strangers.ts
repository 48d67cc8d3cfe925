/** Places for connections that have not said yet whose they are. */
export interface Strangers {
  /** Takes a place, and returns a function that frees it; null if none is left. */
  admit(kind: StrangerKind, source: string): (() => void) | null;
}

/** A signed handshake is a carrier's: no one else can make it. */
export type StrangerKind = 'signed' | 'unsigned';

export interface StrangerLimits {
  /** Of each kind, so that those without a signature keep no carrier out. */
  atMost: number;
  /** Unsigned ones of one address. Carriers have few addresses and many calls. */
  ofOneSource: number;
}

const usual: StrangerLimits = { atMost: 200, ofOneSource: 50 };

export function createStrangers({ atMost, ofOneSource }: StrangerLimits = usual): Strangers {
  const taken: Record<StrangerKind, number> = { signed: 0, unsigned: 0 };
  const bySource = new Map<string, number>();

  function count(source: string, change: 1 | -1): void {
    const now = (bySource.get(source) ?? 0) + change;
    if (now === 0) bySource.delete(source);
    else bySource.set(source, now);
  }

  return {
    admit(kind, source) {
      if (taken[kind] >= atMost) return null;
      if (kind === 'unsigned' && (bySource.get(source) ?? 0) >= ofOneSource) return null;
      taken[kind] += 1;
      if (kind === 'unsigned') count(source, 1);
      let isFree = false;
      return () => {
        if (isFree) return;
        isFree = true;
        taken[kind] -= 1;
        if (kind === 'unsigned') count(source, -1);
      };
    },
  };
}
