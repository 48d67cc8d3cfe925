import type { Edit } from '../chaos/mutations/mutation.ts';
import type { AttackWorld } from './world.ts';

/** A measured value and its bound. */
export interface Figure {
  what: string;
  measured: number;
  unit: 'ms' | 'MB' | 'times' | 'requests' | '';
  atMost?: number;
  atLeast?: number;
}

/** An attack in progress. */
export interface AttackRun {
  /** Sends the next request of the attack, and reads its answer or abandons it. Called repeatedly; several calls overlap. */
  send(): Promise<void>;
  /** Figures of this attack only, besides those that every attack must keep. */
  figures?(): Promise<Figure[]>;
}

/** An attack of a tenant, or of an unauthenticated client, on other tenants. Each attack is a file in `attacks/`, listed in `attacks/index.ts`. */
export interface Attack {
  name: string;
  /** One sentence. */
  does: string;
  begin(world: AttackWorld): Promise<AttackRun>;
  /** Fewer than the usual 50 requests a second, for expensive requests. */
  perSecond?: number;
  /** The shortest run whose figures are conclusive. */
  seconds?: number;
  /** Whether its figures depend on no load, so that the short form runs it at the same time as others like it. */
  isLight?: boolean;
  /** Whether the short form leaves it out, because its figure needs a machine that does nothing else. */
  needsQuiet?: boolean;
  /** Settings of the api that let the attack reach the protection under test before another protection stops it. */
  settings?: Readonly<Record<string, string>>;
  /** Removes the protection from a copy of the sources. `npm run attack -- --bite` shows that a figure then misses its bound. */
  withoutProtection: readonly Edit[];
}

export function isKept({ measured, atMost, atLeast }: Figure): boolean {
  return (
    measured <= (atMost ?? Number.POSITIVE_INFINITY) && measured >= (atLeast ?? Number.NEGATIVE_INFINITY)
  );
}
