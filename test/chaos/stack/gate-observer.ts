import type { Db } from '@outdial/db';
import { sql } from 'kysely';

/** A pass through a gate. A trigger records it, so that it remains if the row of the call is deleted. */
export interface ObservedGate {
  callId: string;
  campaignId: string | null;
  phone: string;
  attempt: number;
  gatedAt: Date;
}

/** Installs a trigger that copies every gate instant into a table of the test. */
export async function installGateObserver(db: Db): Promise<void> {
  const statements = [
    `create table chaos_gates (
       call_id uuid not null, campaign_id uuid, phone_number text not null, attempt integer not null,
       gated_at timestamptz not null)`,
    `create function chaos_note_gate() returns trigger language plpgsql as $$
     begin
       insert into chaos_gates values (new.id, new.campaign_id, new.phone_number, new.attempt, new.gated_at);
       return null;
     end $$`,
    `create trigger chaos_gate_written after insert on calls
       for each row when (new.gated_at is not null) execute function chaos_note_gate()`,
    `create trigger chaos_gate_repeated after update of gated_at on calls
       for each row when (new.gated_at is not null and new.gated_at is distinct from old.gated_at)
       execute function chaos_note_gate()`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export async function readGates(db: Db): Promise<ObservedGate[]> {
  const { rows } = await sql<{
    call_id: string;
    campaign_id: string | null;
    phone_number: string;
    attempt: number;
    gated_at: Date;
  }>`select * from chaos_gates order by gated_at`.execute(db);
  return rows.map((row) => ({
    callId: row.call_id,
    campaignId: row.campaign_id,
    phone: row.phone_number,
    attempt: row.attempt,
    gatedAt: row.gated_at,
  }));
}
