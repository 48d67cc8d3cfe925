import type { Edit } from '../chaos/mutations/mutation.ts';
import type { AttackWorld } from './world.ts';

/** Something that was measured, and what it must stay under or over. */
export interface Figure {
  what: string;
  measured: number;
  unit: 'ms' | 'MB' | 'times' | 'requests' | '';
  atMost?: number;
  atLeast?: number;
}

/** An attack under way. */
export interface AttackRun {
  /** Sends the next request of the attack and reads its answer, or leaves it. Asked for again and again, several at a time. */
  send(): Promise<void>;
  /** What this attack is held to besides what all are. */
  figures?(): Promise<Figure[]>;
}

/** What one tenant, or a stranger, does to the others. A file each, in `attacks/`, listed in `attacks/index.ts`. */
export interface Attack {
  name: string;
  /** What it does, in a sentence. */
  does: string;
  begin(world: AttackWorld): Promise<AttackRun>;
  /** Requests a second, where fifty are more than it takes. */
  perSecond?: number;
  /** How long it runs at least before its figures say something. */
  seconds?: number;
  /** Settings of the api without which this attack would meet another protection first. */
  settings?: Readonly<Record<string, string>>;
  /** Takes the protection out; `npm run attack -- --bite` shows that a figure is then missed. */
  withoutProtection: readonly Edit[];
}

export function isKept({ measured, atMost, atLeast }: Figure): boolean {
  return (
    measured <= (atMost ?? Number.POSITIVE_INFINITY) && measured >= (atLeast ?? Number.NEGATIVE_INFINITY)
  );
}
