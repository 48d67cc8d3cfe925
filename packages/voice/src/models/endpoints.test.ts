import { describe, expect, test } from 'vitest';
import type { ModelFailure } from './model-failed-error.ts';
import { createEndpointCircuit } from './endpoint-circuit.ts';
import { createModelEndpoints, EndpointsFailedError } from './endpoints.ts';

const never = new AbortController().signal;

describe('a circuit', () => {
  test('opens for two seconds at the third failure in a row, and then lets one request through', () => {
    const circuit = createEndpointCircuit();
    circuit.failed(0);
    circuit.failed(0);
    expect(circuit.isOpen(0)).toBe(false);
    circuit.failed(0);
    expect([circuit.isOpen(0), circuit.isOpen(1_999), circuit.isOpen(2_000)]).toEqual([true, true, false]);
  });

  test('stays open twice as long after each failed probe, for half a minute at most', () => {
    const circuit = createEndpointCircuit();
    const pauses: number[] = [];
    let now = 0;
    circuit.failed(now);
    circuit.failed(now);
    for (let tried = 0; tried < 7; tried += 1) {
      circuit.failed(now);
      const since = now;
      while (circuit.isOpen(now)) now += 1_000;
      pauses.push(now - since);
    }
    expect(pauses).toEqual([2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  test('is not kept open longer by requests that were in flight when it opened', () => {
    const circuit = createEndpointCircuit();
    for (let call = 0; call < 50; call += 1) circuit.failed(0);
    expect(circuit.isOpen(2_000)).toBe(false);
  });

  test('closes with one answer', () => {
    const circuit = createEndpointCircuit();
    for (let call = 0; call < 3; call += 1) circuit.failed(0);
    circuit.answered();
    circuit.failed(1);
    expect(circuit.isOpen(1)).toBe(false);
  });
});

describe('endpoints of an agent', () => {
  const clock = { ms: 0 };
  const open = (...names: string[]) =>
    createModelEndpoints({
      endpoints: new Map(
        names.map((name) => [name, { name, url: 'http://x', key: null, model: `of ${name}` }]),
      ),
      nowMs: () => clock.ms,
    });

  test('are asked in order; one whose circuit is open is skipped while another is available', async () => {
    const endpoints = open('one', 'two');
    const asked: string[] = [];
    const choice = { endpoint: 'one', fallbacks: ['two'] };
    const ask = () =>
      endpoints.ask(choice, never, ({ name }) => {
        asked.push(name);
        return name === 'one' ? Promise.reject(new Error('no')) : Promise.resolve(name);
      });
    for (let call = 0; call < 4; call += 1) expect(await ask()).toBe('two');
    expect(asked).toEqual(['one', 'two', 'one', 'two', 'one', 'two', 'two']);
    expect(endpoints.down()).toEqual(['one']);
    clock.ms += 2_000;
    await ask();
    expect(asked.slice(-2)).toEqual(['one', 'two']);
  });

  test('are still tried once if all circuits are open, so that a wrong guess does not silence a call', async () => {
    const endpoints = open('one', 'two');
    for (let failure = 0; failure < 3; failure += 1) {
      endpoints.note('one', false);
      endpoints.note('two', false);
    }
    const choice = { endpoint: 'one', fallbacks: ['two'] };
    expect(await endpoints.ask(choice, never, ({ name }) => Promise.resolve(name))).toBe('one');
  });

  test('use the model of the agent only for the first one, if the next has its own', async () => {
    const endpoints = open('one', 'two');
    const models: Array<string | null> = [];
    const choice = { endpoint: 'one', fallbacks: ['two'], model: 'mine' };
    await endpoints
      .ask(choice, never, ({ model }) => {
        models.push(model);
        return Promise.reject(new Error('no'));
      })
      .catch(() => undefined);
    expect(models).toEqual(['mine', 'of two']);
  });

  test('are skipped after a fault of the server, not after a fault of the request', () => {
    const downAfter = (reason: ModelFailure, silentMs: number | null = null) => {
      const endpoints = open('one');
      for (let call = 0; call < 3; call += 1) endpoints.noteFailure({ endpoint: 'one', reason, silentMs });
      return endpoints.down().length > 0;
    };
    const ofServer: ModelFailure[] = ['unreachable', 'broke_off', 'status_429', 'status_500', 'status_503'];
    const ofAgent: ModelFailure[] = ['status_400', 'status_404', 'status_422', 'too_long', 'not_understood'];
    expect(ofServer.filter((reason) => !downAfter(reason))).toEqual([]);
    expect(ofAgent.filter((reason) => downAfter(reason))).toEqual([]);
    // An agent with a short timeout must not open the circuit for others.
    expect([500, 5_000].map((ms) => downAfter('silent_too_long', ms))).toEqual([false, true]);
  });

  test('that do not exist are an error', async () => {
    const asking = open('one').ask({ endpoint: 'gone', fallbacks: [] }, never, () => Promise.resolve(1));
    await expect(asking).rejects.toThrow(EndpointsFailedError);
  });
});
