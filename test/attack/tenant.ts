import { randomInt } from 'node:crypto';
import type { Db, Role } from '@outdial/db';
import { addPrompt, createAgent, createApiKey, createOrganization, createUser } from '@outdial/db';

/** An organization with a key of each role and an agent. */
export interface Tenant {
  organizationId: string;
  agentId: string;
  keys: Record<Role, string>;
  /** Sends a request and reads the answer to its end. */
  send(label: string, request?: TenantRequest): Promise<TenantAnswer>;
}

export interface TenantRequest {
  role?: Role;
  headers?: Record<string, string>;
  json?: unknown;
  body?: Uint8Array<ArrayBuffer> | FormData | string;
}

export interface TenantAnswer {
  status: number;
  headers: Headers;
  text: string;
  ms: number;
}

/** A request that takes longer counts as unanswered. */
const answerWithinMs = 20_000;

const roles: readonly Role[] = ['admin', 'manager', 'member', 'viewer'];

export async function openTenant(db: Db, baseUrl: string): Promise<Tenant> {
  const organizationId = await createOrganization(db, { name: 'Tenant' });
  const keys: Partial<Record<Role, string>> = {};
  for (const role of roles) {
    const user = { organizationId, email: `${role}@example.com`, firstName: 'A', lastName: role, role };
    const userId = await createUser(db, user);
    keys[role] = (await createApiKey(db, { organizationId, userId, name: role, role })).key;
  }
  const agentId = await createAgent(db, { organizationId, name: 'Caller', config: {} });
  await addPrompt(db, { organizationId, agentId, level: 1, prompt: 'Call {{name}}.' });
  // All four were made above.
  const complete = keys as Record<Role, string>;
  return {
    organizationId,
    agentId,
    keys: complete,
    send: (label, request = {}) => send(baseUrl + (label.split(' ')[1] ?? ''), label, complete, request),
  };
}

async function send(
  url: string,
  label: string,
  keys: Record<Role, string>,
  { role = 'admin', headers, json, body }: TenantRequest,
): Promise<TenantAnswer> {
  const startedAt = performance.now();
  const response = await fetch(url, {
    method: label.split(' ')[0] ?? 'GET',
    signal: AbortSignal.timeout(answerWithinMs),
    headers: {
      'X-API-Key': keys[role],
      ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, ms: performance.now() - startedAt };
}

/** A random number of an area code that is not in use. None has the exchange 976, which is of premium rate. */
export function someNumber(): string {
  return `+1555${String(randomInt(1_000_000, 9_000_000))}`;
}

export function idOf(answer: TenantAnswer): string {
  const id = /"id":"([0-9a-f-]{36})"/.exec(answer.text)?.[1];
  if (id === undefined) {
    throw new Error(`no id in an answer of ${answer.status}: ${answer.text.slice(0, 200)}`);
  }
  return id;
}
