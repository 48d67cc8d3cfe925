import { type CallReference, rulesVersion, type TelephonyProvider } from '@outdial/core';
import {
  engineNow,
  findQueuedGroups,
  forbids,
  inTransaction,
  judgeQueuedCall,
  loadCampaignDefinition,
  saveCallCheck,
  undoAttempt,
  type GateReason,
  type LiveCall,
  type QueuedGroup,
  type QueuedTerms,
} from '@outdial/db';
import { enqueueLineWaiters } from '../enqueue.ts';
import { isAllowedDestination } from '../gate/destinations.ts';
import { longestEndOf } from '../progress/next-check.ts';
import { questionMs, unreachableRetryMs } from '../timing.ts';
import { campaignTerms } from '../gate/campaign-terms.ts';
import { directRules } from '../gate/direct-terms.ts';
import { windowsAt } from '../gate/open-windows.ts';
import type { SendDeps } from '../send/gated-call.ts';
import { withDeadline } from '../send/with-deadline.ts';

/** If another party cancels a call at the provider, the recipient is not retried at once, because there may be a reason. */
export const canceledElsewhereRetryMs = 60_000;

export type Withdrawn =
  | { kind: 'undone' }
  /** The call was canceled, and there is no attempt to undo. The caller records the end. */
  | { kind: 'canceled'; why: Shut }
  /** The provider could not be reached. */
  | { kind: 'deferred' }
  /** The call may be dialed, or was dialed already. */
  | { kind: 'not_withdrawn' };

type Shut = GateReason | 'waited_too_long';

/**
 * Withdraws a call from its provider's queue if a condition of the gate no longer holds or it has waited too long. Undoes the attempt; a direct
 * call has none and is canceled.
 *
 * Asks the provider first. If we crash after its answer, the next look-up undoes the attempt.
 */
export async function withdrawIfShut(
  deps: SendDeps,
  provider: TelephonyProvider,
  call: LiveCall,
  reference: CallReference,
): Promise<Withdrawn> {
  const withdraw = provider.withdraw?.bind(provider);
  const why = withdraw && call.phase === 'placing' ? await whyShut(deps, call) : null;
  if (!withdraw || why === null) return { kind: 'not_withdrawn' };
  const result = await withDeadline(questionMs, (signal) => withdraw(reference, signal));
  switch (result.kind) {
    case 'withdrawn':
      return (await undoWithdrawnAttempt(deps, call, {
        retryAfterMs: 0,
        why: why === 'suppressed' ? why : 'withdrawn_at_provider',
      }))
        ? { kind: 'undone' }
        : { kind: 'canceled', why };
    case 'too_late':
      return { kind: 'not_withdrawn' };
    case 'unreachable':
      deps.log.warn(
        { call_id: call.id, provider: call.provider, reason: result.reason },
        'could not withdraw a queued call',
      );
      await saveCallCheck(deps.db, call.id, new Date(call.now.getTime() + unreachableRetryMs));
      return { kind: 'deferred' };
  }
}

async function whyShut(deps: SendDeps, call: LiveCall): Promise<Shut | null> {
  const [group] = await findQueuedGroups(deps.db, { providers: [call.provider], callId: call.id });
  const refusal = group === undefined ? null : await refusalOf(deps, call, group);
  if (refusal !== null && forbids(refusal)) return refusal;
  return call.now >= longestEndOf(call, deps.settings) ? 'waited_too_long' : null;
}

/** Judges a call, which is alone in its group. */
async function refusalOf(deps: SendDeps, call: LiveCall, group: QueuedGroup): Promise<GateReason | null> {
  const terms = await queuedTerms(deps, group);
  if (terms === null) return null;
  if (terms.direct === null) return judgeQueuedCall(deps.db, terms, call.id);
  const { settings, purpose, now } = group;
  const { key: _, ...rules } = directRules({ phoneNumber: call.phone_number, purpose, settings, now });
  return judgeQueuedCall(deps.db, { ...terms, direct: { settings, ...rules } }, call.id);
}

/** Terms for the calls of a group. Those of direct calls lack what depends on the number. Null if the campaign is gone. */
export async function queuedTerms(
  deps: Pick<SendDeps, 'db' | 'settings'>,
  { campaign, phoneNumbers, settings, now }: QueuedGroup,
): Promise<QueuedTerms | null> {
  const shared = {
    refusedNumbers: phoneNumbers.filter((number) => !isAllowedDestination(number, settings)),
    queueTimeoutSeconds: deps.settings.callQueueTimeoutSeconds,
  };
  if (campaign === null) {
    return {
      ...shared,
      campaign: null,
      direct: {
        settings,
        hours: null,
        caps: null,
        consent: null,
        rulesVersion: rulesVersion(),
        places: null,
      },
    };
  }
  const definition = await loadCampaignDefinition(deps.db, campaign.id);
  if (!definition) return null;
  const { revision } = campaign;
  const terms = {
    ...campaignTerms(definition, windowsAt(definition, definition.callingKeys, now)),
    revision,
  };
  return { ...shared, campaign: terms, direct: null };
}

/** Undoes the attempt of a call that was withdrawn at its provider. False if the call has changed, or belongs to no campaign. */
export async function undoWithdrawnAttempt(
  deps: SendDeps,
  call: LiveCall,
  { retryAfterMs, why }: { retryAfterMs: number; why: 'suppressed' | 'withdrawn_at_provider' },
): Promise<boolean> {
  if (call.recipient_id === null) return false;
  const now = await engineNow(deps.db);
  const undone = await inTransaction(deps.db, (tx) =>
    undoAttempt(tx, {
      callId: call.id,
      gatedAt: call.gated_at,
      retryAt: new Date(now.getTime() + retryAfterMs),
      now,
      queueTimeoutSeconds: deps.settings.callQueueTimeoutSeconds,
      why,
      isWithdrawn: true,
    }),
  );
  if (!undone) return false;
  deps.log.info(
    { call_id: call.id, campaign_id: call.campaign_id, provider: call.provider },
    'a call queued at its provider was withdrawn; no attempt is used',
  );
  await enqueueLineWaiters(
    deps,
    undone.lineWaiters,
    ...(call.campaign_id === null ? [] : [call.campaign_id]),
  );
  return true;
}
