import type { Db } from '@outdial/db';
import { sql } from 'kysely';
import type { PauseInterval } from '../faults/pause-log.ts';
import type { Forbidden } from '../faults/requests.ts';
import type { SeenCall } from '../gateway/dial-log.ts';
import type { ChaosCampaign } from '../run/campaigns.ts';
import type { LineSample } from '../run/watch.ts';
import { outboxFaults } from '../../support/outbox-faults.ts';
import { readGates, type ObservedGate } from '../stack/gate-observer.ts';

export interface CallRow {
  id: string;
  campaign_id: string | null;
  recipient_id: string | null;
  organization_id: string;
  attempt: number;
  phone_number: string;
  phase: string;
  outcome: string | null;
  gated_at: Date | null;
  accepted_at: Date | null;
  ended_at: Date | null;
  line_held: boolean;
  placed_again: number;
}

export interface RecipientRow {
  id: string;
  campaign_id: string;
  phone_number: string;
  state: string;
  attempts: number;
  last_outcome: string | null;
}

interface LineCounter {
  level: string;
  key: string;
  inUse: number;
  /** The lines in use according to the rows. */
  held: number;
}

/** Everything recorded about a run, for the checks at its end. */
export interface Evidence {
  campaigns: readonly ChaosCampaign[];
  statuses: ReadonlyMap<string, string>;
  recipients: readonly RecipientRow[];
  calls: readonly CallRow[];
  gates: readonly ObservedGate[];
  seen: readonly SeenCall[];
  unsigned: readonly string[];
  pauses: readonly PauseInterval[];
  forbidden: readonly Forbidden[];
  counters: readonly LineCounter[];
  outboxFaults: readonly string[];
  past: readonly LineSample[];
  limits: { providerLines: number; organizationLines: number; providerCallsPerSecond: number };
}

export interface CheckResult {
  name: string;
  /** Empty if the check passed. */
  faults: readonly string[];
  /** The amount of evidence, such as `120 gates`. */
  figures: string;
  /** The command that repeats the check alone, if that is not its whole part of the run. */
  repeat?: string;
}

export async function readRows(
  db: Db,
): Promise<Pick<Evidence, 'statuses' | 'recipients' | 'calls' | 'gates' | 'counters' | 'outboxFaults'>> {
  const statuses = await sql<{ id: string; status: string }>`select id, status from campaigns`.execute(db);
  const recipients = await sql<RecipientRow>`
    select id, campaign_id, phone_number, state, attempts, last_outcome from campaign_recipients`.execute(db);
  const calls = await sql<CallRow>`
    select id, campaign_id, recipient_id, organization_id, attempt, phone_number, phase, outcome, gated_at, accepted_at,
      ended_at, line_held,
      (select count(*)::int from jsonb_array_elements(events) e where e ->> 'type' = 'placed_again') as placed_again
    from calls`.execute(db);
  const counters = await sql<LineCounter>`
    select 'provider' as level, p.name as key, p.lines_in_use as "inUse",
      case when p.max_lines is null then 0 else
        (select count(*)::int from calls c where c.provider = p.name and c.line_held)
      end as held
    from providers p
    union all
    select 'organization', o.id::text, o.lines_in_use,
      case when o.max_lines is null then 0 else
        (select count(*)::int from calls c where c.organization_id = o.id and c.line_held)
      end
    from organizations o
    union all
    select 'campaign', rt.campaign_id::text, rt.lines_in_use,
      (select count(*)::int from calls c where c.campaign_id = rt.campaign_id and c.line_held)
    from campaign_runtime rt`.execute(db);
  return {
    statuses: new Map(statuses.rows.map((row) => [row.id, row.status])),
    recipients: recipients.rows,
    calls: calls.rows,
    gates: await readGates(db),
    counters: counters.rows,
    outboxFaults: await outboxFaults(db),
  };
}
