import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { newSigningSecret } from '@outdial/webhooks';
import {
  type CallNote,
  type ConversationStep,
  createCheckedFetch,
  type OpenedConversation,
  openConversation,
} from '@outdial/voice';
import { addPrompt, addSuppressions, createAgent, inTransaction, suppressEverywhere } from '@outdial/db';
import { createLogger } from '@outdial/runtime';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { Agent } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  scriptedModel,
  type ScriptedModel,
  type ScriptedAnswer,
} from '../../support/voice/scripted-model.ts';
import { type Caller, openWorld } from '../knowledge-base/world.ts';

const world = await openWorld();
const connections = new Agent();
const phone = '+15550100123';
const secret = newSigningSecret();
const fetches = {
  open: createCheckedFetch({ allowPrivateTargets: true }),
  checked: createCheckedFetch({ allowPrivateTargets: false }),
};

let script: (asked: number) => ScriptedAnswer = () => ({ say: 'Yes.' });
let model: ScriptedModel;
let caller: Caller;

/** An HTTP service of the agent's owner. */
const asked: Array<{ request: IncomingMessage; body: string }> = [];
const headersOf = (one?: { request: IncomingMessage }) =>
  Object.fromEntries(
    Object.entries(one?.request.headers ?? {}).map(([name, value]) => [name, String(value)]),
  );
const service = createServer((request, response) => {
  void (async () => {
    asked.push({ request, body: await text(request) });
    if (request.url?.startsWith('/moved') === true) response.writeHead(302, { location: '/other' }).end();
    else if (request.url?.startsWith('/large') === true) response.end('x'.repeat(1_000_000));
    else response.end(JSON.stringify({ order: 'shipped' }));
  })();
});
let serviceUrl = '';

beforeAll(async () => {
  let count = 0;
  model = await scriptedModel(({ messages }) => {
    if (messages.length === 2) count = 0;
    return script(count++);
  });
  caller = await world.newCaller();
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  // The server listens on TCP, so the address is not a string.
  serviceUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await model.close();
  await connections.destroy();
  fetches.open.close();
  fetches.checked.close();
  service.closeAllConnections();
  service.close();
});

interface Skill {
  type: string;
  config?: Record<string, unknown>;
  exec_order?: string;
  enabled?: boolean;
}

async function open(
  skills: readonly Skill[],
  options: {
    fetch?: typeof fetches.open;
    hosts?: string[];
    organizationId?: string;
    agentId?: string;
    config?: object;
    canTransfer?: boolean;
    callId?: string;
  } = {},
) {
  const notes: CallNote[] = [];
  const opened = await openConversation(
    {
      db: world.db,
      publisher: world.publisher,
      endpoints: new Map([['llm', { name: 'llm', url: model.url, key: null, model: 'm' }]]),
      connections,
      http: {
        fetch: options.fetch ?? fetches.open,
        hosts: options.hosts ?? [new URL(serviceUrl).host],
        secret,
      },
      log: createLogger({ service: 'test', level: 'silent' }),
    },
    {
      id: options.callId ?? randomUUID(),
      organizationId: options.organizationId ?? caller.organizationId,
      agentId: options.agentId ?? randomUUID(),
      config: { voice: { mode: 'relay', ...options.config } },
      skills: skills.map((skill, index) => ({
        id: randomUUID(),
        exec_order: String(index + 1),
        enabled: true,
        config: {},
        ...skill,
      })),
      prompt: { text: 'You are Anna.', mitigation: '', harmfulIntents: [] },
      promptParams: {},
      phoneNumber: phone,
      place: {},
    },
    { note: (note) => notes.push(note), canTransfer: options.canTransfer ?? true },
  );
  return { opened, notes };
}

/** What the agent does when it hears this. */
function stepsTo({ opened }: { opened: OpenedConversation }, heard: string): AsyncIterable<ConversationStep> {
  if (opened.kind === 'refused') throw new Error(JSON.stringify(opened.faults));
  return opened.conversation.reply(heard, new AbortController().signal);
}

const spoken = (opened: { opened: OpenedConversation }) => (heard: string) =>
  Array.fromAsync(stepsTo(opened, heard));

/** The model calls a tool, and then answers. */
const uses = (name: string, given: object = {}) => {
  script = (count) => (count === 0 ? { tools: [{ name, arguments: given }] } : { say: 'There.' });
};
const answered = () => model.requests.at(-1)?.messages.findLast(({ role }) => role === 'tool')?.content;

describe('skills', () => {
  test('become tools in the order of exec_order; others leave a note', async () => {
    script = () => ({ say: 'Yes.' });
    const opened = await open([
      { type: 'send_dtmf', exec_order: '10' },
      { type: 'end_call', exec_order: '2' },
      { type: 'opt_out', exec_order: '1', enabled: false },
      { type: 'juggle' },
      { type: 'transfer_call', config: { to: 'Bob' } },
      { type: 'knowledge_base', config: {} },
    ]);
    await spoken(opened)('Hello?');
    expect(model.requests.at(-1)?.tools?.map((tool) => tool.function.name)).toEqual([
      'end_call',
      'send_dtmf',
    ]);
    expect(opened.notes).toMatchObject([
      { type: 'skill_unknown', skill_type: 'juggle' },
      { type: 'skill_faulty', skill_type: 'transfer_call' },
      { type: 'skill_faulty', skill_type: 'knowledge_base' },
    ]);
  });

  test('that the line does not carry leave a note, and the model is not offered them', async () => {
    script = () => ({ say: 'Yes.' });
    const opened = await open(
      [{ type: 'transfer_call', config: { to: '+15551230000' } }, { type: 'end_call' }],
      { canTransfer: false },
    );
    await spoken(opened)('Hello?');
    expect(model.requests.at(-1)?.tools?.map((tool) => tool.function.name)).toEqual(['end_call']);
    expect(opened.notes).toMatchObject([
      { type: 'skill_faulty', skill_type: 'transfer_call', fault: 'the line does not support transfers' },
    ]);
  });

  test('an agent without its endpoint does not talk, and the fault names the field', async () => {
    const { opened } = await open([], { config: { llm: { endpoint: 'gone' } } });
    expect(opened).toMatchObject({ kind: 'refused', faults: [{ path: ['voice', 'llm', 'endpoint'] }] });
  });
});

test('an agent without a greeting speaks first if there is a disclosure', async () => {
  const { organizationId } = caller;
  const make = (config: Record<string, unknown>) =>
    createAgent(world.db, { organizationId, name: 'Anna', config });
  const begins = async (agentId: string) => {
    const { opened } = await open([], { agentId });
    if (opened.kind === 'refused') throw new Error('refused');
    return { greets: opened.greets, words: await opened.conversation.greeting() };
  };
  expect(await begins(await make({}))).toEqual({ greets: false, words: null });
  expect(await begins(await make({ compliance: { disclose: true } }))).toEqual({
    greets: true,
    words: expect.stringContaining('artificial') as unknown,
  });
});

describe('knowledge_base', () => {
  let base = '';
  beforeAll(async () => {
    base = await caller.newBase();
    const { data } = await caller.upload(base, 'Returns are free within thirty days of delivery.', {
      name: 'Returns',
    });
    await caller.settled(base, data['id']);
  });
  const skill = () => [{ type: 'knowledge_base', config: { knowledge_base_ids: [base] } }];

  test('finds passages, and cites them in the record', async () => {
    uses('knowledge_base', { question: 'return within how many days' });
    const opened = await open(skill());
    await spoken(opened)('How long can I return it?');
    expect(answered()).toMatch(/^\[Returns, page 1\]\nReturns are free within thirty days/);
    expect(opened.notes).toMatchObject([
      { type: 'knowledge_cited', passages: [{ knowledge_base_id: base, page: 1 }] },
    ]);
  });

  test('has nothing to say to an agent of another organization', async () => {
    uses('knowledge_base', { question: 'return within how many days' });
    const other = await world.newCaller();
    const opened = await open(skill(), { organizationId: other.organizationId });
    await spoken(opened)('How long can I return it?');
    expect(answered()).toMatch(/^Nothing was found/);
    expect(opened.notes).toEqual([]);
  });
});

test('opt_out is committed before the person hears that it is done, and the call ends without the model', async () => {
  const suppressed = async () => {
    const { rows } = await sql<{ source: string; reason: string; channel: string; words: string }>`
      select s.source, s.reason, r.channel, r.words from suppressions s
      join revocations r on r.organization_id = s.organization_id and r.phone_number = s.phone_number
      where s.phone_number = ${phone} and s.organization_id = ${caller.organizationId}`.execute(world.db);
    return rows;
  };
  uses('opt_out', { reason: 'asked to be left alone' });
  const opened = await open([{ type: 'opt_out' }]);
  if (opened.opened.kind === 'open') opened.opened.optOuts?.heard('Please stop calling me');
  const steps: unknown[] = [];
  const asked = model.requests.length;
  for await (const step of stepsTo(opened, 'Please stop calling me')) {
    if (step.kind === 'say') steps.push(step.text, await suppressed());
    if (step.kind === 'end_call') steps.push(step.reason);
  }
  expect(steps).toEqual([
    expect.stringMatching(/no more calls/),
    [
      {
        source: 'call',
        reason: 'asked to be left alone',
        channel: 'call',
        words: 'Please stop calling me',
      },
    ],
    'opted_out',
  ]);
  expect(model.requests.length - asked).toBe(1);
  expect(opened.notes).toEqual([{ type: 'opted_out' }]);
});

/** A call in progress, of the caller's organization. */
async function callInProgress(): Promise<string> {
  const { organizationId } = caller;
  const agentId = await createAgent(world.db, { organizationId, name: 'Anna', config: {} });
  await addPrompt(world.db, { organizationId, agentId, level: 1, prompt: 'You are Anna.' });
  const { id: promptId } = await world.db
    .selectFrom('agent_prompts')
    .select('id')
    .where('agent_id', '=', agentId)
    .executeTakeFirstOrThrow();
  const callId = randomUUID();
  const at = new Date();
  await world.db
    .insertInto('calls')
    .values({
      id: callId,
      organization_id: organizationId,
      agent_id: agentId,
      provider: 'trunk',
      phase: 'answered',
      phone_number: `call:${callId}`,
      prompt_id: promptId,
      created_by: null,
      created_at: at,
      gated_at: at,
      answered_at: at,
      check_at: at,
      line_held: true,
      events: '[]',
    })
    .execute();
  return callId;
}

const transfersOf = (callId: string) =>
  world.db
    .selectFrom('calls')
    .select(['transfers', 'transfer_line'])
    .where('id', '=', callId)
    .executeTakeFirstOrThrow();

describe('transfer_call', () => {
  const skill = (targets: object[]) => [{ type: 'transfer_call', config: { targets } }];

  test('connects with a number of the agent, which the model knows by name only', async () => {
    uses('transfer_call', { target: 'sales' });
    const callId = await callInProgress();
    const opened = await open(skill([{ name: 'sales', to: '+14155550101', mode: 'warm' }]), { callId });
    expect(await spoken(opened)('Sales, please')).toEqual([
      { kind: 'working', tool: 'transfer_call' },
      { kind: 'transfer', target: 'sales', to: '+14155550101', mode: 'warm' },
    ]);
    // The person may speak before the transfer is dialed: until then it uses no line and no quota.
    expect(await transfersOf(callId)).toEqual({ transfers: 0, transfer_line: false });
    expect(JSON.stringify(model.requests.at(-1))).not.toContain('4155550101');
  });

  test('not with a number from the model, nor with one that the organization may not call', async () => {
    uses('transfer_call', { target: '+15558887777' });
    const opened = await open(
      skill([
        { name: 'sales', to: '+14155550101' },
        { name: 'premium', to: '+19002345678' },
      ]),
    );
    expect(await spoken(opened)('Call +15558887777')).not.toContainEqual(
      expect.objectContaining({ kind: 'transfer' }),
    );
    expect(answered()).toMatch(/arguments are invalid\. target/);
    expect(JSON.stringify(model.requests.at(-1)?.tools)).not.toContain('premium');
  });

  describe('only dials numbers that the organization may call at that moment', () => {
    const to = '+442079460177';
    const suppressions = [{ phoneNumber: to, reason: 'asked' }];
    const limits = (set: { max_calls_per_day: number | null } | { allowed_countries: string[] | null }) =>
      world.db
        .updateTable('organizations')
        .set(set)
        .where('id', '=', caller.organizationId)
        .executeTakeFirstOrThrow();

    test.each([
      {
        reason: 'number_suppressed',
        said: 'has asked not to be called',
        begin: () =>
          inTransaction(world.db, (tx) =>
            addSuppressions(tx, { organizationId: caller.organizationId, suppressions }),
          ),
        end: () => world.db.deleteFrom('suppressions').where('phone_number', '=', to).execute(),
      },
      {
        reason: 'number_suppressed',
        said: 'has asked not to be called',
        begin: () => inTransaction(world.db, (tx) => suppressEverywhere(tx, suppressions)),
        end: () => world.db.deleteFrom('installation_suppressions').execute(),
      },
      {
        reason: 'quota_exceeded',
        said: 'No more calls may be made today',
        begin: () => limits({ max_calls_per_day: 0 }),
        end: () => limits({ max_calls_per_day: null }),
      },
      {
        reason: 'destination_refused',
        said: 'may not be called',
        begin: () => limits({ allowed_countries: ['DE'] }),
        end: () => limits({ allowed_countries: null }),
      },
    ])('$reason, and the agent hears why', async ({ reason, said, begin, end }) => {
      uses('transfer_call');
      const opened = await open(skill([{ name: 'sales', to }]));
      await begin();
      const refused = await spoken(opened)('Sales, please');
      await end();
      expect(refused).not.toContainEqual(expect.objectContaining({ kind: 'transfer' }));
      expect(answered()).toContain(said);
      expect(opened.notes).toEqual([{ type: 'transfer_refused', target: 'sales', reason }]);
    });

    test("another organization's suppressions do not count", async () => {
      const other = await world.newCaller();
      await inTransaction(world.db, (tx) =>
        addSuppressions(tx, { organizationId: other.organizationId, suppressions }),
      );
      uses('transfer_call');
      const opened = await open(skill([{ name: 'sales', to }]), { callId: await callInProgress() });
      expect(await spoken(opened)('Sales, please')).toContainEqual({
        kind: 'transfer',
        target: 'sales',
        to,
        mode: 'cold',
      });
    });
  });
});

describe('http_request', () => {
  const skill = (config: object) => [
    {
      type: 'http_request',
      config: {
        name: 'order_status',
        description: 'Status of an order',
        url: `${serviceUrl}/orders`,
        parameters: { order: { description: 'Its number' } },
        ...config,
      },
    },
  ];

  test("calls the service with the model's arguments, signed", async () => {
    uses('order_status', { order: 'A-1' });
    const opened = await open(skill({}));
    await spoken(opened)('Where is my order?');
    expect(answered()).toBe('{"order":"shipped"}');
    expect(new Webhook(secret).verify(asked.at(-1)?.body ?? '', headersOf(asked.at(-1)))).toMatchObject({
      tool: 'order_status',
      arguments: { order: 'A-1' },
      organization_id: caller.organizationId,
    });
    expect(opened.notes).toEqual([{ type: 'http_requested', tool: 'order_status', status: 200 }]);
  });

  test('a GET has them in the query, for any content', async () => {
    uses('order_status', { order: '../x?y=1&z=#' });
    await spoken(await open(skill({ method: 'GET' })))('Where is it?');
    const { request } = asked.at(-1) ?? {};
    const url = new URL(request?.url ?? '', serviceUrl);
    expect(url.pathname).toBe('/orders');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      order: '../x?y=1&z=#',
      organization_id: caller.organizationId,
    });
    const headers = headersOf(asked.at(-1));
    const verify = (text: string) => () => new Webhook(secret).verify(text, headers, { jsonParse: false });
    expect(verify(url.href)).not.toThrow();
    expect(verify('')).toThrow('No matching signature');
  });

  test.each([
    [{}, ['example.com'], /does not name its host/],
    [{ url: 'http://u:p@127.0.0.1/' }, ['127.0.0.1'], /does not name its host/], // secretlint-disable-line -- made up
    [{ url: 'ftp://127.0.0.1/' }, ['127.0.0.1'], /^url/],
    [{ headers: { host: 'other' } }, null, /headers/],
  ])('is not there for %j with hosts %j', async (config, hosts, fault) => {
    const { notes } = await open(skill(config), hosts === null ? {} : { hosts });
    expect(notes).toMatchObject([{ type: 'skill_faulty', fault: expect.stringMatching(fault) as unknown }]);
  });

  test('goes to no address that is not public, follows no redirect, and reads no answer without end', async () => {
    uses('order_status', { order: '1' });
    const before = asked.length;
    const opened = await open(skill({}), { fetch: fetches.checked });
    await spoken(opened)('Where is it?');
    expect(opened.notes).toMatchObject([{ reason: 'the host leads to an address that is not public' }]);
    expect(asked).toHaveLength(before);
    await spoken(await open(skill({ url: `${serviceUrl}/moved` })))('Where is it?');
    expect(answered()).toMatch(/status 302/);
    expect(asked.at(-1)?.request.url).toBe('/moved');
    await spoken(await open(skill({ url: `${serviceUrl}/large` })))('Where is it?');
    expect(answered()).toHaveLength(4_000);
  });
});
