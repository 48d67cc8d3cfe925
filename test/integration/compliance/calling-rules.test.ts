import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { advanceCampaignJob } from '@outdial/contracts';
import { connect, inTransaction, updateOrganization } from '@outdial/db';
import { freePort } from '@outdial/local';
import { openPublisher, prepareQueueBackend } from '@outdial/queues';
import { sql } from 'kysely';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { childEnvironment } from '../../support/child-environment.ts';
import { giveConsent } from '../../support/give-consent.ts';
import { useTestDatabase } from '../../support/database.ts';
import { makeOrganization } from '../../support/stack/organization.ts';
import { waitFor } from '../../support/stack/wait-for.ts';

/** Runs each process as in production, with the operator's rules in a file. */
const services = ['api', 'scheduler', 'worker'] as const;
type Service = (typeof services)[number];

const { databaseUrl } = await useTestDatabase();
const queues = { kind: 'postgres', url: databaseUrl } as const;
await prepareQueueBackend(queues);
const db = connect({ databaseUrl, poolMax: 2 });
afterAll(() => db.destroy());
const folder = await mkdtemp(join(tmpdir(), 'outdial-rules-'));
afterAll(() => rm(folder, { recursive: true }));

const nothing = (): void => undefined;
const quiet = { info: nothing, warn: nothing, error: nothing };

/** A Tuesday, 13:00 in Berlin and 12:00 in London. The built-in rules allow calls in both. */
await sql`update engine_clock
  set offset_ms = round(extract(epoch from '2027-03-02T12:00:00Z'::timestamptz - clock_timestamp()) * 1000)`.execute(
  db,
);

const germanyClosed = {
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

async function rulesFile(name: string, rules: object): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, JSON.stringify(rules));
  return path;
}

test('no process makes a dial that the rules of the operator forbid', { timeout: 120_000 }, async () => {
  const path = await rulesFile('germany-closed.json', germanyClosed);
  const port = await freePort();
  for (const service of services) {
    const own = String(service === 'api' ? port : await freePort());
    start(service, { PORT: own, HEALTH_PORT: own, CALLING_RULES_FILE: path, SIMULATOR_TALK_MS: '0' });
  }
  const baseUrl = `http://127.0.0.1:${port}`;
  await waitFor('the api', async () => (await fetch(`${baseUrl}/readyz`).catch(() => null))?.status === 200, {
    withinMs: 60_000,
  });
  const now = new Date('2027-03-02T12:00:00Z');
  const organization = await makeOrganization(db, { baseUrl, now });
  await inTransaction(db, (tx) => updateOrganization(tx, organization.id, { callingPolicy: 'strict' }, now));
  const { manager, member } = organization.clients;
  const [berlin, london] = ['+493012345678', '+442079460958'];
  await giveConsent(db, organization.id, [berlin, london]);
  const { id } = await manager.createCampaign({
    name: 'Both',
    agent_id: organization.agentId,
    phone_numbers: [berlin, london],
    additional_params: { timezone: 'Europe/London' },
  });
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

  // A recipient who is planned without these rules does not pass the gate of a worker that has them.
  const recipientId = closed?.id ?? '';
  await sql`update campaign_recipients set next_attempt_at = engine_now() where id = ${recipientId}`.execute(
    db,
  );
  await sql`update campaign_runtime set waiting_for = null where campaign_id = ${id}`.execute(db);
  const publisher = openPublisher(queues, { log: quiet });
  onTestFinished(() => publisher.close());
  await publisher.publish(advanceCampaignJob, { campaign_id: id, organization_id: organization.id });
  const planned = async () =>
    (await sql`select from campaign_runtime where waiting_for is not null`.execute(db)).rows.length === 1;
  await waitFor('the advance to find nobody whom it may dial', planned, { withinMs: 60_000 });
  const { rows: dials } = await sql<{ phone_number: string }>`select phone_number from calls`.execute(db);
  expect(dials).toEqual([{ phone_number: london }]);
});

test.each(services)(
  '%s does not start with invalid rules, and names the field in one line',
  { timeout: 60_000 },
  async (service) => {
    const broken = [
      {
        rules: { ...germanyClosed, pins: { GB: 99 } },
        says: /CALLING_RULES: pins\.GB the rule has version 2/,
      },
      {
        rules: { ...germanyClosed, rules: [{ jurisdiction: 'DE' }] },
        says: /CALLING_RULES: rules\[0\]/,
      },
    ];
    for (const [n, { rules, says }] of broken.entries()) {
      const path = await rulesFile(`broken-${service}-${n}.json`, rules);
      const port = String(await freePort());
      const child = start(service, { PORT: port, HEALTH_PORT: port, CALLING_RULES_FILE: path });
      let said = '';
      child.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()));
      child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
      await once(child, 'close');
      expect(child.exitCode).not.toBe(0);
      const lines = said.split('\n').filter((text) => text.includes('CALLING_RULES'));
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatch(says);
      expect(said).not.toMatch(/\n\s+at /);
    }
  },
);
