import { peakCallsPerSecond, type Deployment } from './model.ts';
import type { SimulationResult } from './simulate.ts';

interface Simulated {
  deployment: Deployment;
  result: SimulationResult;
}

export const percent = (share: number): string => `${Math.round(share * 100)} %`;
export const ms = (value: number): string => (value < 10 ? value.toFixed(2) : String(Math.round(value)));

/** A row for each step, with the results of its simulation. */
export function stepTable(results: ReadonlyArray<Simulated & { change: string }>): string[] {
  return [
    '| step | calls/s wanted | change | calls/s made | lines in use | end to next dial, p50 / p99 | fullest | provider row | Postgres CPU | worker | Redis |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...results.map(({ deployment, change, result }) => {
      const u = result.utilisation;
      return `| ${deployment.name} | ${Math.round(peakCallsPerSecond(deployment))} | ${change} | ${Math.round(
        result.callsPerSecond,
      )} | ${percent(result.linesInUse)} | ${ms(result.turnoverMs.p50)} / ${ms(result.turnoverMs.p99)} ms | ${
        result.fullest
      } | ${percent(u['row of a provider'] ?? 0)} | ${percent(u['Postgres CPU'] ?? 0)} | ${percent(
        u['worker loop'] ?? 0,
      )} | ${percent(u['Redis'] ?? 0)} |`;
    }),
  ];
}

/** The limits of one campaign, which has one row and one advance at a time. */
export function campaignTable(results: readonly Simulated[]): string[] {
  return [
    '| one campaign of | calls/s wanted | calls/s made | lines in use | end to next dial, p50 / p99 | calls a claim takes | its row |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...results.map(({ deployment, result }) => {
      const { p50, p99 } = result.turnoverMs;
      return `| ${deployment.name} | ${Math.round(peakCallsPerSecond(deployment))} | ${Math.round(
        result.callsPerSecond,
      )} | ${percent(result.linesInUse)} | ${ms(p50)} / ${ms(p99)} ms | ${Math.round(
        result.callsPerAdvance,
      )} | ${percent(result.utilisation['row of a campaign'] ?? 0)} |`;
    }),
  ];
}
