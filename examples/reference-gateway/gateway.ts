import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { openCalls, type Call } from './kept-calls.ts';
import { courseOf, toneWav } from './pretend.ts';
import { sendEvent } from './send-event.ts';

export interface GatewayOptions {
  /** `whsec_` and base64, equal to Outdial's secret for this gateway. */
  secret: string;
  /** The folder of the calls, one file each. A call id that was accepted once is remembered forever. */
  folder: string;
  port?: number;
  ringMs?: number;
  talkMs?: number;
  /** Concurrent calls. A further call is answered 429 with `retry-after`. */
  maxLines?: number;
  /** If false, no events are sent, so Outdial has to look up its calls. */
  sendsEvents?: boolean;
}

/** A voice gateway that only simulates calls. To make a real one, replace `converse` with a voice runtime, and the folder with a database. */
export async function startGateway(options: GatewayOptions) {
  const { secret, folder, ringMs = 1_000, talkMs = 3_000, maxLines = 100, sendsEvents = true } = options;
  const webhook = new Webhook(secret);
  const { calls, live, keep } = openCalls(folder);
  const told = new Map<string, Promise<void>>();
  const stopped = new AbortController();

  /** Saves the state before it sends the event, so that a look-up finds the state if the event is lost. */
  function enter(call: Call, state: Call['state'], data: Record<string, unknown> = {}): void {
    if (call.state === 'ended' || stopped.signal.aborted) return;
    Object.assign(call, { state, data, occurred_at: new Date().toISOString(), is_told: !sendsEvents });
    keep(call);
    tell(call);
  }

  /** Sends the event of a state, which is sent again after a restart if Outdial did not get it. */
  function tell(call: Call): void {
    if (call.is_told) return;
    // Outdial accepts events in any order. Sent in order, they record more about the call, such as when it was answered.
    const before = told.get(call.call_id);
    const event = { ...call };
    const send = async () => {
      await before;
      if (!(await sendEvent(webhook, event, stopped.signal)) || call.state !== event.state) return;
      call.is_told = true;
      keep(call);
    };
    told.set(call.call_id, send());
  }

  const pause = (ms: number) => sleep(ms, null, { signal: stopped.signal }).catch(() => null);

  /** Continues a call from its current state. */
  async function converse(call: Call): Promise<void> {
    const { outcome, rings, picksUp, ends } = courseOf(call.to_phone, call.attempt);
    if (call.state === 'accepted' && rings) enter(call, 'ringing');
    if (picksUp && call.state !== 'answered') {
      await pause(ringMs);
      enter(call, 'answered');
    }
    if (!ends) return;
    await pause(picksUp ? talkMs : ringMs);
    const spoken = outcome === 'completed';
    enter(call, 'ended', {
      outcome,
      duration: picksUp ? Math.round(talkMs / 1000) : 0,
      external_status: `reference_${outcome}`,
      transcript: spoken ? 'agent: Hello.\ncallee: Hello.' : null,
      recording_url: spoken ? `${url}/recordings/${call.call_id}.wav` : null,
    });
  }

  function place(body: string): [status: number, answer: object] {
    // The signature was verified, so Outdial has sent this.
    const request = JSON.parse(body) as Call;
    if (!/^[0-9a-f-]{36}$/.test(request.call_id)) return [422, { detail: 'call_id is not a UUID' }];
    if (calls.has(request.call_id)) return [409, { conversation_id: request.call_id }];
    if (live().length >= maxLines) return [429, {}];
    const { call_id, to_phone, attempt, events_url } = request;
    const occurred_at = new Date().toISOString();
    const call: Call = {
      call_id,
      to_phone,
      attempt,
      events_url,
      state: 'accepted',
      occurred_at,
      data: {},
      is_told: true,
    };
    keep(call);
    void converse(call);
    return [201, { conversation_id: call_id }];
  }

  function answer(request: IncomingMessage, body: string): [status: number, answer: object | Buffer] {
    try {
      // `verify` reads three headers, each of which is a single value or absent.
      webhook.verify(body, request.headers as Record<string, string>, { jsonParse: false });
    } catch {
      return [401, { detail: 'bad signature' }];
    }
    // The signature covers neither method nor path. The message id does: it names the operation and the call.
    const intent = { GET: 'look-up', DELETE: 'hang-up' }[request.method ?? ''];
    const [, kind, id = ''] = /^\/(calls|recordings)(?:\/([^/.]+)(?:\.wav)?)?$/.exec(request.url ?? '') ?? [];
    const call = calls.get(id);
    if (kind === 'calls' && request.method === 'POST') return place(body);
    if (kind === 'recordings' && call) return [200, toneWav(talkMs)];
    if (!String(request.headers['webhook-id']).startsWith(`${intent}_${id}_`)) {
      return [401, { detail: 'bad id' }];
    }
    if (call === undefined) return [404, { detail: 'never seen' }];
    if (request.method === 'DELETE') {
      enter(call, 'ended', { outcome: 'completed', external_status: 'hung_up' });
    }
    const { state, data, occurred_at } = call;
    return [200, { state, data, occurred_at, conversation_id: id }];
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
    const [status, content] = answer(request, body);
    if (status === 429) response.setHeader('retry-after', '1');
    response.setHeader('content-type', Buffer.isBuffer(content) ? 'audio/wav' : 'application/json');
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    if (!Buffer.isBuffer(content) || !range) {
      response.writeHead(status).end(Buffer.isBuffer(content) ? content : JSON.stringify(content));
      return;
    }
    const part = content.subarray(Number(range[1]), Number(range[2]) + 1);
    response.setHeader('content-range', `bytes ${range[1]}-${range[2]}/${content.length}`);
    response.writeHead(206).end(part);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  // The server listens on TCP, so the address is not a string.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const call of calls.values()) tell(call);
  for (const call of live()) void converse(call);
  return {
    url,
    calls,
    async close() {
      stopped.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

if (import.meta.main) {
  const { GATEWAY_SECRET = '', PORT = '4000', CALLS_FOLDER = './calls' } = process.env;
  const gateway = await startGateway({ secret: GATEWAY_SECRET, port: Number(PORT), folder: CALLS_FOLDER });
  process.stdout.write(`A gateway that simulates calls: GATEWAY_URL=${gateway.url}\n`);
}
