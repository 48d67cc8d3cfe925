import { createServer, type AddressInfo } from 'node:net';
import { campaignProgress } from '@outdial/contracts';
import { connect } from '@outdial/db';
import { applyReports } from '@outdial/engine';
import { createReadiness } from '@outdial/service';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { queueBackends } from '../../support/queues.ts';
import { startRedisPair } from '../../support/redis/redis-pair.ts';
import type { TestOrganization } from '../../support/stack/organization.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { phoneNumbers, runCampaign } from '../engine/campaign.ts';
import { CuttableWire } from '../queues.world.ts';

const answer = z.object({ data: campaignProgress });

async function progressOf({ baseUrl }: Stack, { apiKeys }: TestOrganization, campaignId: string) {
  const response = await fetch(`${baseUrl}/api/v1/campaigns/${campaignId}/progress`, {
    headers: { 'X-API-Key': apiKeys.viewer },
  });
  return answer.parse(await response.json()).data;
}

function readinessOf({ db, control }: Stack) {
  const log = { info: () => undefined, warn: () => undefined };
  return createReadiness({ db, publisher: control.publisher, log });
}

/** Without the rounds of schedulers that a test's clock makes, since they fail during an outage. */
const elevenSecondsLater = ({ db }: Stack) =>
  sql`update engine_clock set offset_ms = offset_ms + 11000`.execute(db);

interface Outage {
  strike(): Promise<void>;
  recover(): Promise<void>;
  /** What readiness says. */
  reason: string;
}

/** A Redis that the processes reach over a wire, and the ways in which it fails. */
async function redisOfItsOwn() {
  const pair = await startRedisPair();
  onTestFinished(() => pair.stop());
  const [node, other] = pair.nodes;
  const redis = node.client();
  const wire = new CuttableWire(node.url);
  await wire.reconnect();
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    await wire.cut();
    silent.close();
  });
  const outages: Record<string, Outage> = {
    'is full': {
      strike: async () => void (await redis.config('SET', 'maxmemory', '1')),
      recover: async () => void (await redis.config('SET', 'maxmemory', '0')),
      reason: 'has no memory left',
    },
    'was demoted': {
      async strike() {
        await other.promote();
        await node.follow(other);
      },
      recover: () => node.promote(),
      reason: 'is a read-only replica',
    },
    hangs: {
      strike() {
        wire.leadTo(`redis://127.0.0.1:${(silent.address() as AddressInfo).port}`);
        wire.freeze();
        return Promise.resolve();
      },
      async recover() {
        wire.leadTo(node.url);
        await wire.cut();
        await wire.reconnect();
      },
      reason: 'cannot be reached',
    },
    'is gone': {
      strike: () => wire.cut(),
      recover: () => wire.reconnect(),
      reason: 'cannot be reached',
    },
  };
  return { url: wire.url, outages };
}

describe.runIf(queueBackends().includes('redis'))('while Redis', () => {
  test.each(['is full', 'was demoted', 'hangs', 'is gone'])(
    '%s, a campaign whose calls have ended waits for it and for nothing else, and goes on afterwards',
    async (kind) => {
      const { url, outages } = await redisOfItsOwn();
      const outage = outages[kind];
      if (outage === undefined) throw new Error('no such outage');
      const stack = await useStack({ backend: 'redis', redisUrl: url });
      stack.log.expect(/./);
      const organization = await stack.organization();
      const one = { max_concurrent_calls: 1 };
      // The calls do not end by themselves.
      const next = await runCampaign(stack, organization, { phone_numbers: phoneNumbers(2, '99') }, one);
      const last = await runCampaign(
        stack,
        organization,
        { phone_numbers: phoneNumbers(1, '99', '556') },
        one,
      );
      const [dials] = await Promise.all([next.dialed(1), last.dialed(1)]);
      const waits = async () => [
        (await progressOf(stack, organization, next.id)).waiting_for,
        (await progressOf(stack, organization, last.id)).waiting_for,
      ];
      await waitFor(
        'both wait for their calls',
        async () => (await waits()).join() === 'campaign_line,calls_in_progress',
      );
      const readiness = readinessOf(stack);
      await waitFor('ready at first', async () => Object.keys(await readiness.faults()).length === 0);

      await outage.strike();
      await waitFor('not ready', async () => (await readiness.faults())['queue'] === outage.reason);
      const live = await stack.db.selectFrom('calls').select('id').where('line_held', '=', true).execute();
      const at = await stack.clock.now();
      const ended = live.map(({ id }) => ({
        callId: id,
        facts: [{ kind: 'ended' as const, eventId: id, at, outcome: 'completed' as const, details: {} }],
      }));
      const progress = { ...stack.control, settings: { ringTimeoutSeconds: 45, maxCallSeconds: 600 } };
      await applyReports(progress, ended).catch(() => undefined);
      await waitFor('the scheduler has seen it', async () => {
        const rows = await stack.db.selectFrom('campaign_runtime').select('waiting_for').execute();
        return rows.every((row) => row.waiting_for === null);
      });
      await elevenSecondsLater(stack);
      for (const { id } of [next, last]) {
        const seen = await waitFor('the reason', async () => {
          const { waiting_for, waiting_detail } = await progressOf(stack, organization, id);
          return waiting_for === 'error' && waiting_detail;
        });
        expect(seen.message).toMatch(/the queue or the scheduler does not work/);
      }

      await outage.recover();
      await waitFor('the next call', async () => (await next.dials()).length > dials.length);
      await last.finished();
      await waitFor('ready', async () => Object.keys(await readiness.faults()).length === 0);
    },
  );
});

test('while Postgres is read-only, a campaign that could dial says so, and that is all that it says', async () => {
  const stack = await useStack({ backend: queueBackends()[0] ?? 'postgres' });
  stack.log.expect(/./);
  const organization = await stack.organization();
  const campaign = await runCampaign(
    stack,
    organization,
    { phone_numbers: phoneNumbers(50, '99') },
    { max_concurrent_calls: 1 },
  );
  await campaign.dialed(1);
  const name = sql.id(new URL(stack.databaseUrl).pathname.slice(1));
  const readiness = readinessOf(stack);
  // Its session is from before, and so may write.
  const operator = connect({ databaseUrl: stack.databaseUrl, poolMax: 1, poolMin: 1 });
  onTestFinished(() => operator.destroy());
  const endOthers = () =>
    sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(operator);
  await sql`alter database ${name} set default_transaction_read_only = on`.execute(operator);
  await endOthers();
  await waitFor(
    'not ready',
    async () => (await readiness.faults())['database']?.startsWith('is read-only') === true,
  );
  const seen = await waitFor('the reason', async () => {
    const progress = await progressOf(stack, organization, campaign.id).catch(() => null);
    return progress?.waiting_for === 'error' ? progress.waiting_detail : null;
  });
  expect(seen.message).toMatch(/database accepts no writes/);

  await sql`alter database ${name} reset default_transaction_read_only`.execute(operator);
  await endOthers();
  await waitFor('ready', async () => Object.keys(await readiness.faults()).length === 0);
  await waitFor('another reason', async () => {
    const progress = await progressOf(stack, organization, campaign.id).catch(() => null);
    return progress !== null && progress.waiting_for !== 'error';
  });
});
