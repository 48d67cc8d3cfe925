import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { quickDetection } from '../../support/asterisk/trunk-programs.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { isTrunkMissing, referenceTo, useTrunk } from './trunk-world.ts';

describe.skipIf(isTrunkMissing)('the Asterisk adapter', () => {
  const { asterisk, openWorld } = useTrunk();
  const signal = () => AbortSignal.timeout(20_000);

  describe('placing', () => {
    test('sends nothing while its event websocket is down, and continues when it is up again', async () => {
      const { proxy, startProcess, place } = await openWorld();
      const process = startProcess();
      await waitFor('listening', () => process.timesMissed() > 0);
      proxy.cutEvents();
      await waitFor('cut off', async () => (await place(process, '91')).result.kind === 'unreachable');
      const before = proxy.originates();
      expect((await place(process, '91')).result).toMatchObject({ kind: 'unreachable' });
      expect(proxy.originates()).toBe(before);
      const missed = process.timesMissed();
      proxy.allowEvents();
      await waitFor('listening again', () => process.timesMissed() > missed);
      expect((await place(process, '91')).result).toMatchObject({ kind: 'accepted' });
    });

    test('treats an originate without an answer as ambiguous, and finds the call', async () => {
      const { proxy, startProcess, place } = await openWorld({ ringMs: 3_000 });
      const process = startProcess();
      proxy.loseAnswers((method, path) => method === 'POST' && /^\/ari\/channels\/[0-9a-f]{8}-/.test(path));
      const { callId, result } = await place(process, '00');
      expect(result.kind).toBe('ambiguous');
      expect(await process.provider.lookUp(referenceTo(callId), signal())).toMatchObject({ kind: 'found' });
    });

    test.each([
      ['a wrong password', { password_env: 'ASTERISK_PASSWORD_WRONG' }, 'unreachable'],
      ['a trunk that does not exist', { endpoint: 'PJSIP/{number}@none' }, 'unreachable'],
      ['a context of Outdial that does not exist', { context: 'none' }, 'unreachable'],
      ['an extension that does not exist', { runtime: 'none@agents' }, 'misconfigured'],
      ['no runtime at all', { runtime: '' }, 'misconfigured'],
    ])('places no call with %s', async (_name, settings, kind) => {
      process.env['ASTERISK_PASSWORD_WRONG'] = 'not-the-password';
      const { carrier, startProcess, place } = await openWorld();
      const { result, toPhone } = await place(startProcess(settings), '91');
      expect(result.kind).toBe(kind);
      expect(carrier.invited()).not.toContain(toPhone);
    });

    test('has Asterisk itself end a call that no engine is left to hang up', async () => {
      const { startProcess, place } = await openWorld();
      const process = startProcess();
      const { callId } = await place(process, '99');
      await process.until(callId, 'answered');
      const name = encodeURIComponent('TIMEOUT(absolute)');
      const answer = await asterisk().ari('GET', `/channels/${callId}/variable?variable=${name}`);
      // Ringing and talking, and a minute for the engine to hang up.
      expect(JSON.stringify(answer?.body)).toMatch(/^\{"value":"1[0-3]\d(\.\d+)?"\}$/);
    });
  });

  describe('ending', () => {
    test('reports a call that was hung up while ringing as canceled', async () => {
      const { startProcess, place } = await openWorld();
      const process = startProcess();
      const { callId } = await place(process, '86');
      await process.until(callId, 'ringing');
      expect(await process.provider.hangUp(referenceTo(callId), signal())).toEqual({ kind: 'requested' });
      expect(await process.until(callId, 'ended')).toMatchObject({ outcome: 'canceled' });
      expect(await process.provider.hangUp(referenceTo(callId), signal())).toEqual({ kind: 'confirmed' });
    });

    test('connects a machine to the runtime if configured, and still reports voicemail', async () => {
      const { startProcess, place } = await openWorld();
      const process = startProcess({ machine_detection: quickDetection, on_machine: 'continue' });
      const { callId } = await place(process, '94');
      await process.until(callId, 'machine');
      await waitFor('the agent to talk', async () =>
        (await asterisk().cli('core show channels concise')).includes('!agents!talk!'),
      );
      await process.provider.hangUp(referenceTo(callId), signal());
      expect(await process.until(callId, 'ended')).toMatchObject({ outcome: 'voicemail' });
      await process.until(callId, 'recording');
    });

    test('records only if configured', async () => {
      const { startProcess, place } = await openWorld({ talkMs: 500 });
      const process = startProcess({ record: false });
      const { callId } = await place(process, '00');
      await process.until(callId, 'ended');
      expect(await process.provider.openRecording(referenceTo(callId), signal())).toBeNull();
    });
  });

  describe('looking up', () => {
    test('knows how a call ended while no worker listened', async () => {
      const { startProcess, place } = await openWorld();
      const process = startProcess();
      const { callId, result } = await place(process, '91');
      expect(result.kind).toBe('accepted');
      await process.until(callId, 'ended');
      const { callId: rung } = await place(process, '92');
      await process.until(rung, 'ringing');
      await process.die();
      await waitFor('nothing live', async () =>
        (await asterisk().cli('core show channels')).includes('0 active channels'),
      );
      expect(await process.provider.lookUp(referenceTo(rung), signal())).toMatchObject({
        kind: 'found',
        progress: [{ kind: 'ended', outcome: 'no_answer' }],
      });
      // The first one was reported and cleared.
      expect(process.facts(callId)).toMatchObject([{ kind: 'ended', outcome: 'busy' }]);
    });

    test('knows nothing of a call that it never had', async () => {
      const { startProcess } = await openWorld();
      const { provider } = startProcess();
      expect(await provider.lookUp(referenceTo(randomUUID()), signal())).toEqual({ kind: 'unknown' });
    });
  });

  describe('several processes', () => {
    test('reports events once, from the process that placed the call', async () => {
      const { startProcess, place } = await openWorld();
      const [one, other] = [startProcess(), startProcess()];
      await waitFor('both listen', () => one.timesMissed() > 0 && other.timesMissed() > 0);
      const { callId } = await place(one, '91');
      await one.until(callId, 'ended');
      const { callId: second } = await place(other, '81');
      await other.until(second, 'recording');
      // By now the first process had the time after which it would report the end of the other's call.
      await waitFor(
        'the calls are cleared',
        async () => !(await asterisk().cli('dialplan show globals')).includes(second),
      );
      expect(one.facts(second).filter((fact) => fact.kind === 'ended')).toEqual([]);
      expect(other.facts(callId)).toEqual([]);
      expect(one.facts(callId)).toHaveLength(1);
    });

    test('takes over a call that rings when its process dies, and hands it to the agent', async () => {
      const { startProcess, place } = await openWorld({ ringMs: 1_000, talkMs: 12_000 });
      const [one, other] = [startProcess(), startProcess()];
      await waitFor('both listen', () => one.timesMissed() > 0 && other.timesMissed() > 0);
      const { callId } = await place(one, '00');
      await one.until(callId, 'ringing');
      await one.die();
      expect(await other.until(callId, 'ended')).toMatchObject({ outcome: 'completed' });
      await other.until(callId, 'recording');
      const recording = await other.provider.openRecording(referenceTo(callId), signal());
      expect(recording?.size).toBeGreaterThan(16_000);
    });
  });
});
