import { beforeEach, describe, expect, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import { isTrunkMissing, useTrunk } from './trunk-world.ts';
import { startRuntime } from './voice-runtime.ts';

describe.skipIf(isTrunkMissing)('a voice runtime behind a websocket', () => {
  const { asterisk, openWorld } = useTrunk();

  // Not every Asterisk supports this. The module list is more reliable than the version.
  beforeEach(async (context) => {
    const answer = await asterisk().ari('GET', '/asterisk/modules/chan_websocket.so');
    if (answer?.status !== 200) context.skip('this Asterisk has no websockets for media');
  });

  test('receives and sends audio, and ends the call by hanging up', async () => {
    const runtime = await startRuntime({ hangsUpAfterFrames: 60 });
    const { carrier, startProcess, place } = await openWorld();
    const process = startProcess({ runtime: runtime.url });
    const { callId } = await place(process, '99');
    expect(await process.until(callId, 'ended')).toMatchObject({ outcome: 'completed' });
    expect(runtime.calls()).toEqual([callId]);
    expect(runtime.loudest()).toBeGreaterThan(1_000);
    await waitFor('hung up at the carrier', () => carrier.ended()[0]?.end === 'hung_up_by_us');
    await process.until(callId, 'recording');
  });

  test('ends the call by hanging up although the event of it is lost', async () => {
    const runtime = await startRuntime({ hangsUpAfterFrames: 60 });
    const { proxy, startProcess, place } = await openWorld();
    const process = startProcess({ runtime: runtime.url });
    proxy.loseEvents((text) => text.includes('"ChannelDestroyed"') && text.includes('-media"'));
    const { callId } = await place(process, '99');
    expect(await process.until(callId, 'ended')).toMatchObject({ outcome: 'completed' });
  });

  test('is left when the person hangs up', async () => {
    const runtime = await startRuntime({});
    const { startProcess, place } = await openWorld();
    const process = startProcess({ runtime: runtime.url });
    const { callId } = await place(process, '00');
    expect(await process.until(callId, 'ended')).toMatchObject({ outcome: 'completed' });
    await waitFor('the runtime to be left', () => runtime.open() === 0);
    await waitFor('no bridge to be left', async () => {
      const answer = await asterisk().ari('GET', '/bridges');
      return JSON.stringify(answer?.body) === '[]';
    });
  });

  test('is a failure if it does not answer', async () => {
    const { startProcess, place } = await openWorld();
    const process = startProcess({ runtime: `ws://127.0.0.1:9/media` });
    const { callId } = await place(process, '00');
    expect(await process.until(callId, 'ended')).toMatchObject({ outcome: 'failed' });
  });
});
