import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addPrompt, createAgent, ensureProvider, type Db, saveVoiceHeartbeat } from '@outdial/db';
import { idOf, openTenant, someNumber, type Tenant } from '../attack/tenant.ts';
import { openBed } from '../bench/engine/bed.ts';
import type { Random } from '../chaos/random.ts';
import { hostileAnswer } from './hostile-gateway.ts';

export const signing = {
  secret: 'a-secret-for-the-fuzz-of-32-characters',
  issuer: 'fuzz',
  audience: 'outdial',
};
export const operators = { user: 'operator', password: 'a-password-of-operators' };
export const gateway = {
  name: 'gateway',
  secret: `whsec_${Buffer.from('a secret of the gateway, 32 bytes').toString('base64')}`,
};

/** No call is assigned to a voice process that has been silent for ten seconds. */
const heartbeatMs = 2_000;

export interface FuzzWorld {
  url: URL;
  db: Db;
  tenant(): Promise<Tenant>;
  /** Returns the errors logged since the last call, one JSON line each. */
  takeErrors(): Array<{ service: string; line: string }>;
  close(): Promise<void>;
}

/** Starts api, scheduler and worker as installed, with a hostile gateway and captured logs. */
export async function openFuzzWorld(random: Random): Promise<FuzzWorld> {
  const bed = await openBed({ durability: 'none' });
  const server = createServer((req, res) => hostileAnswer(random, req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The server listens on TCP, so the address is not a string.
  const { port } = server.address() as AddressInfo;
  const world = await bed.world('postgres');
  await ensureProvider(world.db, { name: gateway.name, adapter: 'gateway' });
  let errors: Array<{ service: string; line: string }> = [];
  const env = {
    OPS_USER: operators.user,
    OPS_PASSWORD: operators.password,
    OPS_QUEUES_WRITABLE: 'true',
    JWT_SECRET: signing.secret,
    JWT_ISSUER: signing.issuer,
    JWT_AUDIENCE: signing.audience,
    TELEPHONY_PROVIDER: 'gateway',
    GATEWAY_URL: `http://127.0.0.1:${port}`,
    GATEWAY_SECRET: gateway.secret,
    PUBLIC_URL: 'http://127.0.0.1:9',
    RATE_LIMITS: 'off',
    VOICE_TOKEN_SECRET: 'a-secret-of-calls-of-the-fuzz-32-characters',
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
    LOG_LEVEL: 'error',
  };
  const start = (service: string) =>
    world.startReady(`${service}/src/main.ts`, env, (line) => errors.push({ service, line }));
  const stopHeartbeat = await startHeartbeat(world.db);
  const api = await start('api');
  await start('scheduler');
  await start('worker');
  return {
    url: new URL(api.url),
    db: world.db,
    tenant: async () => furnish(world.db, await openTenant(world.db, api.url)),
    takeErrors() {
      const taken = errors;
      errors = [];
      return taken;
    },
    async close() {
      await stopHeartbeat();
      server.close();
      server.closeAllConnections();
      await world.close();
      await bed.close();
    },
  };
}

/** A voice process that reports free capacity. Calls in browsers are assigned to it, but never joined. */
async function startHeartbeat(db: Db): Promise<() => Promise<void>> {
  const id = randomUUID();
  const beat = () =>
    saveVoiceHeartbeat(db, {
      id,
      url: 'ws://127.0.0.1:9',
      webUrl: null,
      capacity: 1_000,
      activeCalls: 0,
      draining: false,
      endpointsDown: [],
    });
  await beat();
  let last = Promise.resolve();
  const timer = setInterval(() => {
    // A failed heartbeat is made up for by the next one.
    last = beat().catch(() => undefined);
  }, heartbeatMs);
  return async () => {
    clearInterval(timer);
    await last;
  };
}

/** Creates objects of each kind for requests to find: a campaign on the gateway and one on the simulator, documents, and so on. */
async function furnish(db: Db, tenant: Tenant): Promise<Tenant> {
  const { organizationId, agentId } = tenant;
  const make: Tenant['send'] = async (label, request) => {
    const answer = await tenant.send(label, request);
    // Without its object, an operation would never get past 404.
    if (answer.status >= 400 && answer.status < 500) {
      throw new Error(`${label} was answered ${answer.status}: ${answer.text.slice(0, 300)}`);
    }
    return answer;
  };
  const config = { telephony: { provider: 'simulator' }, voice: { mode: 'cascade' } };
  const simulated = await createAgent(db, { organizationId, name: 'Simulated', config });
  await addPrompt(db, { organizationId, agentId: simulated, level: 1, prompt: 'Call {{name}}.' });
  for (const agent_id of [agentId, simulated]) {
    const phone_numbers = Array.from({ length: 20 }, someNumber);
    await make('POST /api/v1/campaigns', {
      json: { name: 'Spring', agent_id, phone_numbers, status: 'running' },
    });
    await make(`POST /api/v1/agents/${agent_id}/call`, { json: { to_phone: someNumber() } });
  }
  const halted = { name: 'Halted', agent_id: agentId, phone_numbers: [someNumber()], status: 'paused' };
  await make('POST /api/v1/campaigns', { json: halted });
  const base = idOf(await make('POST /api/v1/knowledge-base', { json: { name: 'Facts' } }));
  const form = new FormData();
  form.set('file', new Blob(['Opening hours: nine to five.']), 'hours.txt');
  await make(`POST /api/v1/knowledge-base/${base}/items`, { body: form });
  await make('POST /api/v1/webhook-endpoints', { json: { url: 'http://127.0.0.1:9/hook' } });
  await make('POST /api/v1/suppressions', { json: { phone_number: someNumber() } });
  await make('POST /api/v1/users', {
    json: { email: 'b@example.com', first_name: 'B', last_name: 'B', role: 'viewer' },
  });
  const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
  const [listed, source] = [someNumber(), 'A registry'];
  await make('POST /api/v1/scrub-lists/import', {
    json: { name: 'registry', source, scrubbed_at: anHourAgo, complete: true, numbers: [listed] },
  });
  await make('POST /api/v1/number-changes/import', {
    json: { items: [{ phone_number: listed, kind: 'ported', changed_at: anHourAgo, source }] },
  });
  await make('POST /api/v1/erasures', { json: { phone_number: someNumber() } });
  return tenant;
}
