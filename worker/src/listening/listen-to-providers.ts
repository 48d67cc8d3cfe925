import type {
  TelephonyProvider,
  CallFact,
  InboundAnswer,
  InboundCall,
  ProviderListener,
} from '@outdial/core';
import { type SendDeps, answerInboundCall, checkCalls, lookUpGraceMs } from '@outdial/engine';
import { setTimeout as sleep } from 'node:timers/promises';
import { uuid } from '@outdial/contracts';
import { findCallProvider, findLiveCallsOfProvider } from '@outdial/db';
import { LRUCache } from 'lru-cache';

/** How soon a new or changed provider takes effect. */
const lookEveryMs = 500;

interface Listening {
  adapter: TelephonyProvider;
  abort: AbortController;
  over: Promise<void>;
}

/** Listens to every provider that reports events on a connection, and follows changes of the providers table. */
export function listenToProviders(deps: SendDeps): { stop(): Promise<void> } {
  const listening = new Map<string, Listening>();
  const ending = new Set<Promise<void>>();

  function end(name: string, { abort, over }: Listening): void {
    listening.delete(name);
    abort.abort();
    ending.add(over);
    void over.then(() => ending.delete(over));
  }

  function begin(name: string, adapter: TelephonyProvider): void {
    const abort = new AbortController();
    const listener = createProviderListener(deps, name, abort.signal);
    const over = (adapter.listen?.(listener, abort.signal) ?? Promise.resolve()).catch((error: unknown) =>
      deps.log.error({ err: error, provider: name }, 'this worker stopped listening to a provider'),
    );
    listening.set(name, { adapter, abort, over });
  }

  function look(): void {
    for (const [name, one] of listening) {
      if (deps.providers.get(name) !== one.adapter) end(name, one);
    }
    for (const [name, adapter] of deps.providers) {
      if (adapter.listen && !listening.has(name)) begin(name, adapter);
    }
  }

  look();
  const timer = setInterval(look, lookEveryMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      for (const [name, one] of listening) end(name, one);
      await Promise.all(ending);
    },
  };
}

const firstRetryMs = 500;
const longestRetryMs = 10_000;
/** About ten minutes. */
const triesAtMost = 60;
/** As many concurrent look-ups as a provider can answer within their deadline. */
const checksAtOnce = 100;
/** A call has a handful of events within seconds, so older ids are not needed again. */
const knownAtMost = 20_000;

/** Receives the events of one provider's adapter, and records them like signed events. */
function createProviderListener(deps: SendDeps, provider: string, signal: AbortSignal): ProviderListener {
  const known = new LRUCache<string, boolean>({ max: knownAtMost });

  async function isOurs(callId: string): Promise<boolean> {
    const before = known.get(callId);
    if (before !== undefined) return before;
    if (!uuid.safeParse(callId).success) return false;
    const answer = (await findCallProvider(deps.db, callId)) === provider;
    // A call is inserted before it is placed, so an unknown id stays unknown.
    known.set(callId, answer);
    return answer;
  }

  /** Retries, because a connection reports a fact only once, and Postgres may be down for a while. Null after the last attempt. */
  async function untilDone<T>(what: string, work: () => Promise<T>): Promise<T | null> {
    let waitMs = firstRetryMs;
    for (let tried = 0; tried < triesAtMost; tried++, waitMs = Math.min(waitMs * 2, longestRetryMs)) {
      try {
        return await work();
      } catch (error) {
        deps.log.warn({ err: error, provider }, `${what}; will retry`);
      }
      try {
        await sleep(waitMs, undefined, { signal, ref: false });
      } catch {
        return null;
      }
    }
    deps.log.error({ provider }, `${what}; gave up, a look-up will find it`);
    return null;
  }

  async function recordAfter(before: Promise<boolean> | undefined, callId: string, fact: CallFact) {
    await before;
    const recorded = await untilDone('could not record an event of a provider', async () => {
      if (!(await isOurs(callId))) return false;
      await deps.progress.record({ callId, facts: [fact] });
      return true;
    });
    return recorded ?? false;
  }

  /** The last fact of each call that is being recorded. Facts of a call are recorded one at a time, because one may have to be retried. */
  const inFlight = new Map<string, Promise<boolean>>();

  return {
    async deliver(callId: string, fact: CallFact) {
      const recording = recordAfter(inFlight.get(callId), callId, fact);
      inFlight.set(callId, recording);
      try {
        return await recording;
      } finally {
        if (inFlight.get(callId) === recording) inFlight.delete(callId);
      }
    },
    async inbound(call: InboundCall): Promise<InboundAnswer> {
      try {
        const media = deps.providers.get(provider)?.media;
        return await answerInboundCall(deps, { name: provider, ...(media && { media }) }, call);
      } catch (error) {
        deps.log.error({ err: error, provider }, 'could not decide about an inbound call');
        return { kind: 'refused', reason: 'failed', isUnknownNumber: false };
      }
    },
    async eventsMissed() {
      await untilDone('the live calls of a provider were not looked up', async () => {
        const ids = await findLiveCallsOfProvider(deps.db, { provider, sendOverMs: lookUpGraceMs });
        for (let from = 0; from < ids.length && !signal.aborted; from += checksAtOnce) {
          await checkCalls(deps, ids.slice(from, from + checksAtOnce));
        }
      });
    },
    log: {
      info: (fields, message) => deps.log.info({ provider, ...fields }, message),
      warn: (fields, message) => deps.log.warn({ provider, ...fields }, message),
    },
  };
}
