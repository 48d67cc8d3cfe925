import type { Db } from '@outdial/db';
import { sql } from 'kysely';
import { heldBy } from './held-by.ts';
import type { ScenarioWorld } from './world.ts';

/** The number whose gate is open. */
export const gatedNumber = '+15551000001';
const blocker = '+15551000000';

export interface OpenGate {
  /** Lets the gate commit. */
  release: () => Promise<void>;
  deciding: Promise<unknown>;
}

export async function runAdvances(world: ScenarioWorld): Promise<void> {
  for (const job of world.jobs.take('advance-campaign')) await world.engine.run(job);
}

/** Calls another person, whose call `lockNumber` changes. */
export async function callBlocker(world: ScenarioWorld): Promise<void> {
  await world.campaign({ numbers: [blocker] });
  await runAdvances(world);
}

/** An open transaction changes the live call of the blocker to the number of the gate, so an insert of a call to it waits on the unique index. */
export const lockNumber = (world: ScenarioWorld) =>
  heldBy(world, sql`update calls set phone_number = ${gatedNumber} where phone_number = ${blocker}`);

/** A campaign's gate that has read all that it decides by, and has not committed. */
export async function openGate(
  world: ScenarioWorld,
  config: Record<string, unknown> = {},
): Promise<OpenGate> {
  await world.campaign({ numbers: [gatedNumber], config });
  const jobs = world.jobs.take('advance-campaign');
  const release = await lockNumber(world);
  const deciding = Promise.all(jobs.map((job) => world.engine.run(job)));
  await world.untilBlocked('worker');
  return { release, deciding };
}

/** Makes a change while the gate is open. Returns whether the change was answered before the gate committed. */
export async function isAnsweredEarly(
  world: ScenarioWorld,
  gate: OpenGate,
  change: (db: Db) => Promise<unknown>,
): Promise<boolean> {
  const changer = world.openEngine('changer');
  let isAnswered = false;
  const changing = change(changer.db).then(() => (isAnswered = true));
  await Promise.race([changing, world.untilBlocked('changer')]);
  const wasEarly = isAnswered;
  await gate.release();
  await Promise.all([gate.deciding, changing]);
  return wasEarly;
}
