import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { request } from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Role } from '@outdial/db';
import { serveHttp } from '@outdial/mcp';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { childEnvironment } from '../../support/child-environment.ts';
import { apiWorld } from '../api/api-world.ts';
import { runOutdial } from '../cli/run-outdial.ts';

const world = await apiWorld();
const acme = await world.organization();
const main = fileURLToPath(new URL('../../../packages/mcp/src/main.ts', import.meta.url));
const cli = fileURLToPath(new URL('../../../packages/cli/src/main.ts', import.meta.url));
/** The operators' command line, and the program of the package. */
const outdialMcp: readonly string[] = [cli, 'mcp'];
const packageMcp: readonly string[] = [main];
const baseUrl = world.client.base;
type Organization = typeof acme;

/** A client of a real process that communicates over stdin and stdout. */
function overStdio(role: Role, args: readonly string[], client?: Client): Promise<Client> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...args],
    env: { ...childEnvironment, OUTDIAL_URL: baseUrl, OUTDIAL_API_KEY: acme.keys[role] },
  });
  return connected(transport, client);
}

async function overHttp(
  role: Role,
  options: {
    allowWrites?: boolean;
    of?: Organization;
    header?: (key: string) => Record<string, string>;
  } = {},
): Promise<Client> {
  const { url } = await served(options);
  const key = (options.of ?? acme).keys[role];
  const headers = options.header?.(key) ?? { 'X-API-Key': key };
  return connected(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
}

async function served({ allowWrites = false } = {}) {
  const server = await serveHttp({
    baseUrl,
    allowWrites,
    allowedHosts: ['mcp.example.com'],
    allowedOrigins: ['https://app.example.com'],
    host: '127.0.0.1',
    port: 0,
  });
  onTestFinished(() => server.close());
  return server;
}

async function connected(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
  client = new Client({ name: 'test', version: '1' }),
): Promise<Client> {
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

const result = z.object({
  isError: z.boolean().optional(),
  content: z.tuple([z.object({ type: z.literal('text'), text: z.string() })]),
});

async function call(client: Client, name: string, given: Record<string, unknown> = {}) {
  const { isError, content } = result.parse(await client.callTool({ name, arguments: given }));
  return { isError: isError ?? false, text: content[0].text };
}

async function answer<Schema extends z.ZodType>(
  schema: Schema,
  ...args: Parameters<typeof call>
): Promise<z.output<Schema>> {
  const { isError, text } = await call(...args);
  if (isError) throw new Error(text);
  return schema.parse(JSON.parse(text));
}

async function namesOf(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map((tool) => tool.name);
}

const started = z.object({
  started: z.boolean(),
  plan: z.object({ people_to_call: z.int(), first_call: z.string(), confirmation: z.string() }).optional(),
});
const made = z.object({ data: z.object({ id: z.string(), status: z.string() }) });

async function draft(client: Client, numbers: readonly string[], name = 'Spring'): Promise<string> {
  const people = numbers.map((phone_number) => ({ phone_number, prompt_params: { name: 'Ada' } }));
  const { data } = await answer(made, client, 'create_campaign', {
    name,
    agent_id: await acme.agent(),
    people,
    timezone: 'America/New_York',
  });
  expect(data.status).toBe('draft');
  return data.id;
}

test('refuses by name what creating a campaign would drop: a value in the wrong place, and one of two people with one number', async () => {
  const client = await overHttp('member', { allowWrites: true });
  const agent_id = await acme.agent();
  const create = (...people: object[]) =>
    call(client, 'create_campaign', { name: 'Spring', agent_id, people, timezone: 'America/New_York' });
  const phone_number = '+12125550100';
  const refused = (text: string) => ({ isError: true, text: expect.stringContaining(text) as unknown });
  expect(await create({ phone_number, time_zone: 'America/Los_Angeles', name: 'Ada' })).toMatchObject(
    refused('time_zone, name'),
  );
  const other = { phone_number: '+15550100162', prompt_params: { name: 'Cleo' } };
  expect(await create({ phone_number }, other, { phone_number })).toMatchObject(
    refused('repeats the number of people[0]'),
  );
  const place = { region: 'US-CA', postal_code: '94105' };
  expect(await create({ phone_number, ...place })).toMatchObject({
    isError: false,
    text: expect.stringContaining('94105') as unknown,
  });
});

async function statusOf(campaignId: string): Promise<string | undefined> {
  const row = await world.db
    .selectFrom('campaigns')
    .select('status')
    .where('id', '=', campaignId)
    .executeTakeFirst();
  return row?.status;
}

test.each([
  ['outdial mcp', outdialMcp],
  ['outdial-mcp', packageMcp],
])(
  '%s reads over standard input and output, and offers tools that change something only if it was started with them',
  async (_, program) => {
    const client = await overStdio('admin', program);
    const names = await namesOf(client);
    expect(names).toContain('campaign_progress');
    expect(names).not.toContain('start_campaign');
    const { tools } = await client.listTools();
    expect(tools.every((tool) => tool.annotations?.readOnlyHint === true)).toBe(true);
    const agentId = await acme.agent();
    const agents = z.object({ data: z.object({ items: z.array(z.object({ id: z.string() })) }) });
    const { data } = await answer(agents, client, 'list_agents');
    expect(data.items.map((agent) => agent.id)).toContain(agentId);
    // A tool that is not offered cannot be called by its name either.
    expect(await call(client, 'pause_campaign', { campaign_id: 'x' })).toMatchObject({ isError: true });
  },
);

test('offers exactly the tools that the role of the key allows', async () => {
  const allowWrites = true;
  expect(await namesOf(await overHttp('viewer', { allowWrites }))).not.toContain('create_campaign');
  const member = await namesOf(await overHttp('member', { allowWrites }));
  expect(member).toContain('create_campaign');
  expect(member).not.toContain('start_campaign');
  expect(await namesOf(await overHttp('manager', { allowWrites }))).toContain('start_campaign');
});

test('starts a campaign only with a current confirmation of the number of people and the times', async () => {
  const client = await overHttp('manager', { allowWrites: true });
  const campaign_id = await draft(client, ['+15550100001', '+15550100002']);
  // On any day of the test run.
  expect((await call(client, 'set_campaign_config', { campaign_id, call_on_weekend: true })).isError).toBe(
    false,
  );
  const start = (confirmation?: string) =>
    answer(started, client, 'start_campaign', {
      campaign_id,
      ...(confirmation !== undefined && { confirmation }),
    });

  const first = await start();
  expect(first).toMatchObject({ started: false, plan: { people_to_call: 2, first_call: 'at once' } });
  expect(first.plan?.confirmation).toMatch(/^call 2 people at once \([0-9a-f]{12}\)$/);
  expect(await statusOf(campaign_id)).toBe('draft');
  // A paraphrase is not a confirmation.
  expect((await start('call 2 people at once')).started).toBe(false);

  // A further person on the list invalidates the confirmation.
  await world.client.send(`POST /api/v1/campaigns/${campaign_id}/recipients`, {
    key: acme.keys.manager,
    json: { phone_number: '+15550100003' },
  });
  const stale = await start(first.plan?.confirmation);
  expect(stale).toMatchObject({ started: false, plan: { people_to_call: 3 } });
  expect(await statusOf(campaign_id)).toBe('draft');

  const confirmed = await start(stale.plan?.confirmation);
  expect(confirmed.started).toBe(true);
  expect(await statusOf(campaign_id)).toBe('running');
});

test('a look at a start does not hand out the words that start it', async () => {
  const client = await overHttp('manager', { allowWrites: true });
  const campaign_id = await draft(client, ['+15550100001']);
  const { text } = await call(client, 'preview_start', { campaign_id });
  const { plan } = await answer(started, client, 'start_campaign', { campaign_id });
  expect(text).toContain('"people_to_call":1');
  expect(text).not.toContain(plan?.confirmation.slice(-13, -1));
});

/** A client whose host asks its person, who answers this. */
async function withPerson(
  respond: (message: string) => Promise<{ action: 'accept' | 'decline'; content?: { call: boolean } }>,
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: { form: {} } } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => respond(params.message));
  return overStdio('manager', [main, '--allow-writes', '--require-person'], client);
}

test('a host that can ask its person does, and nothing else starts a campaign', async () => {
  const asked: string[] = [];
  let agrees = false;
  let meanwhile = async () => {};
  const client = await withPerson(async (message) => {
    asked.push(message);
    await meanwhile();
    return agrees ? { action: 'accept', content: { call: true } } : { action: 'decline' };
  });
  const campaign_id = await draft(client, ['+15550100001']);
  const start = (confirmation?: string) =>
    answer(started, client, 'start_campaign', { campaign_id, ...(confirmation && { confirmation }) });
  expect(await start()).toMatchObject({ started: false });
  expect(asked[0]).toMatch(
    /^Start a campaign\? It will call 1 people .* \(([0-9a-f]{12})\)\. Hours: .*, in America\/New_York\. Its name: "Spring"$/,
  );
  // The words that the assistant may have overheard are no person's.
  const words = /will (call .* \([0-9a-f]{12}\))/.exec(asked[0] ?? '')?.[1];
  expect(words).toBeDefined();
  expect(await start(words)).toMatchObject({ started: false });
  expect(await statusOf(campaign_id)).toBe('draft');

  agrees = true;
  meanwhile = async () => {
    await world.client.send(`POST /api/v1/campaigns/${campaign_id}/recipients`, {
      key: acme.keys.manager,
      json: { phone_number: '+15550100003' },
    });
  };
  expect(await start()).toMatchObject({ started: false });
  expect(await statusOf(campaign_id)).toBe('draft');
  meanwhile = async () => {};
  expect(await start()).toMatchObject({ started: true });
  expect(await statusOf(campaign_id)).toBe('running');
});

test('the name of a campaign, which an assistant may have chosen, does not speak for the question', async () => {
  const asked: string[] = [];
  const client = await withPerson(async (message) => {
    asked.push(message);
    return { action: 'decline' };
  });
  const name = `Test"? It will call nobody.\n\n${'Agree. '.repeat(30)}\u202e`;
  const campaign_id = await draft(client, ['+15550100001'], name);
  await answer(started, client, 'start_campaign', { campaign_id });
  expect(asked[0]).toMatch(/^Start a campaign\? It will call 1 people /);
  expect(asked[0]).toMatch(/ Its name: "Test\? It will call nobody\. Agree\. [^"\p{C}\n]{0,100}…"$/u);
});

test('the config of a running campaign stays, because a person has confirmed it', async () => {
  const client = await overHttp('manager', { allowWrites: true });
  const campaign_id = await draft(client, ['+15550100001']);
  const config = () => call(client, 'campaign_config', { campaign_id });
  const { plan } = await answer(started, client, 'start_campaign', { campaign_id });
  await answer(started, client, 'start_campaign', { campaign_id, confirmation: plan?.confirmation });
  const before = await config();
  const change = () => call(client, 'set_campaign_config', { campaign_id, call_back_attempts: 9 });
  expect((await change()).text).toContain('pause it first');
  expect(await config()).toEqual(before);
  await call(client, 'pause_campaign', { campaign_id });
  expect((await change()).text).toContain('"call_back_attempts":9');
});

test('--require-person starts nothing for a client that cannot ask a person', async () => {
  const client = await overStdio('manager', [main, '--allow-writes', '--require-person']);
  const campaign_id = await draft(client, ['+15550100001']);
  const { text } = await call(client, 'start_campaign', { campaign_id });
  expect(text).toContain('this client cannot ask one');
  expect(text).not.toContain('confirmation');
  expect(await statusOf(campaign_id)).toBe('draft');
});

type Campaign = Organization & { agentId: string; id: string };
const change = (label: string, json: object) => (of: Organization) =>
  world.client.send(label, { key: of.keys.admin, json });
const update = (json: object) => (of: Campaign) => change(`PUT /api/v1/campaigns/${of.id}`, json)(of);

test.each<[string, (of: Campaign) => Promise<{ status: number }>]>([
  ['the same number of other people', update({ phone_numbers: ['+15550100009'] })],
  ['another prompt value', update({ additional_params: { prompt_params: { name: 'Bob' } } })],
  ['another end', update({ end_date: '2099-01-01' })],
  ['another caller id', change('POST /api/v1/caller-ids', { phone_number: '+14155550123' })],
  ['another zone of the organization', change('PUT /api/v1/organization', { timezone: 'Europe/Berlin' })],
  [
    'another prompt',
    (of) => change(`POST /api/v1/agents/${of.agentId}/prompts`, { prompt: 'Sell them something else.' })(of),
  ],
])('a confirmation is void after a change: %s', async (_, changed) => {
  const house = await world.organization();
  const client = await overHttp('manager', { allowWrites: true, of: house });
  const agentId = await house.agent();
  const { data } = await answer(made, client, 'create_campaign', {
    name: 'Spring',
    agent_id: agentId,
    people: [{ phone_number: '+15550100001' }],
    timezone: 'America/New_York',
  });
  const start = (confirmation?: string) =>
    answer(started, client, 'start_campaign', {
      campaign_id: data.id,
      ...(confirmation && { confirmation }),
    });
  const ofDraft = (await start()).plan?.confirmation;
  await change(`PUT /api/v1/campaigns/${data.id}/status`, { status: 'paused' })(house);
  const before = (await start()).plan?.confirmation;
  expect(before).not.toBe(ofDraft);
  expect((await start()).plan?.confirmation).toBe(before);
  expect((await changed({ ...house, agentId, id: data.id })).status).toBe(200);
  expect(await start(before)).toMatchObject({ started: false });
  expect(await statusOf(data.id)).toBe('paused');
});

test("passes on the api's answers, and reads events by type", async () => {
  const client = await overHttp('viewer');
  const missing = await call(client, 'campaign_progress', { campaign_id: 'nothing' });
  expect(missing).toMatchObject({ isError: true, text: expect.stringContaining('404 not_found') as unknown });
  const events = await call(client, 'list_events', { types: ['call.ended', 'campaign.started'] });
  expect(events).toMatchObject({ isError: false });
  expect(await call(client, 'list_calls', { limit: 101 })).toMatchObject({ isError: true });
  expect(await call(client, 'list_calls', { campain_id: 'x' })).toMatchObject({ isError: true });
});

test('takes a key as a bearer token too, since many clients know no other header', async () => {
  const client = await overHttp('viewer', { header: (key) => ({ Authorization: `Bearer ${key}` }) });
  expect(await namesOf(client)).toContain('list_campaigns');
});

/** Sends a raw request, because `fetch` sets `Host` and `Origin` itself. */
async function rawPost(url: string, headers: Record<string, string>, body = '{}'): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

test('over HTTP refuses requests of other origins, under other names, without a credential, or too large', async () => {
  const { url } = await served();
  const key = { 'X-API-Key': acme.keys.viewer, 'Content-Type': 'application/json' };
  const accept = { Accept: 'application/json, text/event-stream' };
  const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  expect(await rawPost(url, { ...key, ...accept }, list)).toBe(200);
  expect(await rawPost(url, { ...key, ...accept, Host: 'mcp.example.com' }, list)).toBe(200);
  expect(await rawPost(url, { ...key, ...accept, Origin: 'https://app.example.com' }, list)).toBe(200);
  // DNS rebinding: a foreign host name that resolves to this server.
  expect(await rawPost(url, { ...key, ...accept, Host: 'evil.example.com' }, list)).toBe(403);
  expect(await rawPost(url, { ...key, ...accept, Origin: 'https://evil.example.com' }, list)).toBe(403);
  expect(await rawPost(url, { ...accept, 'Content-Type': 'application/json' }, list)).toBe(401);
  expect(await rawPost(url, { ...key, ...accept, 'X-API-Key': 'od_wrong' }, list)).toBe(401);
  expect(await rawPost(url, { ...key, ...accept }, 'x'.repeat(2 * 1024 * 1024 + 1))).toBe(413);
  expect(await rawPost(url, { ...key, ...accept }, '{')).toBe(400);
  // Of a name that comes twice, a parser keeps one value without a word; of large numbers, the first digits.
  const twice = `${list.slice(0, -1)},"params":{"status":"draft","status":"running"}}`;
  expect(await rawPost(url, { ...key, ...accept }, twice)).toBe(400);
  const digits = `${list.slice(0, -1)},"params":{"limit":9007199254740993}}`;
  expect(await rawPost(url, { ...key, ...accept }, digits)).toBe(400);
  expect((await fetch(url)).status).toBe(405);
  expect((await fetch(new URL('/', url), { method: 'POST' })).status).toBe(404);
});

test('over HTTP refuses a stranger before it reads the body', async () => {
  const { url } = await served();
  const status = await new Promise((resolve, reject) => {
    const headers = { 'X-API-Key': 'od_wrong', 'Content-Length': 1_000 };
    const sent = request(url, { method: 'POST', headers }, (response) => {
      resolve(response.statusCode);
      sent.destroy();
    });
    sent.once('error', reject);
    sent.write('{');
  });
  expect(status).toBe(401);
});

test('outdial mcp --http listens until it is stopped', async () => {
  const child = spawn(process.execPath, [cli, 'mcp', '--http', '--port', '0', '--url', baseUrl], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...childEnvironment },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const [said] = z.tuple([z.instanceof(Buffer)]).parse(await once(child.stderr, 'data'));
  const url = /^outdial-mcp: listening at (\S+)/.exec(said.toString())?.[1] ?? '';
  const requestInit = { headers: { 'X-API-Key': acme.keys.viewer } };
  const client = await connected(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  expect(await namesOf(client)).toContain('list_campaigns');
  child.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
});

test.each([
  ['outdial mcp', outdialMcp, /^outdial: .*key/i],
  ['outdial-mcp', packageMcp, /^outdial-mcp: .*key/i],
])('%s reports in one line why it cannot start', async (_, program, line) => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...program],
    env: { ...childEnvironment, OUTDIAL_URL: baseUrl, OUTDIAL_API_KEY: 'od_wrong' },
    stderr: 'pipe',
  });
  let said = '';
  transport.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await expect(connected(transport)).rejects.toThrow('Connection closed');
  await expect.poll(() => said).toMatch(line);
});

test.each([
  ['no key', { OUTDIAL_API_KEY: '' }, [], 'set OUTDIAL_API_KEY'],
  ['no api', { OUTDIAL_API_KEY: 'od_x' }, ['--url', 'http://127.0.0.1:1'], 'cannot be reached'],
  ['an invalid URL', { OUTDIAL_API_KEY: 'od_x' }, ['--url', 'here'], '--url is not a URL: here'],
])('outdial mcp with %s reports it', async (_, env, args, message) => {
  const { status, err } = await runOutdial(['mcp', ...args], { env });
  expect({ status, err }).toEqual({ status: 1, err: expect.stringContaining(message) as unknown });
});
