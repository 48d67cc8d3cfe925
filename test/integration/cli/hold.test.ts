import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { openCliWorld } from './cli-world.ts';

const { db, outdial, answer, file } = await openCliWorld();
const withId = z.object({ id: z.uuid() });

/** An organization with one campaign of each of these statuses. */
async function organizationWith(name: string, statuses: readonly string[]) {
  const { id } = await answer(withId, 'org', 'create', name, '--calling-policy', 'none');
  const user = `${name}@example.com --first-name Ada --last-name Lovelace --role admin`;
  await outdial(`user create ${user} --org ${id}`);
  const agent = await file(`${name}.yaml`, ['name: Anna', 'prompts:', '  - prompt: Say hello.']);
  expect(await outdial('agent', 'import', agent, '--org', id)).toMatchObject({ status: 0 });
  const csv = await file('list.csv', ['phone', '+15551230010']);
  const campaigns: Record<string, string> = {};
  for (const status of statuses) {
    const create = `campaign create --csv ${csv} --name ${status} --agent Anna --org ${id} --status ${status}`;
    campaigns[status] = (await answer(withId, create)).id;
  }
  return { id, campaigns };
}

describe('outdial campaign hold', () => {
  test('pauses the running campaigns of every organization, lists them, and changes no other campaign', async () => {
    await outdial('migrate');
    expect(await outdial('provider', 'set', 'simulator')).toMatchObject({ status: 0 });
    const acme = await organizationWith('acme', ['running', 'draft', 'paused']);
    const other = await organizationWith('other', ['running']);
    const held = z.object({
      held: z.array(z.object({ organizationId: z.uuid(), campaignId: z.uuid(), name: z.string() })),
    });
    const first = await answer(held, 'campaign', 'hold');
    expect(new Set(first.held)).toEqual(
      new Set(
        [acme, other].map(({ id, campaigns }) => ({
          organizationId: id,
          campaignId: campaigns['running'],
          name: 'running',
        })),
      ),
    );
    const rows = await db.selectFrom('campaigns').select(['name', 'status']).execute();
    expect(new Set(rows.map(({ name, status }) => `${name} is ${status}`))).toEqual(
      new Set(['running is paused', 'draft is draft', 'paused is paused']),
    );

    for (const { id, campaigns } of [acme, other]) {
      const log = z.object({
        entries: z.array(
          z.object({ action: z.string(), target_id: z.string().nullable(), changes: z.unknown() }),
        ),
      });
      const { entries } = await answer(log, 'audit', 'list', '--org', id);
      expect(entries.filter(({ action }) => action === 'outdial campaign hold')).toEqual([
        {
          action: 'outdial campaign hold',
          target_id: campaigns['running'],
          changes: { status: { before: 'running', after: 'paused' } },
        },
      ]);
    }
    expect(await outdial('campaign', 'hold')).toEqual({ status: 0, out: 'campaigns held: 0\n', err: '' });
  });

  test('skips campaigns that cannot be paused, and fails with their number', async () => {
    await outdial('migrate');
    expect(await outdial('provider', 'set', 'simulator')).toMatchObject({ status: 0 });
    const [stuck, others] = [
      await organizationWith('stuck', ['running']),
      await organizationWith('others', ['running']),
    ];
    const isStuck = sql.lit(stuck.campaigns['running']);
    await sql`
        create function refuse_pause() returns trigger language plpgsql as $$ begin raise 'this row is damaged'; end $$;
        create trigger refuse_pause before update of status on campaigns
          for each row when (new.id = ${isStuck}) execute function refuse_pause()`.execute(db);

    const run = await outdial('campaign', 'hold');

    expect(run.status).not.toBe(0);
    expect(run.err).toContain('campaigns that could not be paused: 1; run the command again');
    expect(run.out).toContain('campaigns held: 1\n');
    expect(run.out).toContain(`still running: ${stuck.campaigns['running']} (`);
    expect(run.out).toContain('this row is damaged');
    const statusOf = async (campaignId = '') =>
      (await db.selectFrom('campaigns').select('status').where('id', '=', campaignId).executeTakeFirst())
        ?.status;
    expect(await statusOf(stuck.campaigns['running'])).toBe('running');
    expect(await statusOf(others.campaigns['running'])).toBe('paused');

    await sql`drop trigger refuse_pause on campaigns`.execute(db);
    expect(await outdial('campaign', 'hold')).toMatchObject({ status: 0, err: '' });
    expect(await statusOf(stuck.campaigns['running'])).toBe('paused');
  });
});
