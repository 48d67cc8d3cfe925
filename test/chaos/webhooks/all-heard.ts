import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '@outdial/db';
import { sql } from 'kysely';
import type { CheckResult } from '../checks/evidence.ts';
import { again } from '../stack/again.ts';
import type { MoodyReceiver } from './moody-receiver.ts';

const withinMs = 60_000;
/** Longer than the second delay of the retry schedule, so that the third attempt reaches a receiver without faults. */
const skippedSeconds = 400;

interface OutboxRow {
  id: string;
  type: string;
  subject_id: string;
  sequence: string | null;
  call_id: string | null;
}

/** Waits for the end of every delivery, including retries, and compares the received events with the database. */
export async function everythingIsHeard(db: Db, receiver: MoodyReceiver): Promise<CheckResult> {
  receiver.calmDown();
  const deadline = performance.now() + withinMs;
  let open = await openDeliveries(db);
  while (open > 0 && performance.now() < deadline) {
    await again('skip the delays of retries', () =>
      sql`update engine_clock set offset_ms = offset_ms + ${skippedSeconds * 1_000}`.execute(db),
    );
    await sleep(1_000);
    open = await openDeliveries(db);
  }
  const { rows } = await again('read the outbox', () =>
    sql<OutboxRow>`select id, type, subject_id, sequence, call_id from outbox order by subject_id, sequence`.execute(
      db,
    ),
  );
  const ended = await again('read the calls', () =>
    sql<{ id: string }>`select id from calls where phase = 'ended'`.execute(db),
  );
  return {
    name: 'the webhook receiver got every event of the database, signed and in order, and no other',
    faults: [
      ...receiver.faults,
      ...(open === 0 ? [] : [`${open} events are still to be delivered`]),
      ...faultsOf(rows, ended.rows, receiver),
    ],
    figures: `${rows.length} events, ${receiver.requests} requests`,
  };
}

async function openDeliveries(db: Db): Promise<number> {
  const { rows } = await again('count the pending deliveries', () =>
    sql<{ open: number }>`
      select (select count(*) from outbox where position is null)::int
        + (select count(*) from webhook_deliveries where status = 'pending')::int as open`.execute(db),
  );
  return rows[0]?.open ?? 1;
}

function faultsOf(
  rows: readonly OutboxRow[],
  ended: ReadonlyArray<{ id: string }>,
  { heard }: MoodyReceiver,
): string[] {
  const faults: string[] = [];
  const known = new Map(rows.map((row) => [row.id, row]));
  for (const row of rows) if (!heard.has(row.id)) faults.push(`${row.type} ${row.id} was never heard`);
  const endsHeard = new Set(
    [...heard.values()].filter((one) => one.type === 'call.ended').map((one) => one.data.call_id),
  );
  for (const call of ended) {
    if (!endsHeard.has(call.id)) faults.push(`the end of call ${call.id} was never received`);
  }
  const last = new Map<string, number>();
  for (const event of heard.values()) {
    const row = known.get(event.id);
    if (row === undefined) {
      faults.push(`${event.type} ${event.id} is not in the database`);
      continue;
    }
    const before = last.get(row.subject_id) ?? 0;
    if (event.sequence !== before + 1) {
      faults.push(`${event.type} ${event.id} came as number ${event.sequence} after ${before}`);
    }
    last.set(row.subject_id, event.sequence);
  }
  return faults;
}
