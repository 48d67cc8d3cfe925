import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { RuleOverlay } from '@outdial/core';
import { addRuleVersion, connect, inTransaction, updateOrganization } from '@outdial/db';
import { freePort } from '@outdial/local';
import { prepareQueueBackend } from '@outdial/queues';
import { sql } from 'kysely';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { childEnvironment } from '../../support/child-environment.ts';
import { giveConsent } from '../../support/give-consent.ts';
import { useTestDatabase } from '../../support/database.ts';
import { makeOrganization } from '../../support/stack/organization.ts';
import { waitFor } from '../../support/stack/wait-for.ts';

/** Runs each process as in production. */
const services = ['api', 'scheduler', 'worker'] as const;
type Service = (typeof services)[number];

const { databaseUrl } = await useTestDatabase();
const queues = { kind: 'postgres', url: databaseUrl } as const;
await prepareQueueBackend(queues);
const db = connect({ databaseUrl, poolMax: 2 });
afterAll(() => db.destroy());

/** A Tuesday, 13:00 in Berlin and 12:00 in London. The built-in rules allow calls in both. */
await sql`update engine_clock
  set offset_ms = round(extract(epoch from '2027-03-02T12:00:00Z'::timestamptz - clock_timestamp()) * 1000)`.execute(
  db,
);

const germanyClosed: RuleOverlay = {
  version: 'acme-1',
  pins: { GB: 2 },
  rules: [
    {
      jurisdiction: 'DE',
      version: 1,
      weekdays: [],
      saturday: [],
      sunday: [],
      basis: 'code',
      citation: 'Our own rule',
      as_of: '2026-12-01',
    },
  ],
};

const importRules = (rules: RuleOverlay) => inTransaction(db, (tx) => addRuleVersion(tx, rules));

function start(service: Service, env: Record<string, string>): ChildProcess {
  const main = fileURLToPath(new URL(`../../../${service}/src/main.ts`, import.meta.url));
  const child = spawn(process.execPath, [main], {
    env: { ...childEnvironment, DATABASE_URL: databaseUrl, TELEPHONY_PROVIDER: 'simulator', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  // A process stops when the pipe of its output is full.
  if (child.stdout !== null) createInterface({ input: child.stdout }).on('line', () => undefined);
  return child;
}

test(
  'no process makes a dial that the rules forbid, which were imported while it runs',
  { timeout: 120_000 },
  async () => {
    const port = await freePort();
    for (const service of services) {
      const own = String(service === 'api' ? port : await freePort());
      start(service, { PORT: own, HEALTH_PORT: own, SIMULATOR_TALK_MS: '0' });
    }
    const baseUrl = `http://127.0.0.1:${port}`;
    await waitFor(
      'the api',
      async () => (await fetch(`${baseUrl}/readyz`).catch(() => null))?.status === 200,
      {
        withinMs: 60_000,
      },
    );
    const now = new Date('2027-03-02T12:00:00Z');
    const organization = await makeOrganization(db, { baseUrl, now });
    await inTransaction(db, (tx) =>
      updateOrganization(tx, organization.id, { calling_policy: 'strict' }, now),
    );
    const { manager, member } = organization.clients;
    const [berlin, london] = ['+493012345678', '+442079460958'];
    await giveConsent(db, organization.id, [berlin, london]);
    const { id } = await manager.createCampaign({
      name: 'Both',
      agent_id: organization.agentId,
      phone_numbers: [berlin, london],
      additional_params: { timezone: 'Europe/London' },
    });
    // Each process has used the built-in rules.
    expect(await manager.readDialing(id)).toBeDefined();
    await importRules(germanyClosed);
    await manager.setStatus(id, 'running');
    await waitFor(
      'London to be called',
      async () => {
        const { rows } =
          await sql`select from calls where phone_number = ${london} and gated_at is not null`.execute(db);
        return rows.length === 1;
      },
      { withinMs: 60_000 },
    );
    const recipients = await db.selectFrom('campaign_recipients').select(['id', 'phone_number']).execute();
    const closed = recipients.find((one) => one.phone_number === berlin);
    expect(await manager.explainRecipient(id, closed?.id ?? '')).toMatchObject({
      decision: 'would_refuse',
      refused_by: 'calling_hours',
      grounds: { rules: [{ jurisdiction: 'DE', overlay: 'acme-1' }] },
    });
    await expect(member.makeCall(organization.agentId, { to_phone: berlin })).rejects.toMatchObject({
      code: 'outside_calling_hours',
    });

    // The next version allows these calls, and the campaign that waits for calling hours continues.
    const recipientId = closed?.id ?? '';
    await sql`update campaign_recipients set next_attempt_at = engine_now() where id = ${recipientId}`.execute(
      db,
    );
    await importRules({ version: 'acme-2', pins: {}, rules: [] });
    await waitFor(
      'Berlin to be called',
      async () =>
        (await sql`select from calls where phone_number = ${berlin} and gated_at is not null`.execute(db))
          .rows.length === 1,
      { withinMs: 60_000 },
    );
  },
);
