import type { GateGrounds } from '@outdial/core';
import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';
import { gateRelease } from './gate-release.ts';

/** Inserts missing grounds, and the release to which they refer, before gates name them. */
export async function saveGateGrounds(
  db: Executor,
  args: { organizationId: string; grounds: ReadonlyArray<{ id: string; content: GateGrounds }> },
): Promise<void> {
  // In a fixed order, to avoid deadlocks between processes that insert the same grounds.
  const grounds = args.grounds.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  await sql`
    with release as (
      insert into gate_releases (id, content, created_at)
      select ${gateRelease.id}::uuid, ${JSON.stringify(gateRelease.content)}::jsonb, engine_now()
      where not exists (select from gate_releases where id = ${gateRelease.id})
      on conflict (id) do nothing)
    insert into gate_grounds (id, organization_id, release_id, content, created_at)
    select id, ${args.organizationId}, ${gateRelease.id}, content, engine_now()
    from unnest(${grounds.map(({ id }) => id)}::uuid[], ${grounds.map(({ content }) => JSON.stringify(content))}::jsonb[]) as x(id, content)
    order by id on conflict (id) do nothing`.execute(db);
}
