import { describe, expect, onTestFinished, test } from 'vitest';
import type { RunningAsterisk } from '../../support/asterisk/start-asterisk.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { isTrunkMissing, useTrunk } from './trunk-world.ts';

describe.skipIf(isTrunkMissing)('the event websocket', () => {
  const { asterisk, openWorld } = useTrunk();

  // Asterisk issue 2170: Asterisk hangs forever if a connection that subscribes to device states ends while a state changes.
  test('reconnects without blocking an Asterisk whose devices change state', async () => {
    const { startProcess } = await openWorld();
    const changes = changeDeviceStates(asterisk());
    for (let n = 0; n < 20; n++) {
      const process = startProcess();
      await waitFor('listening', () => process.timesMissed() > 0);
      await process.die();
    }
    expect(await changes.stop()).toBeGreaterThan(100);
    expect(await asterisk().ari('GET', '/applications')).toMatchObject({ status: 200 });
  });

  test('gives up if Asterisk hangs, and treats a call in flight as ambiguous', async () => {
    const { startProcess, place } = await openWorld();
    // Stop Asterisk and not the proxy, because the proxy would still answer heartbeats.
    const process = startProcess({ url: asterisk().url });
    expect((await place(process, '91')).result).toMatchObject({ kind: 'accepted' });
    onTestFinished(() => asterisk().thaw());
    asterisk().freeze();
    expect((await place(process, '91')).result).toMatchObject({ kind: 'ambiguous' });
    await waitFor('given up', async () => (await place(process, '91')).result.kind === 'unreachable');
    const missed = process.timesMissed();
    asterisk().thaw();
    await waitFor('listening again', () => process.timesMissed() > missed);
    expect((await place(process, '91')).result).toMatchObject({ kind: 'accepted' });
  });

  test('gives up if requests are no longer answered, and places no calls until they are', async () => {
    const { proxy, startProcess, place } = await openWorld();
    const process = startProcess();
    await waitFor('listening', () => process.timesMissed() > 0);
    proxy.loseAnswers(() => true);
    await waitFor('given up', async () => (await place(process, '91')).result.kind === 'unreachable');
    const before = proxy.originates();
    expect((await place(process, '91')).result).toMatchObject({ kind: 'unreachable' });
    expect(proxy.originates()).toBe(before);
    const missed = process.timesMissed();
    proxy.loseAnswers(() => false);
    await waitFor('listening again', () => process.timesMissed() > missed);
    expect((await place(process, '91')).result).toMatchObject({ kind: 'accepted' });
  });
});

/** The load of a busy trunk, at a higher rate. */
function changeDeviceStates(asterisk: RunningAsterisk): { stop(): Promise<number> } {
  let isOver = false;
  let changed = 0;
  async function change(device: number): Promise<void> {
    while (!isOver) {
      const state = changed % 2 === 0 ? 'INUSE' : 'NOT_INUSE';
      const answer = await asterisk.ari('PUT', `/deviceStates/Stasis:test${device}?deviceState=${state}`);
      if (answer === null) return;
      changed += 1;
    }
  }
  const all = Promise.all([change(1), change(2)]);
  return {
    async stop() {
      isOver = true;
      await all;
      return changed;
    },
  };
}
