import { createRandom, type Random } from '../random.ts';
import { faultKinds, type FaultKind, type PlannedFault } from './fault.ts';
import { requestKinds } from './requests.ts';

/**
 * The faults of a run and its concurrent requests, derived from the seed. First each kind of both occurs once, in random order, and then random
 * kinds. Most last longer than the time between them, so they overlap.
 */
export function planFaults(args: {
  seed: number;
  workers: number;
  forMs: number;
  /** The time between two faults. */
  gapMs: { least: number; most: number };
}): PlannedFault[] {
  const random = createRandom(args.seed);
  const requests = planned(requestKinds, args, createRandom(args.seed + 1), 1_000);
  return [...planned(faultKinds, args, random, 2_000), ...requests].toSorted(
    (one, other) => one.atMs - other.atMs,
  );
}

function planned(
  kinds: readonly [FaultKind, ...FaultKind[]],
  args: { forMs: number; gapMs: { least: number; most: number } },
  random: Random,
  firstAtMs: number,
): PlannedFault[] {
  const once = shuffled(kinds, random);
  const faults: PlannedFault[] = [];
  let atMs = firstAtMs;
  for (let n = 0; n < once.length || atMs < args.forMs; n++) {
    const kind = once[n] ?? random.pick(kinds);
    faults.push({
      atMs,
      kind,
      target: random.between(0, 59),
      durationMs: durationOf(kind, random),
    });
    atMs += random.between(args.gapMs.least, args.gapMs.most);
  }
  return faults;
}

function durationOf(kind: FaultKind, random: Random): number {
  switch (kind) {
    // Longer than a send may begin after its gate. Sometimes longer than the grace period of a look-up
    // (engine/timing.ts), so that other workers have also looked up and repeated its calls.
    case 'suspend-worker':
      if (random.chance(0.3)) return random.between(13_000, 16_000);
      return 3_000 + random.between(1_000, 3_000);
    case 'gateway-outage':
      return random.between(1_000, 3_000);
    case 'pause-and-resume':
      return random.between(500, 2_500);
    case 'redis-kill':
    case 'redis-loses-everything':
      return random.between(100, 1_500);
    default:
      return random.between(100, 2_500);
  }
}

function shuffled(kinds: readonly FaultKind[], random: Random): FaultKind[] {
  const order = [...kinds];
  for (let n = order.length - 1; n > 0; n--) {
    const other = random.between(0, n);
    const [one, two] = [order[n], order[other]];
    if (one !== undefined && two !== undefined) [order[n], order[other]] = [two, one];
  }
  return order;
}
