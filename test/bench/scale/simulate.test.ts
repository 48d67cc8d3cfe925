import { describe, expect, test } from 'vitest';
import type { Constants } from './constants.ts';
import { holdSeconds, oneMachine } from './deployments.ts';
import { holdMs, loadsOf, peakCallsPerSecond, volumeOf, type Deployment } from './model.ts';
import { simulate } from './simulate.ts';

/** Round figures, because the tests check the arithmetic and not a machine. */
const constants: Constants = {
  postgresPerCallMs: 1,
  postgresPerBatchMs: 4,
  workerPerCallMs: 0.5,
  workerPerBatchMs: 1,
  redisPerCallMs: 0.1,
  redisPerBatchMs: 0.2,
  walBytesPerCall: 8_000,
  walBytesPerBatch: 0,
  apiPerEventMs: 0.4,
  postgresPerEventMs: 0.5,
  commitMs: 0.5,
  tableBytesPerCall: (chars) => 1_000 + chars,
  indexBytesPerCall: 200,
  bytesPerRecipient: 400,
  jobBytes: 1_000,
};

/** All campaigns share one provider, whose row cannot keep up with the load. All other resources are ample. */
const crowded: Deployment = {
  ...oneMachine,
  campaigns: 2_000,
  lines: 20_000,
  callsPerDay: 10_000_000,
  postgresCores: 64,
  workers: 32,
  redisNodes: 8,
  roundTripMs: 0.5,
  commitMs: 1,
  counters: { kind: 'everywhere' },
};

const run = (deployment: Deployment, seed = 1) =>
  simulate({ constants, deployment, holdSeconds, seed, warmSeconds: 20, countSeconds: 20 });

describe('the model on paper', () => {
  test('reports the peak, and the resource that fills first', () => {
    expect(peakCallsPerSecond({ callsPerDay: 50_000_000, openHours: 12, peakFactor: 1.8 })).toBeCloseTo(
      2_083,
      0,
    );
    const [first] = loadsOf(constants, crowded);
    expect(first?.resource).toBe('row of a provider');
    expect(first?.utilisation).toBeGreaterThan(1);
    // Twice the calls is twice the load, at the same limit.
    const [twice] = loadsOf(constants, { ...crowded, callsPerDay: 20_000_000 });
    expect(twice?.utilisation).toBeCloseTo(2 * (first?.utilisation ?? 0));
    expect(twice?.callsPerSecondAtMost).toBeCloseTo(first?.callsPerSecondAtMost ?? 0);
  });

  test('a row without a cap costs nothing if only caps are counted', () => {
    const rowOf = (deployment: Deployment) =>
      loadsOf(constants, deployment).find((load) => load.resource === 'row of a provider')?.utilisation;
    const built: Deployment = { ...crowded, counters: { kind: 'where_capped' } };
    expect(rowOf(built)).toBe(0);
    expect(rowOf({ ...built, isCapped: true })).toBe(rowOf({ ...crowded, isCapped: true }));
  });

  test('a row is locked for its round trips, flush and statements, and longer under a cap', () => {
    expect(holdMs(constants, crowded, 'advance')).toBeCloseTo(4 * (0.5 + 1 / 12) + 1 + 0.25 * 4);
    expect(holdMs(constants, { ...crowded, isCapped: true }, 'advance')).toBeCloseTo(
      6 * (0.5 + 1 / 12) + 1 + 0.25 * 4,
    );
  });

  test('counts bytes by who leaves a transcript', () => {
    const volume = volumeOf(constants, {
      ...crowded,
      answerRate: 0.5,
      transcriptChars: 2_000,
      callsPerDay: 1_000_000,
    });
    expect(volume.callGigabytesPerDay).toBeCloseTo((1_000 + 200 + 0.5 * 2_000) / 1_000);
  });
});

describe('the simulation', () => {
  test('gives the same run for the same seed, and another for another', () => {
    const small = { ...oneMachine, lines: 500, campaigns: 50 };
    expect(run(small, 3)).toEqual(run(small, 3));
    expect(run(small, 3)).not.toEqual(run(small, 4));
  });

  test('uses all lines if no resource is full, and agrees with the paper on the load', () => {
    const { linesInUse, callsPerSecond, utilisation } = run(oneMachine);
    expect(linesInUse).toBeGreaterThan(0.93);
    const paper = loadsOf(constants, { ...oneMachine, eventsPerCall: 0 }).find(
      (load) => load.resource === 'Postgres CPU',
    );
    const atThisRate = (paper?.utilisation ?? 0) * (callsPerSecond / peakCallsPerSecond(oneMachine));
    expect(utilisation['Postgres CPU'] ?? 0).toBeGreaterThan(atThisRate * 0.85);
    expect(utilisation['Postgres CPU'] ?? 0).toBeLessThan(atThisRate * 1.15);
  });

  test('one row of a provider fills first, and sixteen rows do not fill', () => {
    const one = run(crowded);
    expect(one.fullest).toBe('row of a provider');
    expect(one.linesInUse).toBeLessThan(0.9);
    const many = run({ ...crowded, counters: { kind: 'sharded', shards: 16 } });
    expect(many.linesInUse).toBeGreaterThan(0.97);
    expect(many.utilisation['row of a provider']).toBeLessThan(0.5);
  });
});
