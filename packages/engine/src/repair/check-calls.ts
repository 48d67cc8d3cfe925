import type { CallReference, Outcome, Swept, TelephonyProvider } from '@outdial/core';
import {
  engineNow,
  findLiveCalls,
  findTakenConversationIds,
  type LiveCall,
  readProviderCircuit,
  retryVictims,
  saveCallCheck,
  saveHangupRequest,
  takeDueCallChecks,
  findCallsToHangUp,
} from '@outdial/db';
import { endedByUs } from '../progress/ended-by-us.ts';
import { longestEndOf, talkCheckAfter } from '../progress/next-check.ts';
import { isBroken } from '../provider-health/circuit-breaker.ts';
import { hangUpPatienceMs, lookUpGraceMs, questionMs, republishMs, unreachableRetryMs } from '../timing.ts';
import { referenceTo } from '../send/call-reference.ts';
import { placeAgain } from '../send/place-again.ts';
import { isOnlyAccepted, type SendDeps } from '../send/gated-call.ts';
import { canceledElsewhereRetryMs, undoWithdrawnAttempt, withdrawIfShut } from './withdraw-call.ts';
import { withDeadline } from '../send/with-deadline.ts';
import type { ControlDeps, DialingDeps } from '../deps.ts';
import { enqueueChecks } from '../enqueue.ts';

/**
 * Looks up overdue calls and calls of unknown state at their providers. Adopts calls that are found, repeats sends that never arrived, hangs
 * up calls past their longest duration, and closes a call as `unknown` if its outcome cannot be determined.
 */
export async function checkCalls(deps: SendDeps, callIds: readonly string[]): Promise<void> {
  const calls = await findLiveCalls(deps.db, callIds);
  await Promise.all(calls.map((call) => checkCall(deps, call)));
}

async function checkCall(deps: SendDeps, call: LiveCall): Promise<void> {
  const end = deps.questions.begin(call.provider);
  if (end === null) return checkLater(deps, call);
  try {
    await askAbout(deps, call);
  } finally {
    end();
  }
}

async function askAbout(deps: SendDeps, call: LiveCall): Promise<void> {
  const provider = deps.providers.get(call.provider);
  const log = { call_id: call.id, campaign_id: call.campaign_id, provider: call.provider };
  const longestEnd = longestEndOf(call, deps.settings);
  if (!provider) {
    deps.log.error(log, 'this worker has no adapter for the provider of a live call');
    if (call.now.getTime() >= longestEnd.getTime() + hangUpPatienceMs) await close(deps, call, 'no_adapter');
    return;
  }
  const reference = referenceTo(call);
  // A provider without idempotency has to identify the call by its number.
  if (call.conversation_id === null && provider.idempotency === 'none') {
    reference.takenConversationIds = await findTakenConversationIds(deps.db, call.id);
  }
  const found = await withDeadline(questionMs, (signal) => provider.lookUp(reference, signal));
  deps.questions.note(call.provider, { isAnswered: found.kind !== 'unreachable' });
  // A look-up that comes before the end of the send says nothing about a call that may still arrive.
  const sendOverAt = new Date(call.gated_at.getTime() + lookUpGraceMs);
  const mayArrive = call.accepted_at === null && call.now < sendOverAt;
  switch (found.kind) {
    case 'found':
      await deps.progress.record({
        callId: call.id,
        accepted: { conversationId: found.conversationId, isQueued: isOnlyAccepted(provider) },
        wasLookedUp: true,
        nextChangeAt: found.nextChangeAt,
        facts: found.progress,
      });
      if (found.progress.some((fact) => fact.kind === 'ended')) return;
      if (found.progress.length === 0) {
        const asked = { ...reference, conversationId: found.conversationId };
        const withdrawn = await withdrawIfShut(deps, provider, call, asked);
        if (withdrawn.kind === 'canceled') return close(deps, call, withdrawn.why, 'canceled');
        if (withdrawn.kind !== 'not_withdrawn') return;
      }
      if (call.hangup_requested_at !== null || call.now >= longestEnd) {
        const isAnswered =
          call.answered_at !== null || found.progress.some((fact) => fact.kind === 'answered');
        return hangUp(deps, provider, { ...call, isAnswered, isOverdue: call.now >= longestEnd }, reference);
      }
      if (found.nextChangeAt) {
        deps.checker.checkIn(call.id, found.nextChangeAt.getTime() - call.now.getTime());
      }
      return;
    case 'unknown':
      if (call.accepted_at !== null && (await isMisconfigured(deps, call))) return checkLater(deps, call);
      if (call.accepted_at !== null) return close(deps, call, 'lost_by_provider');
      if (call.hangup_requested_at !== null) {
        if (mayArrive) return saveCallCheck(deps.db, call.id, sendOverAt);
        return close(deps, call, 'hung_up', 'canceled');
      }
      if (provider.idempotency === 'lasting' && (await placeAgain(deps, call)) !== 'over') return;
      return close(deps, call, 'never_confirmed');
    case 'withdrawn':
      if (
        await undoWithdrawnAttempt(deps, call, {
          retryAfterMs: canceledElsewhereRetryMs,
          why: 'withdrawn_at_provider',
        })
      ) {
        return;
      }
      return close(deps, call, 'canceled', 'canceled');
    case 'unreachable':
      deps.log.warn({ ...log, reason: found.reason }, 'could not look up a call at its provider');
      if (call.hangup_requested_at !== null || call.now >= longestEnd) {
        // What the provider does not know, it confirms to be gone.
        if (mayArrive) return saveCallCheck(deps.db, call.id, sendOverAt);
        const isAnswered = call.answered_at !== null;
        return hangUp(deps, provider, { ...call, isAnswered, isOverdue: call.now >= longestEnd }, reference);
      }
      return checkLater(deps, call);
  }
}

/** An answered call probably goes on, so it is not looked up as often as one whose state is unknown. */
function checkLater(deps: SendDeps, { id, answered_at: answeredAt, now }: LiveCall): Promise<void> {
  const soon = new Date(now.getTime() + unreachableRetryMs);
  return saveCallCheck(deps.db, id, answeredAt === null ? soon : talkCheckAfter(answeredAt, now));
}

/** A wrong address knows no call. While sends show that it is wrong, a person may be talking. */
async function isMisconfigured(deps: SendDeps, call: LiveCall): Promise<boolean> {
  const circuit = await readProviderCircuit(deps.db, call.provider);
  const isOverdue = call.now >= longestEndOf(call, deps.settings);
  return !isOverdue && circuit !== null && isBroken(circuit);
}

/**
 * Hangs up a call that is past its longest duration or whose hang-up was requested. Releases its line when the provider confirms, or after
 * enough failures. On request, an answered call ends as completed, as carriers report it, and a ringing one as canceled.
 */
async function hangUp(
  deps: SendDeps,
  provider: TelephonyProvider,
  call: LiveCall & { isAnswered: boolean; isOverdue: boolean },
  reference: CallReference,
): Promise<void> {
  await saveHangupRequest(deps.db, call.id, call.now);
  const result = await withDeadline(questionMs, (signal) => provider.hangUp(reference, signal));
  if (result.kind === 'confirmed' && call.isOverdue) return close(deps, call, 'longest_duration');
  if (result.kind === 'confirmed') return closeHungUp(deps, provider, call, reference);
  const askedAt = call.hangup_requested_at ?? call.now;
  if (call.now.getTime() - askedAt.getTime() >= hangUpPatienceMs) {
    return close(deps, call, 'hang_up_unconfirmed');
  }
  await saveCallCheck(deps.db, call.id, new Date(call.now.getTime() + unreachableRetryMs));
}

/** Ends the call as the provider reports it. Without a report, the phase determines the outcome. */
async function closeHungUp(
  deps: SendDeps,
  provider: TelephonyProvider,
  call: LiveCall & { isAnswered: boolean },
  reference: CallReference,
): Promise<void> {
  const found = await withDeadline(questionMs, (signal) => provider.lookUp(reference, signal));
  const facts = found.kind === 'found' ? found.progress : [];
  if (facts.some((fact) => fact.kind === 'ended')) {
    return deps.progress.record({ callId: call.id, withoutAcceptance: true, facts });
  }
  return close(deps, call, 'hung_up', call.isAnswered ? 'completed' : 'canceled');
}

/** By default `unknown`: the person may have been reached. */
async function close(
  deps: SendDeps,
  call: LiveCall,
  externalStatus: string,
  outcome: Outcome = 'unknown',
): Promise<void> {
  deps.log.warn(
    { call_id: call.id, campaign_id: call.campaign_id, reason: externalStatus },
    `call closed as ${outcome}`,
  );
  const fact = endedByUs(call.now, outcome, externalStatus);
  await deps.progress.record({ callId: call.id, withoutAcceptance: true, facts: [fact] });
}

/** Workers look up their own calls when they are due. If a look-up is later than this, the worker has lost the call. */
const graceMs = 500;
const batch = 500;

/** Publishes checks of overdue calls, whose worker died, whose event was lost, or which last too long. */
export async function checkDueCalls(deps: ControlDeps): Promise<Swept> {
  const now = await engineNow(deps.db);
  const due = await retryVictims(() =>
    takeDueCallChecks(deps.db, {
      now: new Date(now.getTime() - graceMs),
      nextCheckAt: new Date(now.getTime() + republishMs),
      limit: batch,
    }),
  );
  await enqueueChecks(deps, due);
  return { done: due.length, isFull: due.length === batch };
}

const hangUpsAtOnce = 200;

/** Publishes checks of calls whose hang-up was requested. A check hangs up a call that is still in progress. */
export async function hangUpCalls(deps: ControlDeps): Promise<Swept> {
  const callIds = await findCallsToHangUp(deps.db, hangUpsAtOnce);
  await enqueueChecks(deps, callIds);
  // The checks do the work, so the next batch would be the same calls.
  return { done: callIds.length, isFull: false };
}

/** Hangs up a call after an event, such as an answering machine. If the provider cannot be reached, the call ends at its longest duration. */
export async function hangUpCall(
  deps: Pick<DialingDeps, 'db' | 'log' | 'providers'>,
  callId: string,
): Promise<void> {
  const [call] = await findLiveCalls(deps.db, [callId]);
  const provider = call && deps.providers.get(call.provider);
  if (!provider) return;
  const result = await withDeadline(questionMs, (signal) => provider.hangUp(referenceTo(call), signal));
  if (result.kind !== 'unreachable') return;
  deps.log.warn(
    { call_id: callId, provider: call.provider, reason: result.reason },
    'could not hang up a call',
  );
}
