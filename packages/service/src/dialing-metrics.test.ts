import { randomUUID } from 'node:crypto';
import { createMetrics, type Metrics } from '@outdial/runtime';
import { expect, test } from 'vitest';
import { dialingMetrics } from './dialing-metrics.ts';

test('a process has series for at most fifty organizations', async () => {
  const metrics = createMetrics({ service: 'test' });
  const organizations = Array.from({ length: 60 }, () => randomUUID());
  for (const organizationId of [...organizations, ...organizations]) {
    // As each request of the api does.
    dialingMetrics(metrics).callEnded('completed', { provider: 'simulator', organizationId }, 2_000);
  }
  const { values } = await metrics.organizationCallsEnded.get();
  expect(values).toHaveLength(51);
  expect(values.find(({ labels }) => labels.organization === 'other')?.value).toBe(20);
  expect(values.find(({ labels }) => labels.organization === organizations[0])?.value).toBe(2);
});

test('a corrected outcome does not count as a second conversation', async () => {
  const metrics = createMetrics({ service: 'test' });
  const dialing = dialingMetrics(metrics);
  const call = { provider: 'simulator', organizationId: randomUUID() };
  dialing.callAnswered?.(call, 4_000);
  dialing.callEnded('completed', call, 90_000);
  dialing.callEnded('completed', call, null);
  expect(await totals(metrics.gateToAnswer)).toEqual({ count: 1, sum: 4 });
  expect(await totals(metrics.answerToOutcome)).toEqual({ count: 1, sum: 90 });
});

async function totals(histogram: Metrics['gateToAnswer']) {
  const { values } = await histogram.get();
  const ending = (end: string) => values.find(({ metricName }) => metricName?.endsWith(end))?.value;
  return { count: ending('_count'), sum: ending('_sum') };
}
