import http from 'node:http';
import { freePort } from '@outdial/local';
import { simulatedRecording } from './recording-audio.ts';
import { openExchange, type Exchange, type ExchangeOptions } from './exchange.ts';
import { readPublishedDocument } from './published-document.ts';
import { callResource, isOver, recordingResource, type StandingCall } from './standing-call.ts';

export const accountSid = `AC${'0123456789abcdef'.repeat(2)}`;
export const authToken = 'f0e1d2c3b4a5968778695a4b3c2d1e0f';
export const apiKey = { sid: `SK${'fedcba9876543210'.repeat(2)}`, secret: 'the secret of the key' };

export type StandInOptions = Partial<Omit<ExchangeOptions, 'accountSid' | 'authToken'>> & {
  /** The maximum of concurrent calls; further ones are refused with 429. */
  maxLines?: number | undefined;
};

/** A fault that replaces the regular answer to a request to dial. */
export type Fault =
  | { kind: 'answer'; status: number; code: number }
  /** The connection breaks before Twilio creates the call. */
  | { kind: 'drop_before' }
  /** The connection breaks after Twilio has created the call. */
  | { kind: 'drop_after' }
  /** The call is created, and the answer is delayed. */
  | { kind: 'answer_late'; at: Promise<void> };

/** `drop_before` and `drop_after`: the connection breaks before or after the call is canceled. */
export type CancelCourse = 'answer' | 'drop_before' | 'drop_after';

export interface TwilioStandIn extends Omit<Exchange, 'update' | 'dialNow' | 'close'> {
  readonly url: string;
  /** All requests so far, as `POST /2010-…`. */
  readonly requests: readonly string[];
  /** Our ids of the created calls. */
  callIds(): string[];
  /** The call with our id. */
  callOf(callId: string): StandingCall | undefined;
  live(): number;
  /** Faults for the next requests to dial, one after the other. */
  fail(...faults: Fault[]): void;
  /** If set, look-ups are answered with this status. */
  failLookUps(status: number | null): void;
  /** Dials the next call just before the request to cancel it is handled. */
  dialBeforeCancel(): void;
  /** The course of the next request to cancel a call; called on its arrival, before it has any effect. */
  atNextCancel(decide: () => CancelCourse): void;
  restart(): Promise<void>;
  /** Stops listening; calls continue. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  /** Ends a call, as if the person hung up or the instructions ended. */
  end(call: StandingCall): void;
  /** Cancels a call, as a person does in Twilio's console. */
  cancel(call: StandingCall): void;
  /** Throws if a request did not conform to Twilio's published document. */
  close(): Promise<void>;
}

/**
 * Simulates the part of Twilio's API for calls and recordings that this service uses, in real time and over real HTTP. Checks each request against
 * Twilio's published document, if it is available.
 */
export async function startTwilioStandIn(options: StandInOptions = {}): Promise<TwilioStandIn> {
  const document = readPublishedDocument();
  const faults: string[] = [];
  const requests: string[] = [];
  const exchange = openExchange({ ringMs: 20, talkMs: 30, ...options, accountSid, authToken });
  let toFail: Fault[] = [];
  let lookUpStatus: number | null = null;
  let dialsBeforeCancel = false;
  let courseOfCancel: () => CancelCourse = () => 'answer';
  const account = `/2010-04-01/Accounts/${accountSid}`;
  const basic = (user: string, password: string) =>
    `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const authorizations = [basic(accountSid, authToken), basic(apiKey.sid, apiKey.secret)];

  function shown(call: StandingCall): object {
    const resource = callResource(call);
    faults.push(...(document?.resourceFaults('api.v2010.account.call', resource) ?? []));
    return resource;
  }

  async function answer(req: http.IncomingMessage, res: http.ServerResponse): Promise<void> {
    const url = new URL(req.url ?? '/', 'http://stand-in');
    const form = new URLSearchParams(await bodyOf(req));
    const method = req.method === 'POST' ? 'POST' : 'GET';
    requests.push(`${method} ${url.pathname}`);
    if (!authorizations.includes(req.headers.authorization ?? '')) return refuse(res, 401, 20003);
    const media = /\/Recordings\/(RE[0-9a-f]{32})\.wav$/.exec(url.pathname);
    if (media) return sendAudio(req, res, media[1] ?? '');
    const checked = { method, path: url.pathname, query: url.searchParams, form } as const;
    faults.push(...(document?.requestFaults(checked) ?? []));
    if (url.pathname === `${account}/Calls.json`) {
      return method === 'POST' ? create(form, res) : list(url, res);
    }
    const [, sid = '', recordings] =
      new RegExp(`^${account}/Calls/(CA[0-9a-f]{32})(/Recordings)?\\.json$`).exec(url.pathname) ?? [];
    const call = exchange.calls.get(sid);
    if (!call) return refuse(res, 404, 20404);
    if (lookUpStatus !== null && method === 'GET') return refuse(res, lookUpStatus, null);
    if (recordings !== undefined) return listRecordings(call, url, res);
    if (method === 'GET') return send(res, 200, shown(call));
    const status = form.get('Status');
    if (status !== 'canceled' && status !== 'completed') return refuse(res, 400, 20001);
    if (status === 'completed') return answerUpdate(res, call, exchange.update(call, status));
    return cancel(call, res);
  }

  function cancel(call: StandingCall, res: http.ServerResponse): void {
    const course = courseOfCancel();
    courseOfCancel = () => 'answer';
    if (course === 'drop_before') return void res.destroy();
    if (dialsBeforeCancel) exchange.dialNow(call);
    dialsBeforeCancel = false;
    const updated = exchange.update(call, 'canceled');
    if (course === 'drop_after') return void res.destroy();
    answerUpdate(res, call, updated);
  }

  function answerUpdate(res: http.ServerResponse, call: StandingCall, updated: boolean): void {
    if (updated) send(res, 200, shown(call));
    else refuse(res, 400, 21220);
  }

  function create(form: URLSearchParams, res: http.ServerResponse): void {
    const fault = toFail.shift();
    if (fault?.kind === 'drop_before') return void res.destroy();
    if (fault?.kind === 'answer') return refuse(res, fault.status, fault.code);
    if (options.maxLines !== undefined && live() >= options.maxLines) return refuse(res, 429, 20429, '1');
    const to = form.get('To') ?? '';
    if (to.endsWith('96')) return refuse(res, 400, 21211);
    const call = exchange.create(form);
    if (fault?.kind === 'drop_after') return void res.destroy();
    if (fault?.kind === 'answer_late') return void fault.at.then(() => send(res, 201, shown(call)));
    send(res, 201, shown(call));
  }

  function list(url: URL, res: http.ServerResponse): void {
    if (lookUpStatus !== null) return refuse(res, lookUpStatus, null);
    const wanted = (call: StandingCall) =>
      ['To', 'From'].every((name) => {
        const value = url.searchParams.get(name);
        return value === null || call.form.get(name) === value;
      });
    const calls = [...exchange.calls.values()].filter(wanted).toReversed().map(shown);
    send(res, 200, { calls, ...onePage(url, calls.length) });
  }

  function listRecordings(call: StandingCall, url: URL, res: http.ServerResponse): void {
    const recordings = call.recordingSid === null ? [] : [recordingResource(call, call.recordingSid)];
    for (const one of recordings) {
      faults.push(...(document?.resourceFaults('api.v2010.account.call.call_recording', one) ?? []));
    }
    send(res, 200, { recordings, ...onePage(url, recordings.length) });
  }

  function sendAudio(req: http.IncomingMessage, res: http.ServerResponse, sid: string): void {
    const known = [...exchange.calls.values()].some((call) => call.recordingSid === sid);
    if (!known) return refuse(res, 404, 20404);
    const audio = simulatedRecording();
    const range = /^bytes=(\d+)-(\d*)$/.exec(req.headers.range ?? '');
    if (!range) {
      res.writeHead(200, { 'content-type': 'audio/x-wav', 'content-length': audio.length }).end(audio);
      return;
    }
    const start = Number(range[1]);
    const end = range[2] ? Math.min(Number(range[2]), audio.length - 1) : audio.length - 1;
    res
      .writeHead(206, {
        'content-type': 'audio/x-wav',
        'content-length': end - start + 1,
        'content-range': `bytes ${start}-${end}/${audio.length}`,
      })
      .end(audio.subarray(start, end + 1));
  }

  const live = () => [...exchange.calls.values()].filter((call) => !isOver(call)).length;
  const listen = (port: number) =>
    new Promise<http.Server>((resolve) => {
      const server = http.createServer((req, res) => {
        answer(req, res).catch((error: unknown) => {
          faults.push(String(error));
          res.destroy();
        });
      });
      server.listen(port, '127.0.0.1', () => resolve(server));
    });
  const shut = (server: http.Server) =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });

  // Of those that no connection gets while Twilio is away.
  const port = await freePort();
  let server = await listen(port);
  return {
    url: `http://127.0.0.1:${port}`,
    calls: exchange.calls,
    deliveries: exchange.deliveries,
    send: (callback) => exchange.send(callback),
    setPace: (callsPerSecond) => exchange.setPace(callsPerSecond),
    refuse: (decide) => exchange.refuse(decide),
    settled: () => exchange.settled(),
    requests,
    callIds: () => [...exchange.calls.values()].map(callIdOf),
    callOf: (callId) => [...exchange.calls.values()].find((call) => callIdOf(call) === callId),
    live,
    fail(...next) {
      toFail = next;
    },
    failLookUps(status) {
      lookUpStatus = status;
    },
    dialBeforeCancel() {
      dialsBeforeCancel = true;
    },
    atNextCancel(decide) {
      courseOfCancel = decide;
    },
    create: (form) => exchange.create(form),
    end: (call) => void exchange.update(call, 'completed'),
    cancel: (call) => void exchange.update(call, 'canceled'),
    async restart() {
      await shut(server);
      server = await listen(port);
    },
    goAway: () => shut(server),
    async comeBack() {
      server = await listen(port);
    },
    async close() {
      await exchange.close();
      await shut(server);
      if (faults.length > 0) {
        throw new Error(`Twilio would have refused:\n  ${faults.slice(0, 10).join('\n  ')}`);
      }
    },
  };
}

/** Twilio stores no id of ours with a call; the URL of its callbacks has it. */
function callIdOf(call: StandingCall): string {
  return new URL(call.form.get('StatusCallback') ?? 'none:').searchParams.get('call_id') ?? '';
}

function onePage(url: URL, count: number): object {
  const uri = `${url.pathname}${url.search}`;
  return {
    page: 0,
    page_size: 50,
    start: 0,
    end: Math.max(0, count - 1),
    uri,
    first_page_uri: uri,
    next_page_uri: null,
    previous_page_uri: null,
  };
}

function send(res: http.ServerResponse, status: number, json: object): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
}

function refuse(res: http.ServerResponse, status: number, code: number | null, retryAfter?: string): void {
  if (retryAfter !== undefined) res.setHeader('retry-after', retryAfter);
  send(res, status, {
    status,
    message: 'refused by the stand-in',
    ...(code !== null && { code, more_info: `https://www.twilio.com/docs/errors/${code}` }),
  });
}

async function bodyOf(req: http.IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of req) {
    // Without an encoding, the stream emits buffers.
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}
