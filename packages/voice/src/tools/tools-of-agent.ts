import type { AgentSkill } from '@outdial/core';
import type { TransferRefusal } from '@outdial/engine';
import { knowledgeBasesOf } from '@outdial/runtime';
import { z } from 'zod';
import { endCallTool, optOutTool, sendDtmfTool, transferCallTool } from './call-tools.ts';
import type { CheckedFetch } from './checked-fetch.ts';
import { knowledgeBaseTool, type SearchKnowledge } from './knowledge-base-tool.ts';
import { type CallNote, type Tool, defineTool } from './tool.ts';
import { randomUUID } from 'node:crypto';
import { signedHeaders, signingKey } from '@outdial/webhooks';

/** The dependencies of a call's tools. A skill that needs one that is null is left out, with a note. */
export interface ToolContext {
  call: CallIdentity;
  search: SearchKnowledge;
  /** Suppresses the number of the call. Resolves after the commit. */
  suppress: ((reason: string) => Promise<void>) | null;
  /** Whether the organization may call this number. */
  mayDial: (phoneNumber: string) => boolean;
  /** Why an allowed number may not be dialed now, or null. */
  refusalOfTransfer: (phoneNumber: string) => Promise<TransferRefusal | null>;
  http: { fetch: CheckedFetch; hosts: readonly string[]; secret: string } | null;
  now: () => Date;
  canTransfer: boolean;
}

type Made = { tool: Tool } | { fault: string };

const target = z.strictObject({
  name: z.string().min(1).max(100),
  to: z.string().regex(/^\+[1-9]\d{6,14}$/, 'must be a phone number in E.164 format'),
  mode: z.enum(['warm', 'cold']).default('cold'),
});
const transferConfig = z.union(
  [
    z.strictObject({ targets: z.tuple([target], target).refine((list) => list.length <= 20) }),
    target
      .omit({ name: true })
      .transform((only) => ({ targets: [{ ...only, name: 'a colleague' }] as const })),
  ],
  { error: 'must have `to`, or `targets` of `name` and `to`' },
);

/** The tools of an agent's enabled skills, in the order of `exec_order`. Each name is used once. */
export function toolsOfAgent(
  skills: readonly AgentSkill[],
  reach: ToolContext,
): { tools: Tool[]; notes: CallNote[] } {
  const tools = new Map<string, Tool>();
  const notes: CallNote[] = [];
  const enabled = skills
    .filter((skill) => skill.enabled)
    .toSorted((a, b) => a.exec_order.localeCompare(b.exec_order, 'en', { numeric: true }));
  for (const skill of enabled) {
    const made = make(skill, { enabled, reach });
    const about = { skill_id: skill.id, skill_type: skill.type };
    if (made === null) {
      notes.push({ type: 'skill_unknown', ...about });
    } else if ('fault' in made) {
      notes.push({ type: 'skill_faulty', ...about, fault: made.fault });
    } else if (!tools.has(made.tool.declaration.name)) {
      tools.set(made.tool.declaration.name, made.tool);
    } else if (skill.type !== 'knowledge_base') {
      notes.push({
        type: 'skill_faulty',
        ...about,
        fault: `another skill is already named ${made.tool.declaration.name}`,
      });
    }
  }
  return { tools: [...tools.values()], notes };
}

/** Null for an unknown type. */
function make(
  skill: AgentSkill,
  { enabled, reach }: { enabled: AgentSkill[]; reach: ToolContext },
): Made | null {
  switch (skill.type) {
    case 'knowledge_base': {
      const ids = knowledgeBasesOf(enabled);
      if (ids.length === 0) return { fault: 'knowledge_base_ids names no knowledge base' };
      return { tool: knowledgeBaseTool(ids, reach.search) };
    }
    case 'end_call':
      return { tool: endCallTool() };
    case 'opt_out':
      if (reach.suppress === null) return { fault: 'there is no number to suppress' };
      return { tool: optOutTool(reach.suppress) };
    case 'send_dtmf':
      return { tool: sendDtmfTool() };
    case 'transfer_call':
      if (!reach.canTransfer) return { fault: 'the line does not support transfers' };
      return makeTransfer(skill.config, reach);
    case 'http_request':
      return makeRequest(skill.config, reach);
    default:
      return null;
  }
}

function makeTransfer(config: unknown, { mayDial, refusalOfTransfer }: ToolContext): Made {
  const read = transferConfig.safeParse(config);
  if (!read.success) return { fault: faultOf(read.error) };
  const [first, ...others] = read.data.targets.filter(({ to }) => mayDial(to));
  if (first === undefined) return { fault: 'the organization may not call any of the numbers' };
  return { tool: transferCallTool([first, ...others], refusalOfTransfer) };
}

function makeRequest(config: unknown, { http, call, now }: ToolContext): Made {
  if (http === null) return { fault: 'VOICE_TOOL_HOSTS names no host' };
  const read = httpRequestConfig.safeParse(config);
  if (!read.success) return { fault: faultOf(read.error) };
  if (!isAllowedHost(read.data.url, http.hosts)) {
    return { fault: 'url: VOICE_TOOL_HOSTS does not name its host' };
  }
  return { tool: httpRequestTool(read.data, { ...http, call, now }) };
}

function faultOf(error: z.ZodError): string {
  const [issue] = error.issues;
  const path = issue?.path.join('.') ?? '';
  return `${path === '' ? 'config' : path}: ${issue?.message ?? 'is invalid'}`;
}

/** The config of a skill `http_request`. The model fills in only the parameters. */
const httpRequestConfig = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'lower-case letters, digits and underscores'),
  description: z.string().min(1).max(1_000),
  url: z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' }).max(2_000),
  method: z.enum(['GET', 'POST']).default('POST'),
  parameters: z
    .record(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/),
      z.strictObject({
        type: z.enum(['string', 'number', 'boolean']).default('string'),
        description: z.string().max(500).optional(),
        required: z.boolean().default(true),
      }),
    )
    .refine((parameters) => Object.keys(parameters).length <= 20, { error: 'must be at most 20' })
    .default({}),
});

type HttpRequestConfig = z.output<typeof httpRequestConfig>;

interface CallIdentity {
  callId: string;
  agentId: string;
  organizationId: string;
}

const lettersForModel = 4_000;
const textAtMost = 2_000;

/** Whether the operator allows the host: `host`, `host:port` or `*.domain`. */
function isAllowedHost(url: string, hosts: readonly string[]): boolean {
  if (!URL.canParse(url)) return false;
  const { host, hostname, username, password } = new URL(url);
  if (username !== '' || password !== '') return false;
  return hosts.some((allowed) =>
    allowed.startsWith('*.') ? hostname.endsWith(allowed.slice(1)) : host === allowed,
  );
}

/** Calls a service of the organization. Requests are signed like webhooks. */
function httpRequestTool(
  config: HttpRequestConfig,
  deps: { fetch: CheckedFetch; secret: string; call: CallIdentity; now: () => Date },
): Tool {
  const { name, method } = config;
  return defineTool({
    name,
    description: config.description,
    input: z.strictObject(
      Object.fromEntries(Object.entries(config.parameters).map(([key, each]) => [key, parameter(each)])),
    ),
    runsToEnd: method === 'POST',
    async run(input, signal) {
      const url = new URL(config.url);
      const { callId, agentId, organizationId } = deps.call;
      const ids = { call_id: callId, agent_id: agentId, organization_id: organizationId };
      if (method === 'GET') {
        // The ids come last, so that no parameter can replace them.
        for (const [key, value] of Object.entries(input)) url.searchParams.set(key, String(value));
        for (const [key, id] of Object.entries(ids)) url.searchParams.set(key, id);
      }
      const body = method === 'GET' ? '' : JSON.stringify({ ...ids, tool: name, arguments: input });
      const signed = signedHeaders([signingKey(deps.secret)], {
        messageId: `msg_${randomUUID()}`,
        body: method === 'GET' ? url.href : body,
        at: deps.now(),
      });
      const headers = {
        ...signed,
        accept: 'application/json, text/plain',
        ...(method === 'POST' && { 'content-type': 'application/json' }),
      };
      const answer = await deps.fetch.send(
        { method, url, headers, ...(method === 'POST' && { body }) },
        signal,
      );
      const note = { type: 'http_requested', tool: name };
      if (answer.kind === 'no_answer') {
        return { text: 'The service did not answer.', note: { ...note, reason: answer.reason } };
      }
      const { status, text, isCut } = answer;
      const said = text.slice(0, lettersForModel);
      const more = isCut || text.length > lettersForModel ? '\n(the rest was cut off)' : '';
      return {
        text:
          status >= 200 && status < 300 ? `${said}${more}` : `The service refused: status ${status}. ${said}`,
        note: { ...note, status },
      };
    },
  });
}

function parameter(config: HttpRequestConfig['parameters'][string]) {
  const { type, description, required } = config;
  const value = type === 'string' ? z.string().max(textAtMost) : type === 'number' ? z.number() : z.boolean();
  const described = description === undefined ? value : value.describe(description);
  return required ? described : described.optional();
}
