import { randomUUID } from 'node:crypto';
import { signedHeaders, signingKey } from '@outdial/webhooks';
import { z } from 'zod';
import type { CheckedFetch } from './checked-fetch.ts';
import { defineTool, type Tool } from './tool.ts';

/** The config of a skill `http_request`. The model fills in only the parameters. */
export const httpRequestConfig = z.strictObject({
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

export type HttpRequestConfig = z.output<typeof httpRequestConfig>;

export interface CallIdentity {
  callId: string;
  agentId: string;
  organizationId: string;
}

const lettersForModel = 4_000;
const textAtMost = 2_000;

/** Whether the operator allows the host: `host`, `host:port` or `*.domain`. */
export function isAllowedHost(url: string, hosts: readonly string[]): boolean {
  if (!URL.canParse(url)) return false;
  const { host, hostname, username, password } = new URL(url);
  if (username !== '' || password !== '') return false;
  return hosts.some((allowed) =>
    allowed.startsWith('*.') ? hostname.endsWith(allowed.slice(1)) : host === allowed,
  );
}

/** Calls a service of the organization. Requests are signed like webhooks. */
export function httpRequestTool(
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
