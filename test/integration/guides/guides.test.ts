import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { reminderAgent } from '@outdial/local';
import { expect, onTestFinished, test } from 'vitest';
import { anyBackend } from '../../support/queues.ts';
import { runToEnd } from '../../support/stack/campaign-watch.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { pageBlocks } from './page-blocks.ts';

const run = promisify(execFile);

/** The command blocks of a guide, without the one that sets the variables. */
const commandsOf = (name: string) =>
  pageBlocks()
    .filter(({ page, text }) => page === `docs/guides/${name}.md` && !text.startsWith('base='))
    .map(({ text }) => text);

/** A reader of guides, with a shell that stops at the first error. */
async function reader(variables: Record<string, string>) {
  const directory = await mkdtemp(join(tmpdir(), 'outdial-guides-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const env: NodeJS.ProcessEnv = { PATH: process.env['PATH'], ...variables };
  return {
    directory,
    env,
    /** Runs these blocks in one shell. Returns their output. */
    follow: async (blocks: readonly string[]): Promise<string> => {
      expect(blocks.length).toBeGreaterThan(0);
      // Without this, curl would ignore an error answer, and a page with a wrong command would pass.
      const strict = 'set -euo pipefail; curl() { command curl --fail-with-body -s "$@"; };';
      const script = `${strict}\n${blocks.join('\n')}\necho; echo "campaign=\${campaign:-}"`;
      const { stdout } = await run('bash', ['-c', script], { cwd: directory, env });
      env['campaign'] = /campaign=(\S+)\s*$/.exec(stdout)?.[1] ?? '';
      return stdout;
    },
  };
}

test('every command of the guides works as described', async () => {
  // Business hours in Chicago too.
  const stack = await useStack({ backend: anyBackend(), startAt: '2027-03-01T11:00:00-05:00' });
  const acme = await stack.organization();
  const { directory, env, follow } = await reader({
    base: stack.baseUrl,
    key: acme.apiKeys.admin,
    agent: acme.agentId,
  });

  // Readers use the agent of `npm start`, whose prompt must have no unfilled placeholder.
  const changed = await fetch(`${stack.baseUrl}/api/v1/agents/${acme.agentId}/prompts`, {
    method: 'POST',
    headers: { 'X-API-Key': acme.apiKeys.manager, 'Content-Type': 'application/json' },
    body: JSON.stringify({ prompt: reminderAgent.prompts[0]?.prompt }),
  });
  expect(changed.status).toBe(200);
  const made = await follow(commandsOf('first-campaign'));
  expect(made).not.toContain('prompt_value_missing');
  expect(made).toContain('"taken":1');
  expect(made).toContain('has an invalid phone number');
  const campaignId = env['campaign'] ?? '';
  const calls = await waitFor('everybody to be called', async () => {
    const rows = await stack.db
      .selectFrom('calls')
      .select('id')
      .where('campaign_id', '=', campaignId)
      // One that was not sent yet may be undone.
      .where('phase', 'not in', ['queued', 'placing'])
      .execute();
    return rows.length >= 3 && rows;
  });
  // People are greeted by their names.
  const records = await Promise.all(calls.map(({ id }) => acme.clients.viewer.readCall(id)));
  expect(records.map((call) => call.system_prompt)).toContainEqual(
    expect.stringContaining('Hello Grace, this is Anna of Harbour Dental. You are booked for a check-up'),
  );

  await waitFor('the first event to get its position', () =>
    stack.db
      .selectFrom('outbox')
      .select('position')
      .where('type', '=', 'campaign.started')
      .where('position', 'is not', null)
      .executeTakeFirst(),
  );
  expect(await follow(commandsOf('following'))).toContain('"type":"campaign.started"');
  await runToEnd(stack.db, stack.clock, campaignId);
  expect((await acme.clients.viewer.readCampaign(campaignId)).status).toBe('finished');
  // The config of a finished campaign cannot change, so the test follows the page from its second block on.
  const [, ...again] = commandsOf('retrying');
  expect(await follow(again)).toContain('"retried":1');

  await follow(commandsOf('exporting'));
  expect(await readFile(join(directory, 'recipients.csv'), 'utf8')).toContain('+15550100191');
  expect((await readFile(join(directory, 'calls.ndjson'), 'utf8')).trim().split('\n').length).toBeGreaterThan(
    3,
  );
});

test('the commands that stop do so', async () => {
  const stack = await useStack({ backend: anyBackend(), workers: 0 });
  const acme = await stack.organization();
  const { id } = await acme.clients.manager.createCampaign({
    name: 'Deliveries',
    agent_id: acme.agentId,
    phone_numbers: ['+15550100101', '+15550100102', '+15550100103'],
  });
  await acme.clients.manager.setStatus(id, 'running');
  const { follow } = await reader({ base: stack.baseUrl, key: acme.apiKeys.admin, campaign: id });
  await follow(commandsOf('stopping'));
  const { status } = await acme.clients.viewer.readCampaign(id);
  expect(status).toBe('canceled');
});
