import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Turns } from '@outdial/core';
import {
  finishCampaign,
  inTransaction,
  isUnstorableText,
  noLineWaiters,
  ownerAndProviderOf,
  setAside,
  type OwnerAndProvider,
  type CampaignKey,
} from '@outdial/db';
import { LRUCache } from 'lru-cache';
import type { GatedCall, SendDeps } from '../send/gated-call.ts';
import { sendCall } from '../send/send-call.ts';
import { enqueueLineWaiters, enqueueWithdrawals } from '../enqueue.ts';
import { campaignJobFailed, failureText } from '../failures.ts';
import { inGate } from '../gate/gate-grounds.ts';
import { dialDue, type Dialed } from './dial-due.ts';
import { FaultOfPersonError } from './pass-due.ts';
import { dialsAtOnce, type Step } from './step.ts';

export interface Dialer {
  /** Dials campaigns when it is the turn of their organizations. If the process dies, `wake_at` tells another. */
  wake(campaignIds: Iterable<string>): void;
  /** The same for one campaign; resolves when it can dial nobody more for now. Its calls may still be on their way to the provider. */
  advance(campaignId: string): Promise<void>;
  /** Takes no more work, and resolves when all transactions and sends have ended. */
  close(): Promise<void>;
}

/** Transactions at once, besides those that wait for a change. Those of one campaign run one at a time in each worker. */
const transactionsAtOnce = 4;
const campaignsRememberedAtMost = 50_000;
/** Campaigns wait in line for a pace whose next gate is at most this far ahead, and otherwise for their timers. */
const longestInLineMs = 1_000;

/**
 * Organizations take turns, both for transactions and for places to send. A provider has places of its own, so a slow one delays no other. A
 * transaction dials at most as many as it has places for, so that every committed call is sent at once. It takes most of them when it has its locks, so
 * one that waits for a long change keeps few from others.
 * @param args.placesOfProvider how many sends to one provider run at once
 * @param args.onFailed called when an advance failed, which waits and is tried again
 */
export function createDialer(
  deps: SendDeps,
  { placesOfProvider, onFailed }: { placesOfProvider: number; onFailed?: () => void },
): Dialer {
  const transactions = new Turns({ atOnce: transactionsAtOnce });
  const places = new Map<string, Turns>();
  const paces = new Map<string, { turns: Turns; untilMs: number }>();
  /** Whose a campaign is, and where it dialed last. If it dials elsewhere now, its next transaction knows. */
  // Grows as it fills: `max` would allocate all entries at once.
  const remembered = new LRUCache<string, OwnerAndProvider>({
    maxSize: campaignsRememberedAtMost,
    sizeCalculation: () => 1,
  });
  const running = new Map<string, { again: boolean; done: Promise<void> }>();
  const sending = new Set<Promise<void>>();
  let closed = false;

  function placesOf(provider: string): Turns {
    const found = places.get(provider) ?? new Turns({ atOnce: placesOfProvider });
    places.set(provider, found);
    return found;
  }

  /**
   * Waits in the line of a provider with calls per second, where only the first one asks for the next gate. Otherwise every campaign would ask for each of
   * them. Returns what gives the turn to the next one.
   */
  async function waitForPace(key: CampaignKey, waitMs: number): Promise<() => void> {
    const provider = remembered.get(key.campaignId)?.provider ?? '';
    const line = paces.get(provider) ?? { turns: new Turns({ atOnce: 1 }), untilMs: 0 };
    paces.set(provider, line);
    line.untilMs = Math.max(line.untilMs, performance.now() + waitMs);
    const end = await line.turns.take(key.organizationId);
    await sleep(Math.max(0, line.untilMs - performance.now()), undefined, { ref: false });
    return end;
  }

  function send(call: GatedCall, giveBack: () => void): void {
    const sent = sendCall(deps, call)
      .then(
        (answer) => deps.log.debug({ call_id: call.pass.callId, answer }, 'call sent'),
        (error: unknown) => {
          const log = { call_id: call.pass.callId, campaign_id: call.campaignId, err: error };
          deps.log.error(log, 'a send failed; a look-up will find out about the call');
        },
      )
      .finally(() => {
        giveBack();
        sending.delete(sent);
      });
    sending.add(sent);
  }

  /** Campaigns of one organization and provider that wait for the next transaction, with what their steps resolve. */
  const groups = new Map<string, { waiting: Map<string, PromiseWithResolvers<Step>>; isDialing: boolean }>();

  /** One step of a campaign, in one transaction with others that wait meanwhile. */
  async function dialOnce(key: CampaignKey): Promise<Step> {
    const { campaignId, organizationId } = key;
    const provider = remembered.get(campaignId)?.provider ?? '';
    const name = JSON.stringify([organizationId, provider]);
    const group = groups.get(name) ?? { waiting: new Map(), isDialing: false };
    groups.set(name, group);
    const waiting = Promise.withResolvers<Step>();
    group.waiting.set(campaignId, waiting);
    if (!group.isDialing) void dialGroup(name, { organizationId, provider });
    let step = await waiting.promise;
    // A campaign that needs a transaction of its own seldom has to wait for a change.
    for (const waits of [false, true]) {
      if (step.kind !== 'alone') break;
      const steps = await dialTogether({ organizationId, provider }, () => [campaignId], { waits });
      step = steps.get(campaignId) ?? { kind: 'idle' };
    }
    return step;
  }

  async function dialGroup(name: string, of: { organizationId: string; provider: string }): Promise<void> {
    const group = groups.get(name);
    if (group === undefined) return;
    group.isDialing = true;
    while (group.waiting.size > 0 && !closed) {
      let taken: Array<[string, PromiseWithResolvers<Step>]> = [];
      const take = (atMost: number): string[] => {
        taken = [...group.waiting].slice(0, atMost);
        for (const [id] of taken) group.waiting.delete(id);
        return taken.map(([id]) => id);
      };
      try {
        const steps = await dialTogether(of, take, { waits: false });
        for (const [id, { resolve }] of taken) resolve(steps.get(id) ?? { kind: 'idle' });
      } catch (error) {
        // One of them may be at fault.
        for (const [, { resolve, reject }] of taken) {
          if (taken.length === 1) reject(error);
          else resolve({ kind: 'alone' });
        }
      }
    }
    groups.delete(name);
    for (const { resolve } of group.waiting.values()) resolve({ kind: 'idle' });
  }

  /** One transaction of campaigns of one organization and provider, which are chosen when it begins: not more than may get a place to send. */
  async function dialTogether(
    { organizationId, provider }: { organizationId: string; provider: string },
    campaigns: (atMost: number) => string[],
    { waits }: { waits: boolean },
  ): Promise<Map<string, Step>> {
    const free = placesOf(provider);
    const turns = waits ? deps.held : transactions;
    /** What gives each place back. */
    const taken: Array<() => void> = [];
    const takeUpTo = (places: number): number => {
      while (taken.length < places) {
        const next = free.takeNow(organizationId);
        if (next === null) break;
        taken.push(next);
      }
      return taken.length;
    };
    const transaction = async (): Promise<Dialed | null> => {
      if (closed) return { steps: new Map(), lineWaiters: noLineWaiters };
      if (takeUpTo(1) === 0) return null;
      const campaignIds = campaigns(Math.min(dialsAtOnce, taken.length + free.freeFor(organizationId)));
      return dialOrSetAside(deps, { organizationId, campaignIds, waits }, () => takeUpTo(dialsAtOnce));
    };
    try {
      let dialed = await turns.run(organizationId, transaction);
      while (dialed === null) {
        // Without a turn, in which campaigns of other providers can dial.
        taken.push(await free.take(organizationId));
        dialed = await turns.run(organizationId, transaction);
      }
      for (const [campaignId, step] of dialed.steps) {
        if (step.kind !== 'moved') continue;
        remembered.set(campaignId, { organizationId, provider: step.provider });
        for (const call of step.calls) send(call, taken.pop() ?? (() => undefined));
      }
      await enqueueLineWaiters(deps, dialed.lineWaiters);
      return dialed.steps;
    } finally {
      for (const giveBack of taken) giveBack();
    }
  }

  async function dialWhileDue(key: CampaignKey): Promise<void> {
    let endTurn: (() => void) | null = null;
    try {
      for (let more = true; more && !closed;) {
        const step = await dialOnce(key);
        endTurn?.();
        endTurn = null;
        if (step.kind === 'set_aside' || step.kind === 'alone') continue;
        if (step.kind === 'finish') await finish(deps, key);
        if (step.kind !== 'moved') return;
        ({ more } = step);
        const { wakeInMs } = step;
        if (more || wakeInMs === null) continue;
        if (step.isPaced && wakeInMs <= longestInLineMs) {
          endTurn = await waitForPace(key, wakeInMs);
          more = true;
        } else {
          // The scheduler would be late for an early wake-up.
          deps.timers.set(`advance ${key.campaignId}`, wakeInMs, () => advance(key.campaignId));
        }
      }
    } finally {
      endTurn?.();
    }
  }

  /** Null if there is no such campaign. The places for its first dial are those of its own provider. */
  async function lookUp(campaignId: string): Promise<OwnerAndProvider | null> {
    const found = remembered.get(campaignId) ?? (await ownerAndProviderOf(deps.db, campaignId));
    if (found !== null) remembered.set(campaignId, found);
    return found;
  }

  async function run(campaignId: string, entry: { again: boolean }): Promise<void> {
    try {
      const found = await lookUp(campaignId);
      if (found === null) return;
      do {
        entry.again = false;
        await dialWhileDue({ campaignId, organizationId: found.organizationId });
      } while (entry.again && !closed);
    } catch (error) {
      onFailed?.();
      await campaignJobFailed(deps, campaignId, error).catch((err: unknown) =>
        deps.log.error({ campaign_id: campaignId, err }, 'could not record the failure of a campaign'),
      );
    } finally {
      running.delete(campaignId);
    }
  }

  function advance(campaignId: string): Promise<void> {
    if (closed) return Promise.resolve();
    const known = running.get(campaignId);
    if (known !== undefined) {
      known.again = true;
      return known.done;
    }
    const entry = { again: false, done: Promise.resolve() };
    running.set(campaignId, entry);
    entry.done = run(campaignId, entry);
    return entry.done;
  }

  return {
    wake(campaignIds) {
      for (const id of campaignIds) void advance(id);
    },
    advance,
    async close() {
      closed = true;
      await Promise.all([...running.values()].map(({ done }) => done));
      while (sending.size > 0) await Promise.all(sending);
    },
  };
}

/** One transaction of campaigns. If it has one campaign, and the data of one person make it fail, that person is set aside, and the others are dialed. */
async function dialOrSetAside(
  deps: SendDeps,
  {
    organizationId,
    campaignIds,
    waits,
  }: { organizationId: string; campaignIds: readonly string[]; waits: boolean },
  takePlaces: () => number,
): Promise<Dialed> {
  const dial = (take: () => number) =>
    inGate(deps.db, (tx) => dialDue(tx, deps, campaignIds, take, { waits }));
  const [campaignId, ...others] = campaignIds;
  if (campaignId === undefined || others.length > 0) return dial(takePlaces);
  try {
    return await dial(takePlaces).catch((error: unknown) => {
      // Only values have a person's fault: a broken constraint, such as a cap of lines, is one of the campaign.
      if (!isUnstorableText(error)) throw error;
      return dial(() => 1);
    });
  } catch (error) {
    if (!(error instanceof FaultOfPersonError)) throw error;
    const { recipientId, cause } = error;
    const failure = failureText(cause);
    const key = { organizationId, campaignId };
    await inTransaction(deps.db, (tx) => setAside(tx, key, { recipientId, failure }));
    const log = { campaign_id: campaignId, recipient_id: recipientId, failure };
    deps.log.error(log, 'a recipient cannot be dialed and is set aside');
    return { steps: new Map([[campaignId, { kind: 'set_aside' }]]), lineWaiters: noLineWaiters };
  }
}

async function finish(deps: SendDeps, key: CampaignKey): Promise<void> {
  const { campaignId } = key;
  const finished = await inTransaction(deps.db, (tx) => finishCampaign(tx, key));
  if (finished === null) return;
  deps.log.info({ campaign_id: campaignId }, 'campaign finished');
  if (finished.hasOpen) await enqueueWithdrawals(deps, [campaignId]);
}
