/**
 * Attacks one tenant with another and measures what the neighbour notices.
 *
 *     npm run attack -- [--together] [--minutes N | --seconds N] [--only NAME[,NAME]]
 *     npm run attack -- --short [--seconds N] [--only NAME[,NAME]]
 *     npm run attack -- --bite [--only NAME[,NAME]]
 *
 * All attacks together for five minutes (`--together`, which is the default), or with `--short` each alone for a few seconds, and light ones at
 * once. `--bite` takes each protection out of a copy of the sources, and shows that a figure is missed then.
 */
import { parseArgs } from 'node:util';
import { repeatLine } from '../steps/repeat.ts';
import { isKept, type Attack, type Figure } from './attack.ts';
import { attacks } from './attacks/index.ts';
import { bite } from './bite.ts';
import { runAttacks, settingsOf } from './run-attacks.ts';
import { openAttackWorld } from './world.ts';

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    bite: { type: 'boolean', default: false },
    only: { type: 'string' },
    together: { type: 'boolean', default: false },
    seconds: { type: 'string' },
    minutes: { type: 'string' },
  },
});
const names = values.only?.split(',') ?? attacks.map(({ name }) => name);
const unknown = names.filter((name) => !attacks.some((attack) => attack.name === name));
if (unknown.length > 0) {
  throw new Error(
    `There is no attack ${unknown.join(', ')}; there are ${attacks.map(({ name }) => name).join(', ')}.`,
  );
}
const chosen = attacks.filter(({ name }) => names.includes(name));

/** Wider limits for a busy machine. Even these fail if a tenant waits for an attacker. */
const shortLimits = {
  requestMs: 3_000,
  firstDialMs: 5_000,
  campaignMs: 10_000,
  uploadMs: 15_000,
  timesQuiet: null,
};
const longLimits = {
  requestMs: 250,
  firstDialMs: 500,
  campaignMs: 1_000,
  uploadMs: 5_000,
  timesQuiet: { atMost: 3, quietSeconds: 20 },
};
/** Rate limits are off, because they would hide the protection under test. */
const withoutRates = { RATE_LIMITS: 'off' };

/** Long enough for each of them to send all that it has. */
const lightSeconds = 15;

/** Each attack alone, and all light ones at once. */
function inRuns(group: readonly Attack[]): Attack[][] {
  const [light, others] = [true, false].map((isLight) =>
    group.filter((one) => (one.isLight ?? false) === isLight),
  );
  return [...(light?.length ? [light] : []), ...(others ?? []).map((one) => [one])];
}

async function runShort(): Promise<boolean> {
  let passed = 0;
  const failed: string[] = [];
  const inShort = chosen.filter(({ needsQuiet }) => needsQuiet !== true || values.only !== undefined);
  const world = await openAttackWorld(settingsOf(inShort, withoutRates));
  try {
    for (const attacksAtOnce of inRuns(inShort)) {
      const begunAt = performance.now();
      const least = attacksAtOnce.length > 1 ? lightSeconds : Number(values.seconds ?? 3);
      const seconds = Math.max(least, ...attacksAtOnce.map((attack) => attack.seconds ?? 0));
      const figures = await runAttacks(world, attacksAtOnce, { seconds, limits: shortLimits });
      const title = attacksAtOnce.map(({ name, does }) => `${name}: ${does}`).join('\n');
      const took = Math.round((performance.now() - begunAt) / 1_000);
      if (print(`${title} (${took} s)`, figures)) passed += attacksAtOnce.length;
      else failed.push(...attacksAtOnce.map(({ name }) => name));
    }
  } finally {
    await world.close();
  }
  if (failed.length > 0) console.log(repeatLine(`npm run attack -- --short --only ${failed.join(',')}`));
  console.log(`${passed} passed, ${failed.length} failed`);
  return failed.length === 0;
}

async function runTogether(): Promise<boolean> {
  const seconds = Number(values.seconds ?? Number(values.minutes ?? 5) * 60);
  const world = await openAttackWorld(settingsOf(chosen, {}));
  try {
    const figures = await runAttacks(world, chosen, { seconds, limits: longLimits });
    const kept = print(`${chosen.length} attacks together, ${seconds} s`, figures);
    if (!kept) console.log(repeatLine(`npm run attack -- --seconds ${seconds} --only ${names.join(',')}`));
    return kept;
  } finally {
    await world.close();
  }
}

function print(title: string, figures: readonly Figure[]): boolean {
  console.log(title);
  for (const figure of figures) {
    const bound = figure.atMost === undefined ? `at least ${figure.atLeast}` : `at most ${figure.atMost}`;
    const measured = `${Math.round(figure.measured * 100) / 100} ${figure.unit}`.trim();
    console.log(`  ${isKept(figure) ? 'kept  ' : 'MISSED'} ${figure.what}: ${measured} (${bound})`);
  }
  return figures.every(isKept);
}

async function main(): Promise<boolean> {
  if (values.bite) return bite(chosen);
  return values.short ? runShort() : runTogether();
}

process.exitCode = (await main()) ? 0 : 1;
