import { randomInt } from 'node:crypto';
import type { CallFact, PlaceCallRequest, TelephonyProvider } from '@outdial/core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { startAriProxy, type AriProxy } from '../../support/asterisk/ari-proxy.ts';
import type { CarrierTimes } from '../../support/asterisk/carrier/scenario.ts';
import { startCarrier, type Carrier } from '../../support/asterisk/carrier/start-carrier.ts';
import { freeUdpPort, startAsterisk, type RunningAsterisk } from '../../support/asterisk/start-asterisk.ts';
import { trunkForTests } from '../../support/asterisk/trunk-programs.ts';
import type { Sipp } from '../../support/asterisk/find-sipp.ts';
import { callReference, callRequest, providerOf } from '../../support/provider.ts';
import { waitFor } from '../../support/stack/wait-for.ts';

/** An adapter's process as seen from outside: the facts that it reports, and its end. */
export interface Process {
  provider: TelephonyProvider;
  /** In the order in which they were reported. */
  facts(callId: string): CallFact[];
  /** The number of times that it requested a look-up of its live calls. */
  timesMissed(): number;
  until<Kind extends CallFact['kind']>(callId: string, kind: Kind): Promise<CallFact & { kind: Kind }>;
  /** Ends all activity of the process. */
  die(): Promise<void>;
}

export interface TrunkWorld {
  proxy: AriProxy;
  carrier: Carrier;
  startProcess: (settings?: Record<string, unknown>) => Process;
  place: (
    process: Process,
    ending: string,
    change?: Partial<PlaceCallRequest>,
  ) => Promise<{ callId: string; toPhone: string; result: Awaited<ReturnType<TelephonyProvider['place']>> }>;
}

const trunk = await trunkForTests();
/** Whether to skip the tests of the trunk: this machine lacks Asterisk or sipp. */
export const isTrunkMissing = trunk.isMissing;

/** Starts an Asterisk for the tests of a `describe`. `openWorld` creates the surroundings of one test. */
export function useTrunk(): {
  asterisk: () => RunningAsterisk;
  openWorld: (times?: Partial<CarrierTimes>) => Promise<TrunkWorld>;
} {
  let running: { asterisk: RunningAsterisk; carrierPort: number } | undefined;
  const started = () => {
    if (!running) throw new Error('the Asterisk of these tests is not running');
    return running;
  };
  beforeAll(async () => {
    const carrierPort = await freeUdpPort();
    running = {
      asterisk: await startAsterisk({ system: trunk.programs().system, carrierPort }),
      carrierPort,
    };
  });
  afterAll(() => running?.asterisk.close());
  return {
    asterisk: () => started().asterisk,
    openWorld: (times = {}) => openTrunkWorld({ ...started(), sipp: trunk.programs().sipp, times }),
  };
}

/** A separate carrier and proxy for one test, around the Asterisk that the tests of the file share. */
async function openTrunkWorld(args: {
  asterisk: RunningAsterisk;
  carrierPort: number;
  sipp: Sipp;
  times: Partial<CarrierTimes>;
}): Promise<TrunkWorld> {
  const { asterisk } = args;
  const times = { ringMs: 100, talkMs: 1_500, ...args.times };
  const carrier = await startCarrier({ sipp: args.sipp, port: args.carrierPort, times });
  const proxy = await startAriProxy(asterisk);
  const processes: Process[] = [];
  onTestFinished(async () => {
    for (const process of processes) await process.die();
    await asterisk.cli('channel request hangup all');
    await proxy.close();
    await carrier.close();
  });
  // A separate series of numbers for each test. Asterisk may still repeat a message of the last test to the carrier, whose port is the same.
  const series = randomInt(100, 999);
  let placed = 0;

  function startProcess(settings: Record<string, unknown> = {}): Process {
    const { user, password } = asterisk;
    const provider = providerOf(
      'asterisk',
      { asterisk: { url: proxy.url, user, password } },
      { endpoint: 'PJSIP/{number}@trunk', runtime: 'talk@agents', ...settings },
    );
    const told: Array<{ callId: string; fact: CallFact }> = [];
    let missed = 0;
    const abort = new AbortController();
    const over = provider.listen?.(
      {
        deliver(callId, fact) {
          told.push({ callId, fact });
          return Promise.resolve(true);
        },
        eventsMissed() {
          missed += 1;
          return Promise.resolve();
        },
        log: { info: () => undefined, warn: () => undefined },
      },
      abort.signal,
    );
    const facts = (callId: string) => told.filter((one) => one.callId === callId).map(({ fact }) => fact);
    const process: Process = {
      provider,
      facts,
      timesMissed: () => missed,
      until: (callId, kind) =>
        waitFor(`${kind} of a call`, () => {
          const isWanted = (fact: CallFact): fact is CallFact & { kind: typeof kind } => fact.kind === kind;
          return facts(callId).find(isWanted);
        }),
      async die() {
        abort.abort();
        await over;
      },
    };
    processes.push(process);
    return process;
  }

  return {
    proxy,
    carrier,
    startProcess,
    async place(process, ending, change = {}) {
      placed += 1;
      const request = callRequest({
        toPhone: `+1555${series}${String(10 + placed)}${ending}`,
        fromPhone: '+15550001111',
        ringTimeoutSeconds: 10,
        maxCallSeconds: 60,
        ...change,
      });
      const result = await process.provider.place(request, AbortSignal.timeout(8_000));
      return { callId: request.callId, toPhone: request.toPhone, result };
    },
  };
}

export const referenceTo = (callId: string) => callReference({ callId });
