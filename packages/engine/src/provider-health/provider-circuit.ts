import { createHash } from 'node:crypto';
import type { Misconfiguration, PlaceResult } from '@outdial/core';
import {
  lockProviderCircuit,
  inTransaction,
  saveProviderCircuit,
  readProviderCircuit,
  wereOthersAccepted,
  wakeCampaignsOfProvider,
  type Db,
  type LockedProviderCircuit,
  type Tx,
} from '@outdial/db';
import { LRUCache } from 'lru-cache';
import type { ControlDeps } from '../deps.ts';
import { enqueueAdvance } from '../enqueue.ts';
import {
  admit,
  afterAnswer,
  afterFailure,
  afterMisconfiguration,
  afterUnknownCode,
  askedUntil,
  isAlone,
  isBroken,
  peopleToOpen,
  type Circuit,
  type CircuitChange,
} from './circuit-breaker.ts';

const generalReason = 'circuit_open';

export type SendAdmission =
  | { kind: 'send'; isProbe: boolean; isLate?: boolean }
  | { kind: 'wait'; until: Date };

const sendFreely: SendAdmission = { kind: 'send', isProbe: false };

/**
 * Asks the breaker whether a gated call may be sent. While the provider is healthy, the values that the gate read suffice. A probe is taken
 * under the lock of the provider's row, so that there is only one.
 */
export async function admitSend(
  deps: Pick<ControlDeps, 'db'>,
  provider: string,
  atGate: Circuit | null,
): Promise<SendAdmission> {
  const seen = atGate ?? (await readProviderCircuit(deps.db, provider));
  const first = seen === null ? { kind: 'send' as const } : admit(seen);
  if (first.kind === 'wait') return first;
  if (first.kind === 'send') return sendFreely;
  return inTransaction(deps.db, async (tx) => {
    const locked = await lockProviderCircuit(tx, provider);
    if (locked === null) return sendFreely;
    const admission = admit(locked);
    if (admission.kind === 'wait') return admission;
    if (admission.kind === 'send') return sendFreely;
    const { failuresInARow, closedReason } = locked;
    await saveProviderCircuit(tx, {
      provider,
      failuresInARow,
      closed: { until: admission.closedUntil, reason: closedReason ?? generalReason },
    });
    return { kind: 'send', isProbe: true, isLate: locked.unknownCode?.isLate === true };
  });
}

type AskedWait = Pick<Extract<PlaceResult, { kind: 'defer' }>, 'retryAfterMs' | 'reason'>;

type CircuitDeps = Pick<ControlDeps, 'db' | 'log' | 'publisher' | 'dialer'>;

export type ProviderFault = Omit<Misconfiguration, 'of'>;

/**
 * Counts a failure of the provider. Returns until when it is closed, or null.
 * @param args.fault set if every call would fail like this, which opens the circuit at once
 * @param args.isLate the provider had accepted the call
 */
export async function noteProviderFailure(
  deps: CircuitDeps,
  args: {
    provider: string;
    wasProbe: boolean;
    why: string;
    fault?: ProviderFault | undefined;
    isLate?: boolean;
    toPhone: string;
  },
): Promise<Date | null> {
  const { provider, wasProbe, why, fault, isLate = false, toPhone } = args;
  const done = await changeCircuit(deps, provider, {
    decide: (circuit) =>
      fault === undefined
        ? afterFailure(circuit, wasProbe)
        : afterMisconfiguration(circuit, { code: fault.code, person: markOf(toPhone), wasProbe, isLate }),
    reason: fault === undefined ? generalReason : textOfFault(fault),
    why: fault === undefined ? why : textOfFault(fault),
  });
  if (done?.change.kind === 'open') {
    if (!isBroken(done.was)) noteOpener(deps, provider, toPhone);
    return done.change.until;
  }
  return done?.was.closedUntil ?? null;
}

/**
 * How often the fault of one person's call opened the circuit of a provider. If it did twice, others were called in between. Then the next one is taken as
 * the number's, because such a person would hold up the others for ever. Kept by each process for its database, for an hour.
 */
const openers = new WeakMap<Db, LRUCache<string, number>>();
const opensAtMost = 2;
const openerOf = (provider: string, toPhone: string) => `${provider} ${markOf(toPhone)}`;

function noteOpener({ db }: CircuitDeps, provider: string, toPhone: string): void {
  const known = openers.get(db) ?? new LRUCache<string, number>({ max: 10_000, ttl: 60 * 60_000 });
  openers.set(db, known);
  const key = openerOf(provider, toPhone);
  known.set(key, (known.get(key) ?? 0) + 1);
}

/**
 * Whether the answer that would be the account's is this number's: calls to others pass, or only this person is left to be called, and others of its
 * campaign were accepted within a day.
 */
export async function isOfNumber(
  { db }: CircuitDeps,
  { provider, toPhone, campaignId }: { provider: string; toPhone: string; campaignId: string | null },
): Promise<boolean> {
  if ((openers.get(db)?.get(openerOf(provider, toPhone)) ?? 0) >= opensAtMost) return true;
  if (campaignId === null) return false;
  const circuit = await readProviderCircuit(db, provider);
  if (circuit === null || !isAlone(circuit, markOf(toPhone))) return false;
  return wereOthersAccepted(db, { campaignId, provider, toPhone });
}

/** Providers that gave an unknown code to a call of this process. Calls that were gated before read no failure, but their answers end the row too. */
const withUnknownCode = new Set<string>();

/** Judges an answer with an unknown code. Returns until when the provider is closed if the code is taken as the account's, and null if it is the call's. */
export async function noteUnknownCode(
  deps: CircuitDeps,
  args: { provider: string; wasProbe: boolean; code: string; toPhone: string; isLate?: boolean },
): Promise<Date | null> {
  const { provider, wasProbe, code, isLate = false } = args;
  withUnknownCode.add(provider);
  let isOfAccount = false;
  const fault = {
    code,
    remedy: `it is not a known answer, and ${peopleToOpen} people in a row got it: ask the operator of the provider what it means`,
  };
  const done = await changeCircuit(deps, provider, {
    decide(circuit) {
      const judged = afterUnknownCode(circuit, { code, person: markOf(args.toPhone), wasProbe, isLate });
      ({ isOfAccount } = judged);
      return judged.change;
    },
    reason: textOfFault(fault),
    why: textOfFault(fault),
  });
  if (!isOfAccount || done === null) return null;
  return done.change.kind === 'open' ? done.change.until : (done.was.closedUntil ?? done.was.now);
}

/** Tells people apart, and is too short to find out who they are. */
function markOf(phone: string): string {
  return createHash('sha256').update(phone).digest('hex').slice(0, 6);
}

/**
 * Records that the provider answered; writes nothing if there were no failures. A probe closes the circuit and wakes the waiting campaigns, unless its
 * answer or an earlier one asks to wait: then they wait on.
 */
export async function noteProviderAnswer(
  deps: CircuitDeps,
  args: {
    provider: string;
    wasProbe: boolean;
    atGate: Circuit | null;
    isAcceptance?: boolean;
    asksToWait?: AskedWait;
  },
): Promise<void> {
  const { provider, wasProbe, atGate, isAcceptance = false } = args;
  if (!wasProbe && atGate?.failuresInARow === 0 && !withUnknownCode.delete(provider)) return;
  const done = await changeCircuit(deps, provider, {
    decide: (circuit) => afterAnswer(circuit, wasProbe, isAcceptance),
    reason: generalReason,
    why: '',
    asksToWait: args.asksToWait,
  });
  if (isAcceptance && done?.was.unknownCode?.isLate) withUnknownCode.add(provider);
}

/** A call that was accepted before rings, is answered or ends as its own. */
export async function noteProviderProgress(
  deps: CircuitDeps,
  { provider, wasProbe }: { provider: string; wasProbe: boolean },
): Promise<void> {
  if (!wasProbe && !withUnknownCode.delete(provider)) return;
  await noteProviderAnswer(deps, { provider, wasProbe, atGate: null });
}

/** For operators and for owners of campaigns that wait. `explainWaiting` reads it. */
export const textOfFault = ({ code, remedy }: ProviderFault): string => `${code}: ${remedy}`;

/** Changes the circuit under the lock of the provider's row. Null if there is no such provider. */
async function changeCircuit(
  deps: CircuitDeps,
  provider: string,
  args: {
    decide: (circuit: Circuit) => CircuitChange;
    reason: string;
    why: string;
    asksToWait?: AskedWait | undefined;
  },
): Promise<{ was: LockedProviderCircuit; change: CircuitChange } | null> {
  const done = await inTransaction(deps.db, async (tx) => {
    const was = await lockProviderCircuit(tx, provider);
    if (was === null) return null;
    const change = args.decide(was);
    const until = askedUntil(was);
    const asked = until && { until, reason: was.closedReason ?? generalReason };
    const wait = later(asked, waitOf(was.now, args.asksToWait));
    await saveChange(tx, provider, change, { reason: args.reason, wait });
    return { was, change, wait };
  });
  if (done?.change.kind === 'open') {
    const { failuresInARow, until } = done.change;
    deps.log.error(
      { provider, failures_in_a_row: failuresInARow, closed_until: until, reason: args.why },
      'the provider fails; its circuit is open',
    );
  }
  if (done?.change.kind === 'close' && done.wait === null) {
    deps.log.info({ provider }, 'the provider answers again; its circuit is closed');
    // In a separate transaction, because campaigns' rows are locked before providers' rows.
    const { now } = done.was;
    const woken = await inTransaction(deps.db, (tx) => wakeCampaignsOfProvider(tx, provider, now));
    await enqueueAdvance(deps, woken);
  }
  return done;
}

type Wait = { until: Date; reason: string } | null;

function waitOf(now: Date, asked: AskedWait | undefined): Wait {
  return asked ? { until: new Date(now.getTime() + asked.retryAfterMs), reason: asked.reason } : null;
}

function later(one: Wait, other: Wait): Wait {
  return one !== null && (other === null || one.until >= other.until) ? one : other;
}

async function saveChange(
  tx: Tx,
  provider: string,
  change: CircuitChange,
  { reason, wait }: { reason: string; wait: Wait },
): Promise<void> {
  switch (change.kind) {
    case 'none':
      return;
    case 'count': {
      const { failuresInARow, unknownCode } = change;
      // A failure between two answers does not end a row of equal ones.
      const row = unknownCode ?? (failuresInARow === 0 ? null : undefined);
      return saveProviderCircuit(tx, { provider, failuresInARow, unknownCode: row });
    }
    case 'open':
      return saveProviderCircuit(tx, {
        provider,
        failuresInARow: change.failuresInARow,
        closed: later(wait, { until: change.until, reason }),
        unknownCode: change.unknownCode,
      });
    case 'close':
      return saveProviderCircuit(tx, { provider, failuresInARow: 0, closed: wait, unknownCode: null });
  }
}
