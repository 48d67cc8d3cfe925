/**
 * Measures the engine against what bounds it, in one run on one machine, and prints Markdown.
 * `node test/bench/engine/run.ts [--recipients N] [--rounds N] > FILE`
 */
import { parseArgs } from 'node:util';
import { openBed, type Backend } from './bed.ts';
import { creationSeconds } from './creation.ts';
import { firstDialMs } from './first-dial.ts';
import { lineUse, paceUse } from './limits.ts';
import { engineCallsPerSecond, floorCallsPerSecond } from './throughput.ts';

const { values } = parseArgs({
  options: {
    recipients: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '3' },
  },
});
const recipients = Number(values.recipients);
const rounds = Number(values.rounds);

function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

function spread(measured: readonly number[], digits: number): string {
  const sorted = measured.toSorted((a, b) => a - b);
  const show = (value: number) => value.toFixed(digits);
  return `${show(quantile(sorted, 0.5))} (${show(sorted[0] ?? Number.NaN)}–${show(sorted.at(-1) ?? Number.NaN)})`;
}

const bed = await openBed();
try {
  console.log(`| what | engine | baseline | ratio |\n|---|---|---|---|`);
  for (const backend of ['redis', 'postgres'] satisfies Backend[]) {
    const engine: number[] = [];
    const floor: number[] = [];
    for (let round = 0; round < rounds; round++) {
      floor.push(await floorCallsPerSecond(bed, backend, recipients));
      engine.push(await engineCallsPerSecond(bed, backend, recipients));
    }
    const ratios = engine.map((value, index) => value / (floor[index] ?? Number.NaN));
    console.log(
      `| calls per second, ${recipients} recipients, ${backend} | ${spread(engine, 0)} | ${spread(floor, 0)} | ${spread(ratios, 2)} |`,
    );
  }
  const waits = (await firstDialMs(bed, 'redis', 30)).toSorted((a, b) => a - b);
  console.log(
    `| running to first dial, ms (p50, p99) | ${quantile(waits, 0.5)}, ${quantile(waits, 0.99)} | – | – |`,
  );
  for (const rate of [10, 50]) {
    const { used, mostInASecond } = await paceUse(bed, rate);
    const most = `at most ${mostInASecond} in any second`;
    console.log(
      `| calls per second used, four workers, limit ${rate} | ${used.toFixed(3)}, ${most} | ${rate} | – |`,
    );
  }
  console.log(
    `| lines in use while there is work, four workers, cap 100 | ${(await lineUse(bed, 100)).toFixed(3)} | 1 | – |`,
  );
  const creations = [];
  for (let round = 0; round < rounds; round++) creations.push(await creationSeconds(bed, 100_000));
  console.log(
    `| creating a campaign of 100000, s | ${spread(
      creations.map((one) => one.campaignSeconds),
      2,
    )} | ${spread(
      creations.map((one) => one.copySeconds),
      2,
    )} | ${spread(
      creations.map((one) => one.campaignSeconds / one.copySeconds),
      2,
    )} |`,
  );
} finally {
  await bed.close();
}
