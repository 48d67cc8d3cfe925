import {
  lockProviderCircuit,
  inTransaction,
  saveProviderCircuit,
  readProviderCircuit,
  wakeCampaignsOfProvider,
  type Tx,
} from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueAdvance } from '../enqueue.ts';
import { admit, afterAnswer, afterFailure, type Circuit, type CircuitChange } from './circuit-breaker.ts';

const reason = 'circuit_open';

export type SendAdmission = { kind: 'send'; isProbe: boolean } | { kind: 'wait'; until: Date };

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
    const { failuresInARow } = locked;
    await saveProviderCircuit(tx, {
      provider,
      failuresInARow,
      closed: { until: admission.closedUntil, reason },
    });
    return { kind: 'send', isProbe: true };
  });
}

/** Counts a failure of the provider. Returns until when it is closed, or null. */
export async function noteProviderFailure(
  deps: Pick<ControlDeps, 'db' | 'log'>,
  args: { provider: string; wasProbe: boolean; why: string },
): Promise<Date | null> {
  const { provider, wasProbe, why } = args;
  const done = await change(deps, provider, (circuit) => afterFailure(circuit, wasProbe));
  if (done?.change.kind === 'open') {
    const { failuresInARow, until } = done.change;
    deps.log.error(
      { provider, failures_in_a_row: failuresInARow, closed_until: until, reason: why },
      'the provider fails; its circuit is open',
    );
    return until;
  }
  return done?.was.closedUntil ?? null;
}

/** Records that the provider answered; writes nothing if the gate read no failures. A probe closes the circuit and wakes the waiting campaigns. */
export async function noteProviderAnswer(
  deps: Pick<ControlDeps, 'db' | 'log' | 'publisher'>,
  args: { provider: string; wasProbe: boolean; atGate: Circuit | null },
): Promise<void> {
  const { provider, wasProbe, atGate } = args;
  if (!wasProbe && atGate?.failuresInARow === 0) return;
  const done = await change(deps, provider, (circuit) => afterAnswer(circuit, wasProbe));
  if (done?.change.kind !== 'close') return;
  deps.log.info({ provider }, 'the provider answers again; its circuit is closed');
  // In a separate transaction, because campaigns' rows are locked before providers' rows.
  const { now } = done.was;
  const woken = await inTransaction(deps.db, (tx) => wakeCampaignsOfProvider(tx, provider, now));
  await enqueueAdvance(deps, woken);
}

async function change(
  deps: Pick<ControlDeps, 'db'>,
  provider: string,
  decide: (circuit: Circuit) => CircuitChange,
): Promise<{ was: Circuit; change: CircuitChange } | null> {
  return inTransaction(deps.db, async (tx) => {
    const was = await lockProviderCircuit(tx, provider);
    if (was === null) return null;
    const change = decide(was);
    await saveChange(tx, provider, change);
    return { was, change };
  });
}

async function saveChange(tx: Tx, provider: string, change: CircuitChange): Promise<void> {
  switch (change.kind) {
    case 'none':
      return;
    case 'count':
      return saveProviderCircuit(tx, { provider, failuresInARow: change.failuresInARow });
    case 'open':
      return saveProviderCircuit(tx, {
        provider,
        failuresInARow: change.failuresInARow,
        closed: { until: change.until, reason },
      });
    case 'close':
      return saveProviderCircuit(tx, { provider, failuresInARow: 0, closed: null });
  }
}
