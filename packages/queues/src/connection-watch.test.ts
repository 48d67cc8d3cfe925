import { describe, expect, test } from 'vitest';
import { ConnectionWatch } from './connection-watch.ts';

function setup() {
  const lines: string[] = [];
  const note = (_fields: object, message: string) => void lines.push(message);
  return { lines, watch: new ConnectionWatch({ info: note, warn: note, error: note }, 'redis') };
}

describe('ConnectionWatch', () => {
  test('logs one line for a lost connection and one for its return', () => {
    const { lines, watch } = setup();
    watch.back();
    expect(lines).toEqual([]);
    watch.lost('reset');
    watch.lost('refused');
    watch.back();
    watch.back();
    expect(lines).toEqual(['queue backend lost, reconnecting', 'queue backend is back']);
  });

  test('logs nothing when a connection is closed on purpose', () => {
    const { lines, watch } = setup();
    watch.back();
    watch.silence();
    watch.lost('closed');
    expect(lines).toEqual([]);
  });

  test('waits for the end of a short outage, and rejects at once in a long one', async () => {
    const { watch } = setup();
    const waiting = watch.whenUp(5_000);
    watch.back();
    await expect(waiting).resolves.toBeUndefined();
    watch.lost('reset');
    await expect(watch.whenUp(0)).rejects.toThrow('not connected');
  });
});
