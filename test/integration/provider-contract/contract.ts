import type { Outcome, TelephonyProvider } from '@outdial/core';
import type { AdapterName } from '@outdial/providers/environment';
import type { DialingSettings } from '@outdial/engine';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import { openProviderWorld, type ProviderWorld } from './world.ts';

/** How the contract is run against an adapter: a carrier for it, and numbers with known outcomes. */
export interface ProviderHarness {
  name: AdapterName;
  /** Starts the carrier. */
  open(options: {
    ringMs: number;
    talkMs: number;
    sendsEvents?: boolean;
    maxLines?: number;
  }): Promise<OpenedCarrier>;
  /** The carrier sends events about calls. */
  hasEvents: boolean;
  /** The carrier can report that it has no free line. */
  hasBackPressure: boolean;
  /** The carrier provides transcripts, which a plain telephone line does not. */
  hasTranscripts: boolean;
  /** The number …90 answers, and hangs up soon. */
  hasPeopleWhoHangUp: boolean;
  /** The outcome of a call during which the carrier restarted. `completed` by default. */
  afterRestart?: Outcome;
}

export interface OpenedCarrier {
  build: (baseUrl: string) => TelephonyProvider;
  /** Further fields of the agent's config, such as the address of its voice runtime. */
  agentConfig?: Record<string, unknown>;
  /** The cap of the row in `providers`. Absent if the carrier reports that it has no free line. */
  lines?: number;
  /** The distinct ids of the calls that it accepted. Null if it does not record them. */
  taken(): string[] | null;
  /** The number of calls in progress. */
  live(): number;
  /** Restarts the carrier with its persistent state. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

interface OpenedContract {
  world: ProviderWorld;
  carrier: OpenedCarrier;
  close(): Promise<void>;
}

const numberEndingIn = (ending: string) => `+155570001${ending}`;

/** The contract of every provider behind the engine, checked in the records. A new adapter only needs a harness. */
export function describeProviderContract(harness: ProviderHarness): void {
  async function open(
    options: { ringMs?: number; talkMs?: number; sendsEvents?: boolean; maxLines?: number } = {},
    settings: Partial<DialingSettings> = {},
  ): Promise<OpenedContract> {
    const carrier = await harness.open({ ringMs: 20, talkMs: 30, ...options });
    const world = await openProviderWorld({
      providerName: harness.name,
      build: carrier.build,
      settings,
      ...(carrier.agentConfig && { agentConfig: carrier.agentConfig }),
      ...(carrier.lines !== undefined && { lines: carrier.lines }),
    });
    return {
      world,
      carrier,
      async close() {
        await world.close();
        await carrier.close();
      },
    };
  }

  async function setup(...args: Parameters<typeof open>): Promise<OpenedContract> {
    const opened = await open(...args);
    onTestFinished(() => opened.close());
    return opened;
  }

  /** A world that the tests of a `describe` share. */
  function share(...args: Parameters<typeof open>): () => OpenedContract {
    let opened: OpenedContract | undefined;
    beforeAll(async () => {
      opened = await open(...args);
    });
    afterAll(() => opened?.close());
    return () => {
      if (!opened) throw new Error('the world is only open in tests');
      return opened;
    };
  }

  describe(`the ${harness.name} as a provider`, () => {
    describe('with short calls', () => {
      const shared = share();

      test('carries a conversation, with its transcript and a recording with ranges', async () => {
        const { world, carrier } = shared();
        const callId = await world.call(numberEndingIn('00'));
        const call = await world.until(callId, 'ended');
        expect(call).toMatchObject({ outcome: 'completed', line_held: false });
        expect(call.accepted_at).not.toBeNull();
        expect(call.answered_at).not.toBeNull();
        expect(call.transcript ?? '').toContain(harness.hasTranscripts ? 'agent:' : '');
        expect(carrier.taken() ?? [callId]).toEqual([callId]);

        // Some carriers provide it only some time after the end.
        const audio = await waitFor('a recording', async () => {
          const answer = await world.recording(callId);
          return answer.status === 404 ? null : answer;
        });
        expect(audio.status).toBe(200);
        const whole = Buffer.from(await audio.arrayBuffer());
        expect(whole.toString('latin1', 0, 4)).toBe('RIFF');
        const part = await world.recording(callId, { range: 'bytes=8-11' });
        expect(part.status).toBe(206);
        expect(part.headers.get('content-range')).toBe(`bytes 8-11/${whole.length}`);
        expect(await part.text()).toBe('WAVE');
      });

      test.each<[string, Outcome]>([
        ['91', 'busy'],
        ['92', 'no_answer'],
        ['93', 'rejected'],
        ['94', 'voicemail'],
        ['95', 'failed'],
        ['96', 'invalid_number'],
      ])('reports the outcome of a call to …%s: %s', async (ending, outcome) => {
        const { world } = shared();
        const call = await world.until(await world.call(numberEndingIn(ending)), 'ended');
        expect(call).toMatchObject({ outcome, line_held: false });
        expect((await world.provider()).lines_in_use).toBe(0);
      });

      test('retries unreached recipients, with a new call for each attempt', async () => {
        const { world, carrier } = shared();
        const before = carrier.taken()?.length ?? 0;
        const campaignId = await world.campaign([numberEndingIn('97')], {
          call_back_attempts: 2,
          retry_delay_seconds: 0,
        });
        await world.finished(campaignId);
        const calls = await world.db
          .selectFrom('calls')
          .select(['attempt', 'outcome'])
          .where('campaign_id', '=', campaignId)
          .orderBy('attempt')
          .execute();
        expect(calls).toEqual([
          { attempt: 1, outcome: 'busy' },
          { attempt: 2, outcome: 'completed' },
        ]);
        expect(carrier.taken()?.length ?? before + 2).toBe(before + 2);
      });
    });

    describe('with long calls', () => {
      const shared = share({ talkMs: 60_000 }, { maxCallSeconds: 60 });

      test.runIf(harness.hasPeopleWhoHangUp)('notices when the person hangs up', async () => {
        const { world, carrier } = shared();
        const callId = await world.call(numberEndingIn('90'));
        const call = await world.until(callId, 'ended');
        expect(call).toMatchObject({ outcome: 'completed', line_held: false, hangup_requested_at: null });
        expect(call.answered_at).not.toBeNull();
        await waitFor('nothing in progress at the carrier', () => carrier.live() === 0);
        expect((await world.provider()).lines_in_use).toBe(0);
      });

      test('hangs up a call past its longest duration, and releases its line', async () => {
        const { world } = shared();
        const callId = await world.call(numberEndingIn('99'));
        await world.until(callId, 'answered');
        await world.clock.advance(61_000);
        const call = await world.until(callId, 'ended');
        expect(call.line_held).toBe(false);
        expect(call.hangup_requested_at).not.toBeNull();
        expect((await world.provider()).lines_in_use).toBe(0);
      });
    });

    describe('a call that lasts a second', () => {
      const shared = share({ ringMs: 200, talkMs: 800 });

      test('continues when the worker is replaced', async () => {
        const { world, carrier } = shared();
        const callId = await world.call(numberEndingIn('00'));
        await untilAnswered(world, callId);
        await world.restartWorker();
        expect(await world.until(callId, 'ended')).toMatchObject({ outcome: 'completed' });
        expect(carrier.taken() ?? [callId]).toEqual([callId]);
      });

      test('continues when the carrier is restarted', async () => {
        const { world, carrier } = shared();
        const before = carrier.taken() ?? [];
        const callId = await world.call(numberEndingIn('00'));
        await untilAnswered(world, callId);
        const isInProgress = carrier.live() > 0;
        await carrier.restart();
        const outcome = (isInProgress ? harness.afterRestart : null) ?? 'completed';
        expect(await world.until(callId, 'ended')).toMatchObject({ outcome, line_held: false });
        expect(carrier.taken() ?? [callId]).toEqual([...before, callId]);
      });
    });

    test.runIf(harness.hasEvents)('is looked up where its events are lost', async () => {
      const { world, carrier } = await setup({ sendsEvents: false });
      const callId = await world.call(numberEndingIn('00'));
      await waitFor('accepted', async () => (await world.row(callId)).accepted_at);
      await waitFor(
        'over at the carrier',
        () => carrier.taken()?.includes(callId) === true && carrier.live() === 0,
      );
      await world.clock.advance(60_000);
      expect(await world.until(callId, 'ended')).toMatchObject({ outcome: 'completed' });
    });

    test.runIf(harness.hasBackPressure)(
      'waits for a carrier that is short of lines, and burns no attempt',
      async () => {
        const { world, carrier } = await setup({ maxLines: 1, talkMs: 100 });
        const numbers = ['10', '11', '12'].map(numberEndingIn);
        const campaignId = await world.campaign(numbers, { max_concurrent_calls: 3 });
        await world.finished(campaignId);
        const calls = await world.db
          .selectFrom('calls')
          .select(['attempt', 'outcome'])
          .where('campaign_id', '=', campaignId)
          .execute();
        expect(calls).toEqual(numbers.map(() => ({ attempt: 1, outcome: 'completed' })));
        expect(carrier.taken()).toHaveLength(3);
      },
    );
  });
}

/** Or over: a busy machine may not see the second in which it is in progress. */
async function untilAnswered(world: ProviderWorld, callId: string): Promise<void> {
  await waitFor('answered', async () => (await world.row(callId)).answered_at);
}
