import type { CallFact } from '@outdial/core';
import { findCallee, inTransaction } from '@outdial/db';
import { suppressIn } from './suppress.ts';
import type { ControlDeps } from '../deps.ts';
import { complianceOfAgent } from './compliance-of-agent.ts';

type OptOut = CallFact & { kind: 'opt_out' | 'dtmf' };

export function mayOptOut(fact: CallFact): fact is OptOut {
  return fact.kind === 'opt_out' || fact.kind === 'dtmf';
}

/** Suppresses the number of a call after the person opted out by speech or by the agent's opt-out key. Safe to repeat. Resolves after the commit. */
export async function applyOptOut(
  deps: Pick<ControlDeps, 'db' | 'publisher' | 'log'>,
  callId: string,
  fact: OptOut,
): Promise<void> {
  const callee = await findCallee(deps.db, callId);
  // Calls of erased people and of callers who withhold their number have no number.
  if (callee === null || !callee.phoneNumber.startsWith('+')) return;
  if (fact.kind === 'dtmf' && complianceOfAgent(callee.agentConfig).optOutKey !== fact.digit) return;
  const { organizationId, phoneNumber } = callee;
  const by = fact.kind === 'dtmf' ? 'key' : fact.by;
  const { afterCommit } = await inTransaction(deps.db, (tx) =>
    suppressIn(tx, deps, {
      organizationId,
      suppressions: [
        {
          phoneNumber,
          reason: 'asked for it on a call',
          note: `${by}, call ${callId}`,
          asked: { channel: `call_${by}`, receivedAt: new Date(fact.at), callId },
        },
      ],
      origin: { source: 'call', createdBy: null },
    }),
  );
  await afterCommit();
  deps.log.info({ call_id: callId, by }, 'a person opted out of further calls');
}
