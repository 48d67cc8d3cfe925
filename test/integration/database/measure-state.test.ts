import { randomUUID } from 'node:crypto';
import { advanceCampaignJob } from '@outdial/contracts';
import { closeProvider, engineNow, measureState, saveWorkerHeartbeat } from '@outdial/db';
import { expect, test } from 'vitest';
import { apiWorld, opsCredential } from '../api/api-world.ts';

test('metrics tell who is due, how late the scheduler is, and which provider is closed', async () => {
  const { client, control, db, organization } = await apiWorld();
  const acme = await organization();
  expect(await measureState(db)).toMatchObject({
    due: [],
    linesInUse: [],
    overdueSeconds: 0,
    liveWorkers: 0,
  });

  const made = await client.send('POST /api/v1/campaigns', {
    key: acme.keys.admin,
    json: {
      name: 'Reminders',
      agent_id: await acme.agent(),
      phone_numbers: ['+4930123456', '+4930123457'],
      status: 'running',
    },
  });
  expect(made.status).toBe(200);
  const now = await engineNow(db);
  const secondsAgo = (seconds: number) => new Date(now.getTime() - seconds * 1_000);
  // At an instant within the window, when the scheduler has been silent for a minute and a half.
  await db
    .updateTable('campaign_runtime')
    .set({ wake_at: secondsAgo(90), next_dial_at: secondsAgo(90) })
    .execute();
  await saveWorkerHeartbeat(db, randomUUID());
  await closeProvider(db, {
    provider: 'simulator',
    until: new Date(now.getTime() + 60_000),
    reason: 'http_503',
  });

  const state = await measureState(db);
  expect(state).toMatchObject({
    due: [{ organizationId: acme.id, recipients: 2 }],
    liveWorkers: 1,
    closedProviders: [{ provider: 'simulator', isClosed: true }],
    uncheckedCalls: 0,
    waitingDocuments: 0,
  });
  expect(state.overdueSeconds).toBeGreaterThanOrEqual(90);
  expect(state.overdueSeconds).toBeLessThan(150);
  expect(state).toMatchObject({ webhooksOverdueSeconds: 0, webhooksFailingSeconds: 0 });

  // Takes turns with those of other organizations.
  const job = { campaign_id: randomUUID(), organization_id: acme.id };
  await control.publisher.publish(advanceCampaignJob, job);
  const authorization = `Basic ${Buffer.from(`${opsCredential.user}:${opsCredential.password}`).toString('base64')}`;
  const text = (
    await client.send('GET /metrics', { headers: { Authorization: authorization } })
  ).bytes.toString();
  expect(text).toMatch(/outdial_queue_jobs\{queue="place-call",state="waiting",service="api"\} 0/);
  expect(text).toMatch(/outdial_queue_jobs\{queue="advance-campaign",state="waiting",service="api"\} 1\n/);
  expect(text).toMatch(/outdial_queue_oldest_job_seconds\{queue="advance-campaign",service="api"\} \d/);
});
