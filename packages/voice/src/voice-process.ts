import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { AgentVoice } from '@outdial/contracts';
import { findVoiceCall, deleteVoiceProcess, listReservedVoiceCalls, saveVoiceHeartbeat } from '@outdial/db';
import { relayPath, streamPath } from '@outdial/providers/environment';
import { type CallScope, startLoop } from '@outdial/runtime';
import { loadVoiceActivity } from './activity/voice-activity.ts';
import type { RunningCall } from './call/call-parts.ts';
import { createPreparedCalls } from './call/prepared-calls.ts';
import { serveMedia } from './legs/media-server.ts';
import { judgeHandshake } from './legs/twilio/handshake.ts';
import { silenceWhileSaying } from './legs/twilio/relay-leg.ts';
import { asterisk, page } from './legs/ways.ts';
import { admitsOrigins, createWebCalls } from './legs/web/web-calls.ts';
import { longestWebMessage } from './legs/web/web-leg.ts';
import { timedFirst } from './metrics/voice-metrics.ts';
import { createModelEndpoints } from './models/endpoints.ts';
import { speak } from './models/text-to-speech.ts';
import { carriedBy } from './process/calls-of-process.ts';
import { createConnections } from './process/take-connection.ts';
import type { VoiceProcessDeps } from './process/voice-process-deps.ts';
import { openSpool } from './recorder/spool.ts';
import { frameMs } from './turn/turn-settings.ts';

export interface RunningVoiceProcess {
  url: string;
  port: number;
  calls(): number;
  /** Takes no further call, and lets those that ring or go on end; what is left when the signal aborts is cut. */
  drain(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Where browsers connect; carriers have paths of their own. */
const webPath = '/web';
const heartbeatMs = 2_000;
/** How soon after its placing a call is prepared; telephones ring for longer. */
const lookMs = 500;

/** Carries calls: media connections on one side, models on the other. */
export async function startVoiceProcess(deps: VoiceProcessDeps): Promise<RunningVoiceProcess> {
  const { db, log, nowMs } = deps;
  const id = randomUUID();
  const detector = await loadVoiceActivity();
  const spool = await openSpool();
  const { metrics } = deps;
  const models = createModelEndpoints({
    endpoints: deps.endpoints,
    nowMs,
    ...(deps.connections && { connections: deps.connections }),
    onFailure(endpoint, isRefusal) {
      metrics?.endpointFailed(endpoint, isRefusal);
      tellState();
    },
  });
  const calls = new Map<string, RunningCall>();
  const web = createWebCalls({ db, processId: id, record: deps.record });
  let isDraining = false;
  let isCut = false;
  const say = (voice: AgentVoice, text: string, signal: AbortSignal) =>
    carriedBy(voice) === 'words'
      ? silenceWhileSaying(text)
      : timedFirst(speak(models, voice.tts, text, signal), nowMs, (ms) => metrics?.took('speech', ms));
  const preparedCalls = createPreparedCalls({
    awaited: () => listReservedVoiceCalls(db, id),
    find: (scope) => findVoiceCall(db, scope),
    open: (call, notes) => deps.openConversation({ call, models, note: (note) => notes.take(note) }),
    warm({ voice }) {
      // What hears and speaks by one model has its own connection, and a carrier hears and speaks itself.
      if (voice.mode === 'cascade') models.warm([voice.stt, voice.llm, voice.tts]);
      if (voice.mode === 'relay') models.warm([voice.llm]);
    },
    speak: (opened, text, signal) => say(opened.voice, text, signal),
    log,
  });
  const connections = createConnections(
    {
      deps,
      processId: id,
      models,
      detector,
      spoolFolder: spool.folder,
      web,
      running: calls,
      isCut: () => isCut,
      say,
    },
    preparedCalls,
  );

  const server = await serveMedia<CallScope>({
    host: deps.host,
    port: deps.port,
    paths: [
      { path: '/asterisk' },
      { path: webPath, longestMessage: longestWebMessage, admits: admitsOrigins(deps.webOrigins ?? null) },
    ],
    strangers: {
      paths: [streamPath, relayPath],
      // Who has the token has the call; the signature keeps out those who have none.
      judge: (path, headers) =>
        judgeHandshake(headers['x-twilio-signature'], `${publicUrl()}${path}`, deps.isTwilio ?? null),
      open: (path, socket) =>
        connections.answerStranger(path, socket).catch((error: unknown) => {
          log.error({ err: error }, 'a connection of Twilio could not be carried');
          return false;
        }),
    },
    authorize: (token) => connections.authorize(token),
    open: (path, socket, scope) =>
      connections.carryOrEnd(socket, scope, path === webPath ? page(socket, nowMs) : asterisk(socket)),
  });
  const url = publicUrl();

  function tellState(): void {
    metrics?.state({
      activeCalls: calls.size,
      capacity: deps.capacity,
      endpoints: deps.endpoints.keys(),
      down: models.down(),
    });
  }

  function saveHeartbeat(): Promise<void> {
    return saveVoiceHeartbeat(db, {
      id,
      url,
      webUrl: deps.webUrl ?? null,
      capacity: deps.capacity,
      activeCalls: calls.size,
      draining: isDraining,
      endpointsDown: models.down(),
    });
  }

  function publicUrl(): string {
    return deps.url ?? `ws://${deps.host}:${server.port}`;
  }

  // After what has arrived was read: a loop that was held up must not take it for silence.
  const ticker = setInterval(() => {
    setImmediate(() => {
      for (const call of calls.values()) call.tick();
    });
  }, frameMs);

  const heartbeat = startLoop({
    name: 'voice heartbeat',
    log,
    // Three seconds at most: after an outage of Postgres, calls of a process that is not heard of count as lost.
    retryAfterMs: 100,
    async runOnce() {
      tellState();
      await saveHeartbeat();
      for (const callId of await web.toEnd([...calls.keys()])) calls.get(callId)?.cut('hung_up');
    },
    waitMs: () => heartbeatMs,
  });

  const lookAhead = startLoop({
    name: 'calls that ring',
    log,
    runOnce: () => preparedCalls.look(),
    waitMs: () => lookMs,
  });

  /** Those that are answered after this end at once. */
  function cut(): void {
    isDraining = true;
    isCut = true;
    server.stopTaking();
    for (const call of calls.values()) call.cut('process_ended');
  }

  /** Calls that ring here can be answered nowhere else: their tokens name this process. */
  async function untilNoneRings(signal: AbortSignal): Promise<void> {
    // Calls are sent here until this is known; the loop tells it again.
    await saveHeartbeat().catch(() => heartbeat.wake());
    while (!signal.aborted) {
      await connections.ended();
      const awaited = await listReservedVoiceCalls(db, id).catch(() => null);
      if (awaited?.length === 0) return;
      await delay(lookMs, undefined, { signal }).catch(() => undefined);
    }
  }

  return {
    url,
    port: server.port,
    calls: () => calls.size,
    async drain(signal) {
      isDraining = true;
      signal.addEventListener('abort', cut, { once: true });
      if (signal.aborted) cut();
      await untilNoneRings(signal);
      await connections.ended();
    },
    async close() {
      cut();
      await connections.ended();
      clearInterval(ticker);
      await heartbeat.stop();
      await lookAhead.stop();
      preparedCalls.close();
      await spool.remove();
      await server.close();
      await deleteVoiceProcess(db, id).catch(() => undefined);
    },
  };
}
