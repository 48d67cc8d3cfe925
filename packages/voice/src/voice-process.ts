import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { deleteVoiceProcess, findVoiceCall, listReservedVoiceCalls, saveVoiceHeartbeat } from '@outdial/db';
import { relayPath, streamPath } from '@outdial/providers/environment';
import { type CallScope, startLoop } from '@outdial/runtime';
import { loadVoiceActivity } from './activity/voice-activity.ts';
import { frameMs } from './audio/mu-law.ts';
import type { RunningCall } from './call/call-parts.ts';
import { createPreparedCalls, type PreparedCalls } from './call/prepared-calls.ts';
import { type MediaServer, serveMedia } from './legs/media-server.ts';
import { asteriskTransport, webTransport } from './legs/transports.ts';
import { judgeHandshake } from './legs/twilio/handshake.ts';
import { silenceWhileSaying } from './legs/twilio/relay-leg.ts';
import { longestWebMessage } from './legs/web/web-leg.ts';
import { timedFirst } from './metrics/voice-metrics.ts';
import { createModelEndpoints } from './models/endpoints.ts';
import { speak } from './models/text-to-speech.ts';
import { type Connections, createConnections } from './process/accept-connections.ts';
import { mediaOf, type ProcessContext } from './process/process-context.ts';
import { createSelfReportedCalls } from './process/self-reported-calls.ts';
import type { VoiceProcessDeps } from './process/voice-process-deps.ts';
import { openSpool } from './recorder/spool.ts';
import { type Retry, withRetries } from './with-retries.ts';

export interface RunningVoiceProcess {
  url: string;
  port: number;
  calls(): number;
  /** Stops accepting calls and waits for those that ring or run. When the signal aborts, says goodbye to the rest, and cuts them after `farewellMs`. */
  drain(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** How long the sentence may take with which calls end when the process does. */
export const farewellMs = 6_000;
const webPath = '/web';
const heartbeatMs = 2_000;
/** How long results wait for a database that is away. A stored recording whose call does not name it is removed after an hour. */
const outageMs = 1_800_000;
/** How often the process looks for ringing calls. Telephones ring for longer. */
const prepareEveryMs = 500;

/** Runs calls between media connections and models. */
export async function startVoiceProcess(args: VoiceProcessDeps): Promise<RunningVoiceProcess> {
  const { db, log, metrics } = args;
  const retry: Retry = (callId, work) => {
    const giveUpAt = args.nowMs() + outageMs;
    return withRetries(work, {
      onFailure: (err, tried) => log.warn({ err, call_id: callId, tried }, 'a call could not be recorded'),
      goesOn: () => !isCut && args.nowMs() < giveUpAt,
    });
  };
  const deps: VoiceProcessDeps = {
    ...args,
    record: (report) => retry(report.callId, () => args.record(report)),
  };
  const id = randomUUID();
  const createVoiceActivity = await loadVoiceActivity();
  const spool = await openSpool();
  const running = new Map<string, RunningCall>();
  let isDraining = false;
  let isCut = false;
  const models = createModelEndpoints({
    endpoints: deps.endpoints,
    nowMs: deps.nowMs,
    ...(deps.connections && { connections: deps.connections }),
    onFailure(endpoint, isRefusal) {
      metrics?.endpointFailed(endpoint, isRefusal);
      updateMetrics();
    },
  });
  const selfReported = createSelfReportedCalls({ db, processId: id, record: args.record, retry });
  const context: ProcessContext = {
    deps,
    processId: id,
    models,
    createVoiceActivity,
    spoolFolder: spool.folder,
    selfReported,
    retry,
    running,
    isCut: () => isCut,
    synthesize: (voice, text, signal) =>
      mediaOf(voice) === 'text'
        ? silenceWhileSaying(text)
        : timedFirst(speak(models, voice.tts, text, signal), deps.nowMs, (ms) => metrics?.took('speech', ms)),
  };
  const preparedCalls = prepareCalls(context);
  const connections = createConnections(context, preparedCalls);
  const server = await serveCalls(deps, connections);
  const url = publicUrl(deps, server.port);

  function updateMetrics(): void {
    metrics?.state({
      activeCalls: running.size,
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
      activeCalls: running.size,
      draining: isDraining,
      endpointsDown: models.down(),
    });
  }

  const ticker = setInterval(() => {
    // Runs after pending input is read. Otherwise a process that stalled would take unread audio for silence.
    setImmediate(() => {
      for (const call of running.values()) call.tick();
    });
  }, frameMs);

  const heartbeat = startLoop({
    name: 'voice heartbeat',
    log,
    // With backoff, at most three seconds. After an outage of Postgres, calls of a process without a heartbeat count as lost.
    retryAfterMs: 100,
    async runOnce() {
      updateMetrics();
      await saveHeartbeat();
      for (const callId of await selfReported.listToEnd([...running.keys()])) {
        running.get(callId)?.cut('hung_up');
      }
    },
    waitMs: () => heartbeatMs,
  });

  const preparation = startLoop({
    name: 'ringing calls',
    log,
    runOnce: () => preparedCalls.poll(),
    waitMs: () => prepareEveryMs,
  });

  function stopAccepting(): void {
    isDraining = true;
    isCut = true;
    server.stopAccepting();
  }

  /** Ends running calls, and those that are answered from now on. */
  function cut(): void {
    stopAccepting();
    for (const call of running.values()) call.cut('process_ended');
  }

  /** Says goodbye to the people in running calls, and cuts the calls that have not ended by then. */
  function sayFarewells(): void {
    stopAccepting();
    for (const call of running.values()) call.sayFarewell('process_ended');
    void delay(farewellMs, undefined, { ref: false }).then(cut);
  }

  /** The token of a ringing call names this process, so no other one can answer it. */
  async function untilNoneRings(signal: AbortSignal): Promise<void> {
    // Once this is saved, no new calls are sent here. If it fails, the heartbeat loop retries it.
    await saveHeartbeat().catch(() => heartbeat.wake());
    while (!signal.aborted) {
      await connections.idle();
      const reserved = await listReservedVoiceCalls(db, id).catch(() => null);
      if (reserved?.length === 0) return;
      await delay(prepareEveryMs, undefined, { signal }).catch(() => undefined);
    }
  }

  return {
    url,
    port: server.port,
    calls: () => running.size,
    async drain(signal) {
      isDraining = true;
      signal.addEventListener('abort', sayFarewells, { once: true });
      if (signal.aborted) sayFarewells();
      await untilNoneRings(signal);
      await connections.idle();
    },
    async close() {
      cut();
      await connections.idle();
      clearInterval(ticker);
      await heartbeat.stop();
      await preparation.stop();
      preparedCalls.close();
      await spool.remove();
      await server.close();
      await deleteVoiceProcess(db, id).catch(() => undefined);
    },
  };
}

function prepareCalls({ deps, processId, models, synthesize }: ProcessContext): PreparedCalls {
  return createPreparedCalls({
    listReserved: () => listReservedVoiceCalls(deps.db, processId),
    find: (scope) => findVoiceCall(deps.db, scope),
    open: (call, notes) => deps.openConversation({ call, models, note: (note) => notes.add(note) }),
    warm({ voice }) {
      // A realtime session opens its own connection, and in the mode relay the carrier recognizes and synthesizes speech.
      if (voice.mode === 'cascade') models.warm([voice.stt, voice.llm, voice.tts]);
      if (voice.mode === 'relay') models.warm([voice.llm]);
    },
    speak: ({ voice }, text, signal) => synthesize(voice, text, signal),
    log: deps.log,
  });
}

async function serveCalls(deps: VoiceProcessDeps, connections: Connections): Promise<MediaServer> {
  const { log, nowMs } = deps;
  const server: MediaServer = await serveMedia<CallScope>({
    host: deps.host,
    port: deps.port,
    paths: [
      { path: '/asterisk' },
      { path: webPath, longestMessage: longestWebMessage, allowedOrigins: deps.webOrigins ?? null },
    ],
    authorize: (token) => connections.authorize(token),
    open: (path, socket, scope) =>
      connections.accept(
        socket,
        scope,
        path === webPath ? webTransport(socket, nowMs) : asteriskTransport(socket),
      ),
    unidentified: {
      paths: [streamPath, relayPath],
      // The token authorizes the call. The signature keeps out clients that have no token.
      judge: (path, headers) =>
        judgeHandshake(
          headers['x-twilio-signature'],
          `${publicUrl(deps, server.port)}${path}`,
          deps.isTwilio ?? null,
        ),
      open: (path, socket) =>
        connections.identify(path, socket).catch((error: unknown) => {
          log.error({ err: error }, 'a connection from Twilio failed');
          return false;
        }),
    },
  });
  return server;
}

const publicUrl = ({ url, host }: VoiceProcessDeps, port: number): string => url ?? `ws://${host}:${port}`;
