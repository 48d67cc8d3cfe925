import {
  addSuppressions,
  checkCallsOfSuppressed,
  findCallee,
  inTransaction,
  type KnownNumbers,
  type NewSuppression,
  type SuppressionOrigin,
  type Tx,
} from '@outdial/db';
import { faultMessage, suppressionRow } from '@outdial/contracts';
import type { CallFact } from '@outdial/core';
import type { ControlDeps } from '../deps.ts';
import { enqueueChecks } from '../enqueue.ts';
import { complianceOfAgent } from './compliance-of-agent.ts';

export interface Suppressed {
  /** Numbers that were not on the list before. */
  added: number;
  /** Publishes checks of calls to these numbers that are queued at a provider, to withdraw them. */
  afterCommit: () => Promise<void>;
}

/** Adds numbers to an organization's suppression list in the caller's transaction. After the commit, every gate refuses them. */
export async function suppressIn(
  tx: Tx,
  deps: Pick<ControlDeps, 'publisher' | 'log'>,
  args: {
    organizationId: string;
    suppressions: readonly NewSuppression[];
    origin?: SuppressionOrigin;
    known?: KnownNumbers;
  },
): Promise<Suppressed> {
  const added = await addSuppressions(tx, args);
  const phoneNumbers = args.suppressions.map((suppression) => suppression.phoneNumber);
  const callIds = await checkCallsOfSuppressed(tx, { organizationId: args.organizationId, phoneNumbers });
  return { added, afterCommit: () => enqueueChecks(deps, callIds) };
}

export const suppressionFields = ['reason', 'note', 'expires_at'];

/** The suppression of a row, its number as it is written, or why the row is refused. */
export function suppressionOf(item: Readonly<Record<string, unknown>>): NewSuppression | { fault: string } {
  const parsed = suppressionRow.safeParse(item, { error: faultMessage });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue?.path[0];
    const wrong = field === undefined ? '' : `has a wrong ${String(field)}: `;
    return { fault: `${wrong}${issue?.message ?? ''}` };
  }
  const { phone_number: phoneNumber, reason = null, note = null, expires_at: expiresAt = null } = parsed.data;
  return { phoneNumber, reason, note, expiresAt };
}

/** Why a suppression would protect nobody; null if it is in force. */
export function faultOfEnd(expiresAt: Date | null | undefined, now: Date): string | null {
  return expiresAt == null || expiresAt > now ? null : 'expires_at should be in the future';
}

/** Adds a row, unless one before it protects the same person as long. Returns whether its number occurred before. */
export function keepLongest(rows: Map<string, NewSuppression>, row: NewSuppression): boolean {
  const before = rows.get(row.phoneNumber);
  if (before === undefined || endOf(before) < endOf(row)) rows.set(row.phoneNumber, row);
  return before !== undefined;
}

const endOf = ({ expiresAt }: NewSuppression) => expiresAt?.getTime() ?? Infinity;

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
