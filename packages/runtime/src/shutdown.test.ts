import { describe, expect, test } from 'vitest';
import { Shutdown } from './shutdown.ts';

function setup() {
  const errors: object[] = [];
  return { errors, log: { error: (fields: object) => void errors.push(fields) }, shutdown: new Shutdown() };
}

describe('Shutdown', () => {
  test('closes in reverse order, one step after the other, and continues after a failure', async () => {
    const { errors, log, shutdown } = setup();
    const order: string[] = [];
    const failure = new Error('already closed');
    shutdown.add('database', () => void order.push('database'));
    shutdown.add('queues', () => Promise.reject(failure));
    shutdown.add('server', async () => {
      await Promise.resolve();
      order.push('server');
    });
    expect(shutdown.signal.aborted).toBe(false);
    expect(await shutdown.run(log, 1_000)).toBe(true);
    expect(shutdown.signal.aborted).toBe(true);
    expect(order).toEqual(['server', 'database']);
    expect(errors).toEqual([{ step: 'queues', err: failure }]);
  });

  test('gives up on a hanging step, and names it', async () => {
    const { errors, log, shutdown } = setup();
    shutdown.add('hanging', () => new Promise(() => undefined));
    expect(await shutdown.run(log, 5)).toBe(false);
    expect(errors).toEqual([{ step: 'hanging' }]);
  });
});
