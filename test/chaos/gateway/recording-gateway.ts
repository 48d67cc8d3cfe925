import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import type { Behaviour, PostReaction } from './behaviour.ts';
import { monotonicEpochMs, type PostAnswer, type SeenCall } from './dial-log.ts';
import { createEventSender, type EventSender } from './event-sender.ts';

/** A voice gateway that records every request, to observe the engine from outside. It is never killed, and is idempotent by call id. */
export interface RecordingGateway {
  url: string;
  secret: string;
  calls: ReadonlyMap<string, SeenCall>;
  /** Requests with an invalid signature. There should be none. */
  unsigned: readonly string[];
  events: EventSender;
  behaviour: Behaviour;
  /** While true, the gateway drops each connection before it reads anything. */
  isDown: boolean;
  /** How far the gateway's clock was turned forward. */
  readonly aheadMs: number;
  /**
   * Turns the clock forward, so that earlier signatures are too old. Records the instant of the turn, because the machine's clock does not change.
   * Signatures have whole seconds, and one from the second of the turn counts as later, so no call may be in transit during the turn.
   */
  turnForward(byMs: number): void;
  /** Ends a call on the test's command. */
  end(callId: string, outcome: string): void;
  close(): Promise<void>;
}

const placement = z.object({
  call_id: z.uuid(),
  organization_id: z.uuid(),
  campaign_id: z.uuid().nullable(),
  attempt: z.int(),
  to_phone: z.string(),
  events_url: z.url(),
});

interface LiveCall extends SeenCall {
  eventsUrl: string;
  state: 'accepted' | 'ringing' | 'answered' | 'ended';
  talkedMs: number;
}

export async function startRecordingGateway(behaviour: Behaviour): Promise<RecordingGateway> {
  const secret = `whsec_${Buffer.from(randomUUID() + randomUUID()).toString('base64')}`;
  const webhook = new Webhook(secret);
  const calls = new Map<string, LiveCall>();
  const postsOfAttempt = new Map<string, number>();
  const unsigned: string[] = [];
  const events = createEventSender(webhook);
  const timers = new Set<NodeJS.Timeout>();
  let aheadMs = 0;
  let turnedInSecond = 0;
  const nowMs = () => monotonicEpochMs() + aheadMs;

  function later(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, ms);
    timers.add(timer);
  }

  function tell(call: LiveCall, type: string, data?: object): void {
    const delivery = gateway.behaviour.script(call)?.delivery(type) ?? { times: 0, delaysMs: [] };
    const event = {
      event_id: randomUUID(),
      type,
      call_id: call.callId,
      occurred_at: new Date(nowMs()).toISOString(),
      ...(data && { data }),
    };
    for (let n = 0; n < delivery.times; n++) {
      later(delivery.delaysMs[n] ?? 0, () => events.send(call.eventsUrl, event));
    }
  }

  function accept(call: LiveCall): void {
    if (call.acceptedAtMs !== null) return;
    call.acceptedAtMs = nowMs();
    const script = gateway.behaviour.script(call);
    if (!script) return;
    call.state = 'ringing';
    tell(call, 'call.ringing');
    later(script.ringMs, () => {
      if (script.talkMs === null) return finish(call, script.outcome, 0);
      if (call.state === 'ended') return;
      call.state = 'answered';
      tell(call, 'call.answered');
      const { talkMs } = script;
      later(talkMs, () => finish(call, script.outcome, talkMs));
    });
  }

  function finish(call: LiveCall, outcome: string, talkedMs: number): void {
    if (call.state === 'ended') return;
    call.state = 'ended';
    call.talkedMs = talkedMs;
    call.outcome = outcome;
    call.endedAtMs = nowMs();
    tell(call, 'call.ended', endData(call));
  }

  function post(body: string, request: IncomingMessage, response: ServerResponse): void {
    const asked = placement.parse(JSON.parse(body));
    const known = calls.get(asked.call_id);
    const call = known ?? newCall(asked);
    calls.set(call.callId, call);
    const note = (answer: PostAnswer) => call.posts.push({ atMs: nowMs(), answer });
    // Under any id, because an attempt that was deferred comes back as another call.
    const attempt = `${call.campaignId} ${call.toPhone} ${call.attempt}`;
    const earlier = postsOfAttempt.get(attempt) ?? 0;
    postsOfAttempt.set(attempt, earlier + 1);
    const reaction = gateway.behaviour.post(call, earlier);
    if (call.acceptedAtMs !== null && reaction.kind !== 'drop') {
      note('repeated');
      return json(response, 409, { conversation_id: `conv-${call.callId}` });
    }
    react(reaction, { call, note, request, response });
  }

  function react(
    reaction: PostReaction,
    on: {
      call: LiveCall;
      note: (answer: PostAnswer) => void;
      request: IncomingMessage;
      response: ServerResponse;
    },
  ): void {
    const { call, note, request, response } = on;
    switch (reaction.kind) {
      case 'accept':
        note('accepted');
        accept(call);
        return later(reaction.answerAfterMs ?? 0, () =>
          json(response, 201, { conversation_id: `conv-${call.callId}` }),
        );
      case 'drop':
        note(reaction.accepts ? 'dropped_after' : 'dropped_before');
        if (reaction.accepts) accept(call);
        request.socket.destroy();
        return;
      case 'fail':
        note(reaction.accepts ? 'failed_after' : 'failed_before');
        if (reaction.accepts) accept(call);
        return json(response, 500, {});
      case 'defer':
        note('deferred');
        response.setHeader('retry-after', String(reaction.retryAfterSeconds));
        return json(response, reaction.status, {});
      case 'refuse':
        note('refused');
        return json(response, reaction.status, {});
    }
  }

  function question(method: 'GET' | 'DELETE', callId: string, response: ServerResponse): void {
    const call = calls.get(callId);
    if (call === undefined || call.acceptedAtMs === null) return json(response, 404, {});
    if (method === 'DELETE' && call.state !== 'ended') {
      call.state = 'ended';
      call.hungUp = true;
      call.outcome = 'completed';
      call.endedAtMs = nowMs();
    }
    const data = call.state === 'ended' ? { data: endData(call) } : {};
    json(response, 200, { state: call.state, conversation_id: `conv-${callId}`, ...data });
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (gateway.isDown) {
      request.socket.destroy();
      return;
    }
    const body = await textOf(request);
    try {
      webhook.verify(body, flat(request), { jsonParse: false });
    } catch {
      unsigned.push(`${request.method} ${request.url}`);
      return json(response, 401, {});
    }
    const signedInSecond = Number(request.headers['webhook-timestamp']);
    if (request.method === 'POST' && signedInSecond < turnedInSecond) {
      unsigned.push(`${request.method} ${request.url}, signed before the clock was turned forward`);
      return json(response, 401, {});
    }
    const callId = /^\/calls\/([^/]+)$/.exec(request.url ?? '')?.[1];
    if (request.method === 'POST' && request.url === '/calls') return post(body, request, response);
    if ((request.method === 'GET' || request.method === 'DELETE') && callId !== undefined) {
      return question(request.method, callId, response);
    }
    json(response, 404, {});
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const gateway: RecordingGateway = {
    url: `http://127.0.0.1:${port}`,
    secret,
    calls,
    unsigned,
    events,
    behaviour,
    isDown: false,
    get aheadMs() {
      return aheadMs;
    },
    turnForward(byMs) {
      turnedInSecond = Math.floor(Date.now() / 1_000);
      aheadMs += byMs;
    },
    end(callId, outcome) {
      const call = calls.get(callId);
      if (call) finish(call, outcome, 0);
    },
    async close() {
      for (const timer of timers) clearTimeout(timer);
      await events.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return gateway;
}

function newCall(asked: z.output<typeof placement>): LiveCall {
  return {
    callId: asked.call_id,
    organizationId: asked.organization_id,
    campaignId: asked.campaign_id,
    attempt: asked.attempt,
    toPhone: asked.to_phone,
    posts: [],
    acceptedAtMs: null,
    endedAtMs: null,
    outcome: null,
    hungUp: false,
    eventsUrl: asked.events_url,
    state: 'accepted',
    talkedMs: 0,
  };
}

function endData(call: LiveCall): object {
  return { outcome: call.outcome, duration: call.talkedMs / 1000, external_status: 'recorded' };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  // No encoding was set on the stream, so it gives buffers.
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function flat(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
