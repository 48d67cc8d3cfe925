import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { updateOrganization } from '@outdial/db';
import { installedBinaries } from '@outdial/local';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { startOwnPostgres } from '../../support/services/own-postgres.ts';
import { makeTemplate, templateDatabase } from '../../support/services/template-database.ts';
import { runToEnd } from '../../support/stack/campaign-watch.ts';
import { useStack } from '../../support/stack/use-stack.ts';

const usagePage = z.object({
  data: z.object({ items: z.array(z.object({ day: z.string(), calls: z.number() })) }),
});

/**
 * A server that knows UTC and no other zone. Debian's lacks only the older names (`US/Eastern`, `Asia/Calcutta`, `Europe/Kiev`), but a statement that
 * asks for any zone asks for those too.
 */
async function useServerWithoutZones(): Promise<string> {
  const server = await startOwnPostgres(installedBinaries().native, (native) => {
    const zones = join(native, 'share/postgresql/timezone');
    const kept = new Set(['UTC', 'GMT', 'Etc']);
    for (const name of readdirSync(zones)) {
      if (!kept.has(name)) rmSync(join(zones, name), { recursive: true });
    }
  });
  onTestFinished(() => server.stop());
  await makeTemplate(server.url);
  const url = new URL(server.url);
  url.pathname = `/${templateDatabase}`;
  return url.href;
}

test(
  'campaigns run and usage is counted by local days on a Postgres that knows no zones',
  {
    timeout: 120_000,
  },
  async () => {
    const databaseUrl = await useServerWithoutZones();
    const stack = await useStack({
      backend: 'postgres',
      database: { databaseUrl, name: templateDatabase, drop: async () => undefined },
      // A Monday morning in New York, late in the afternoon in Kyiv and in the evening in Kolkata.
      startAt: '2027-03-01T09:00:00-05:00',
    });
    const asked = sql`select now() at time zone 'US/Eastern'`.execute(stack.db);
    await expect(asked).rejects.toThrow('time zone "US/Eastern" not recognized');

    const {
      id: organizationId,
      apiKeys,
      clients,
      agentId,
    } = await stack.organization({ timezone: 'US/Eastern' });
    const { id } = await clients.manager.createCampaign({
      name: 'Old names',
      agent_id: agentId,
      phone_numbers: ['+15551230001', '+15551230002', '+15551230003', '+15551230004'],
      additional_params: {
        recipients: {
          '+15551230002': { timezone: 'Asia/Calcutta' },
          '+15551230003': { timezone: 'Europe/Kiev' },
          '+15551230004': { timezone: 'Asia/Katmandu' },
        },
      },
    });
    await clients.manager.setStatus(id, 'running');
    await runToEnd(stack.db, stack.clock, id);

    const calls = stack.db.updateTable('calls').where('campaign_id', '=', id);
    await calls.set({ created_at: new Date('2027-03-01T03:00:00Z') }).execute();
    const days: unknown[] = [];
    for (const timezone of ['US/Eastern', 'Asia/Calcutta', 'Europe/Kiev', 'Asia/Katmandu']) {
      await updateOrganization(stack.db, organizationId, { timezone }, await stack.clock.now());
      const answer = await fetch(
        `${stack.baseUrl}/api/v1/usage?from=2027-02-01T00:00:00Z&to=2027-04-01T00:00:00Z`,
        { headers: { 'X-API-Key': apiKeys.viewer } },
      );
      expect(answer.status).toBe(200);
      const { items } = usagePage.parse(await answer.json()).data;
      days.push(...items.map(({ day, calls: made }) => ({ timezone, day, made })));
    }
    expect(days).toEqual([
      { timezone: 'US/Eastern', day: '2027-02-28', made: 4 },
      { timezone: 'Asia/Calcutta', day: '2027-03-01', made: 4 },
      { timezone: 'Europe/Kiev', day: '2027-03-01', made: 4 },
      { timezone: 'Asia/Katmandu', day: '2027-03-01', made: 4 },
    ]);
  },
);
