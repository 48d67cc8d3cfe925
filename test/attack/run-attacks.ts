import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack, AttackRun, Figure } from './attack.ts';
import { type Limits, neighbourFigures, type Seen, watchNeighbour } from './neighbour.ts';
import type { AttackWorld, OpenedWorld } from './world.ts';

const megabytesAtMost = 700;
const inFlightAtMost = 64;
const requestsPerSecond = 50;
/** Some requests are never answered. */
const endWithinMs = 2_000;

export interface AttackOptions {
  seconds: number;
  limits: Limits;
}

/** The settings of a run, with those of its attacks. */
export function settingsOf(
  attacks: readonly Attack[],
  settings: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    [settings, ...attacks.map((attack) => attack.settings ?? {})].flatMap(Object.entries<string>),
  );
}

/** Runs the attacks concurrently, each at its rate, while the neighbour is measured. */
export async function runAttacks(
  opened: OpenedWorld,
  attacks: readonly Attack[],
  { seconds, limits }: AttackOptions,
): Promise<Figure[]> {
  const world = await opened.tenants();
  const quiet = limits.timesQuiet === null ? null : await watchQuiet(world, limits.timesQuiet.quietSeconds);
  const runs = await beginEach(attacks, world);
  const watch = await watchNeighbour(world);
  await Promise.all(
    runs.map(({ attack, run }) => {
      const perSecond = (attack.perSecond ?? requestsPerSecond) / attacks.length;
      return sendAtRate(run, { perSecond, seconds });
    }),
  );
  const figures = neighbourFigures(await watch.end(), quiet, limits);
  for (const { run } of runs) figures.push(...((await run.figures?.()) ?? []));
  return [...figures, ...processFigures(opened)];
}

async function beginEach(
  attacks: readonly Attack[],
  world: AttackWorld,
): Promise<Array<{ attack: Attack; run: AttackRun }>> {
  const runs: Array<{ attack: Attack; run: AttackRun }> = [];
  for (const attack of attacks) {
    try {
      runs.push({ attack, run: await attack.begin(world) });
    } catch (error) {
      // Told at once, since those that have begun fail too when the world closes, and the first of them ends this process.
      console.error(`${attack.name} could not begin:`, error);
      throw error;
    }
  }
  return runs;
}

async function watchQuiet(world: AttackWorld, seconds: number): Promise<Seen> {
  const watch = await watchNeighbour(world);
  await sleep(seconds * 1_000);
  return watch.end();
}

async function sendAtRate(
  run: AttackRun,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<void> {
  const endsAt = performance.now() + seconds * 1_000;
  const inFlight = new Set<Promise<void>>();
  while (performance.now() < endsAt) {
    if (inFlight.size < inFlightAtMost) {
      // An attacker ignores errors and answers.
      const sent = run.send().catch(() => undefined);
      inFlight.add(sent);
      void sent.finally(() => inFlight.delete(sent));
    }
    await sleep(1_000 / perSecond);
  }
  await Promise.race([Promise.all(inFlight), sleep(endWithinMs)]);
}

function processFigures(world: OpenedWorld): Figure[] {
  const memory = Object.entries(world.peaks()).map(([name, megabytes]): Figure => {
    return { what: `memory of the ${name}`, measured: megabytes, unit: 'MB', atMost: megabytesAtMost };
  });
  return [...memory, { what: 'processes that ended', measured: world.ended().length, unit: '', atMost: 0 }];
}
