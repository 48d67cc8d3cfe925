import { randomUUID } from 'node:crypto';
import type { AgentVoice } from '@outdial/contracts';
import {
  engineNow,
  findVoiceCall,
  forgetVoiceProcess,
  forgetRecording,
  hasRecording,
  hasRoomToRecord,
  holdVoiceCall,
  intendRecording,
  listAwaitedVoiceCalls,
  releaseVoiceCall,
  saveVoiceHeartbeat,
  type Db,
  type VoiceCall,
} from '@outdial/db';
import { type FileStore, recordingKey, type TelephonyProvider } from '@outdial/core';
import { beginTransfer, type CallReport, endTransfer } from '@outdial/engine';
import { relayPath, streamPath } from '@outdial/providers/environment';
import { type CallScope, type CallTokens, startLoop, type VoiceEndpoints } from '@outdial/runtime';
import type { Dispatcher } from 'undici';
import type { WebSocket } from 'ws';
import { loadVoiceActivity } from './activity/voice-activity.ts';
import { createAdmission } from './call/admission.ts';
import { tellFacts } from './call/call-facts.ts';
import { keepCall } from './call/call-keeper.ts';
import { type CallNotes, collectNotes } from './call/call-notes.ts';
import { listensForMachine } from './call/listens-for-machine.ts';
import { lineOfCall } from './call/line-of-call.ts';
import { createPreparedCalls, type Opened } from './call/prepared-calls.ts';
import type { RenderedSpeech } from './call/rendered-speech.ts';
import { runCall, type RunningCall } from './call/run-call.ts';
import { settleCall } from './call/settle-call.ts';
import { turnSettingsOf } from './call/turn-settings-of.ts';
import type { Conversation } from './conversation/conversation.ts';
import type { OpenedConversation } from './conversation/open-conversation.ts';
import { serveMedia } from './legs/media-server.ts';
import { type IsTwilio, judgeHandshake } from './legs/twilio/handshake.ts';
import { silenceWhileSaying } from './legs/twilio/relay-leg.ts';
import { asterisk, page, twilioWay, type WayToPerson } from './legs/ways.ts';
import { admitsOrigins, createWebCalls } from './legs/web/web-calls.ts';
import { longestWebMessage } from './legs/web/web-leg.ts';
import { createModelEndpoints, type ModelEndpoints } from './models/endpoints.ts';
import { transcribe } from './models/speech-to-text.ts';
import { speak } from './models/text-to-speech.ts';
import { phrasesFor } from './call/phrases.ts';
import { type RefusalReason, timedFirst, type VoiceMetrics } from './metrics/voice-metrics.ts';
import { type CallRecorder, recordCall } from './recorder/call-recorder.ts';
import { openSpool } from './recorder/spool.ts';
import type { CallNote } from './tools/index.ts';
import { frameMs } from './turn/turn-settings.ts';

export interface VoiceProcessDeps {
  db: Db;
  log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
  tokens: CallTokens;
  endpoints: VoiceEndpoints;
  /** Where recordings are kept. */
  files: FileStore;
  host: string;
  port: number;
  /** Where carriers reach this process; null: its own host and port. */
  url: string | null;
  /** Where browsers do, if that is another address. */
  webUrl?: string | null;
  /** Whose pages may talk to agents; null: all. */
  webOrigins?: readonly string[] | null;
  capacity: number;
  longestCallSeconds: number;
  /** How long the target of a transfer rings. */
  ringTimeoutSeconds: number;
  /** Of the row that carries a call; undefined if this process does not know it. */
  providerOf: (name: string) => TelephonyProvider | undefined;
  /** Records what has become of a call. */
  record: (report: CallReport) => Promise<void>;
  openConversation: (args: {
    call: VoiceCall;
    models: ModelEndpoints;
    note: (note: CallNote) => void;
  }) => Promise<OpenedConversation>;
  nowMs: () => number;
  metrics?: VoiceMetrics;
  /** To the endpoints; kept open between requests. */
  connections?: Dispatcher;
  /** Checks signatures of Twilio; null or absent if no auth token is known. */
  isTwilio?: IsTwilio | null;
}

export interface RunningVoiceProcess {
  url: string;
  port: number;
  calls(): number;
  /** Takes no further call, and lets those that go on end; what is left when the signal aborts is cut. */
  drain(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Where browsers connect; carriers have paths of their own. */
const webPath = '/web';
const heartbeatMs = 2_000;
/** How soon after its placing a call is prepared; telephones ring for longer. */
const lookMs = 500;
/** For the other side of a connection that was turned away. */
const closeWithinMs = 2_000;
/** Extract and summary of one call. */
const wrapUpMs = 60_000;

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
  const ending = new Set<Promise<void>>();
  const web = createWebCalls({ db, processId: id, record: deps.record });
  const admission = createAdmission({ tokens: deps.tokens, now: () => engineNow(db), nowMs });
  let isDraining = false;
  const say = (voice: AgentVoice, text: string, signal: AbortSignal) =>
    carriedBy(voice) === 'words'
      ? silenceWhileSaying(text)
      : timedFirst(speak(models, voice.tts, text, signal), nowMs, (ms) => metrics?.took('speech', ms));
  const preparedCalls = createPreparedCalls({
    awaited: () => listAwaitedVoiceCalls(db, id),
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

  /** Twilio says in its first message which call it is. Resolves with whether it is one, as soon as that is known; the call goes on. */
  async function answerStranger(path: string, socket: WebSocket): Promise<boolean> {
    const way = await twilioWay(path, socket, { nowMs, log });
    const scope = way === null ? null : await admission.authorize(way.token);
    if (way === null || scope === null) {
      metrics?.refused('no_call');
      log.warn({ path }, 'a connection names no call');
      return false;
    }
    carryOrEnd(socket, scope, way);
    return true;
  }

  function carryOrEnd(socket: WebSocket, scope: CallScope, way: WayToPerson): void {
    answer(socket, scope, way).catch((error: unknown) => {
      metrics?.refused('error');
      log.error({ err: error, call_id: scope.callId }, 'a call could not be carried');
      turnAway(socket);
      // Should this fail as well, a sweep ends the call.
      web.notCarried(scope.callId).catch(() => undefined);
    });
  }

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
        answerStranger(path, socket).catch((error: unknown) => {
          log.error({ err: error }, 'a connection of Twilio could not be carried');
          return false;
        }),
    },
    authorize: (token) => admission.authorize(token),
    open: (path, socket, scope) =>
      carryOrEnd(socket, scope, path === webPath ? page(socket, nowMs) : asterisk(socket)),
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

  function publicUrl(): string {
    return deps.url ?? `ws://${deps.host}:${server.port}`;
  }

  /** Sound that comes while the call is read from the database waits: the person may say "Hello?" at once. */
  async function answer(socket: WebSocket, scope: CallScope, way: WayToPerson): Promise<void> {
    socket.pause();
    if (!admission.enter(scope.callId)) return turnAway(socket);
    let wasCarried = false;
    try {
      const call = await findVoiceCall(db, scope);
      // A call of the telephone is not answered by a browser, nor the other way round.
      if (call === null || (call.kind === 'web') !== (way.isPage === true)) {
        metrics?.refused('no_call');
        log.warn({ call_id: scope.callId }, 'a media connection is for no call that goes on');
        return turnAway(socket);
      }
      if (call.kind === 'web' && !(await web.claim(call.id))) return turnAway(socket);
      wasCarried = await take(socket, call, way);
    } finally {
      admission.leave(scope.callId, wasCarried);
    }
  }

  /** Resolves when the call is over; false if it could not be carried. */
  async function take(socket: WebSocket, call: VoiceCall, way: WayToPerson): Promise<boolean> {
    if (toldHere(call, way)) {
      web.adopt(call.id);
      await web.answered(call.id);
    }
    const prepared = await preparedCalls.take(call.id);
    const notes = prepared?.notes ?? collectNotes();
    const opened =
      prepared?.opened ?? (await deps.openConversation({ call, models, note: (note) => notes.take(note) }));
    const isRecorded = way.isRecordedHere && opened.kind === 'open' && opened.records;
    await holdVoiceCall(db, { callId: call.id, processId: id, longestSeconds: deps.longestCallSeconds });
    const recorder = isRecorded ? await recorderOf(call, notes) : null;
    const isMisled = opened.kind === 'open' && carriedBy(opened.voice) !== way.carries;
    // Nothing is waited for from here to its leg, which would not learn that the connection has closed.
    if (opened.kind === 'refused' || isMisled || socket.readyState !== socket.OPEN) {
      prepared?.greeting?.drop();
      await recorder?.finish();
      const faults = opened.kind === 'refused' ? opened.faults : [];
      metrics?.refused(refusalOf(opened, isMisled));
      log.warn({ call_id: call.id, faults }, 'a media connection could not be taken');
      turnAway(socket);
      await web.notCarried(call.id);
      return false;
    }
    const greeting = prepared?.greeting ?? null;
    const done = carry({ way, call, opened, notes, greeting, recorder }).finally(() => ending.delete(done));
    ending.add(done);
    socket.resume();
    await done;
    return true;
  }

  async function carry(carried: {
    way: WayToPerson;
    call: VoiceCall;
    opened: Opened;
    notes: CallNotes;
    greeting: RenderedSpeech | null;
    recorder: CallRecorder | null;
  }): Promise<void> {
    const { way, call, notes, greeting, recorder } = carried;
    const { conversation, realtime, voice, greets, disclosure } = carried.opened;
    const scope = { organizationId: call.organizationId, callId: call.id };
    const answeredAt = nowMs();
    recorder?.begin(answeredAt);
    const keeper = keepCall({ db, call, answeredAt, log });
    const facts = tellFacts({ callId: call.id, disclosure, record: deps.record, log });
    if (!greets) facts.connected();
    let running: RunningCall | null = null;
    const early: Array<(call: RunningCall) => void> = [];
    /** What a leg tells while it is opened is told when the call runs. */
    const tell = (what: (call: RunningCall) => void) => {
      if (running === null) early.push(what);
      else what(running);
    };
    const leg = way.open(
      {
        frame: (bytes) => tell((each) => each.frame(bytes)),
        key: (digit) => tell((each) => each.key(digit)),
        said: (text) => tell((each) => each.said(text)),
        interrupted: (heard) => tell((each) => each.interrupted(heard)),
        gone: () => tell((each) => each.gone()),
      },
      { greets },
    );
    running = runCall({
      leg,
      conversation,
      settings: turnSettingsOf(voice, deps),
      activity: detector(),
      wordsSaid: realtime === null ? undefined : (text) => realtime.wordsSaid(text),
      async transcribe(samples, signal) {
        const began = nowMs();
        const text = await (realtime?.transcribe(samples, signal) ??
          transcribe(models, { ...voice.stt, language: voice.language }, samples, signal));
        metrics?.took('recognizer', nowMs() - began);
        return text;
      },
      speak(text, signal) {
        if (text === greeting?.text) return greeting.play(signal);
        return realtime?.speak(text, signal) ?? say(voice, text, signal);
      },
      phrases: phrasesFor(voice.language),
      nowMs,
      greets,
      line: lineOfCall(deps.providerOf(call.provider), {
        id: call.id,
        ringTimeoutSeconds: deps.ringTimeoutSeconds,
        maxCallSeconds: deps.longestCallSeconds,
      }),
      transferLine: {
        async take({ target, to, mode }) {
          const refusal = await beginTransfer(db, { ...scope, toPhone: to });
          if (refusal === null) notes.take({ type: 'transfer_begun', target, mode });
          return refusal;
        },
        release: () =>
          endTransfer(db, scope).catch((error: unknown) =>
            log.warn({ err: error, call_id: call.id }, 'the line of a transfer is held until the call ends'),
          ),
      },
      onTransfer({ target }, end) {
        notes.take(
          end.result === 'refused'
            ? { type: 'transfer_refused', target, reason: end.reason }
            : { type: 'transfer_ended', result: end.result },
        );
      },
      onSound: recorder,
      mayBeMachine: listensForMachine(call.kind, voice),
      onMachine: () => facts.machine(),
      onTurn(turn) {
        keeper.turn(turn);
        metrics?.turn(turn);
        facts.turn(turn);
        leg.turn?.(turn);
      },
      onVoice: () => facts.connected(),
      onWait: (stage, ms) => metrics?.took(stage, ms),
      log,
    });
    calls.set(call.id, running);
    for (const what of early) what(running);
    const { reason, quality } = await running.over;
    calls.delete(call.id);
    const talkMs = nowMs() - answeredAt;
    await settleCall({
      async end() {
        await Promise.all([keeper.written(), facts.recorded()]);
        if (toldHere(call, way)) await web.ended(call.id, { reason, talkMs, transcript: keeper.text() });
        // Not the reason: it may be in the words of the model.
        log.info({ call_id: call.id, turns: quality.turns }, 'a conversation has ended');
      },
      storeRecording: () => recorder?.finish() ?? Promise.resolve(null),
      wrapUp: () => wrapUp(conversation, call),
      record: (wrapped, recordingUrl) =>
        deps.record({
          callId: call.id,
          withoutAcceptance: true,
          facts: [
            {
              kind: 'transcript',
              eventId: `${call.id}:transcript`,
              at: new Date(),
              transcript: keeper.text(),
            },
            ...(recordingUrl === null
              ? []
              : [
                  {
                    kind: 'recording' as const,
                    eventId: `${call.id}:recording`,
                    at: new Date(),
                    recordingUrl,
                  },
                ]),
            ...(wrapped.extract === null
              ? []
              : [
                  {
                    kind: 'extract' as const,
                    eventId: `${call.id}:extract`,
                    at: new Date(),
                    extract: wrapped.extract,
                  },
                ]),
          ],
          notes: [
            ...notes.all(),
            {
              type: 'conversation_ended',
              at: new Date().toISOString(),
              reason,
              quality,
              summary: wrapped.summary,
            },
          ],
        }),
      isRecordingKnown: () => hasRecording(db, scope),
      async removeRecording() {
        await deps.files.remove(recordingKey(call.id));
        await forgetRecording(db, call.id);
      },
      async release() {
        realtime?.close();
        await releaseVoiceCall(db, call.id);
      },
    });
  }

  /** A call that cannot be recorded goes on all the same. */
  async function recorderOf(
    { id: callId, organizationId }: VoiceCall,
    notes: CallNotes,
  ): Promise<CallRecorder | null> {
    const onRefused = () => notes.take({ type: 'recording_refused', reason: 'quota_exceeded' });
    try {
      if (!(await hasRoomToRecord(db, organizationId))) {
        onRefused();
        return null;
      }
      return await recordCall({
        callId,
        folder: spool.folder,
        files: deps.files,
        longestSeconds: deps.longestCallSeconds,
        reserve: (bytes) => intendRecording(db, { organizationId, callId, bytes }),
        giveBack: () => forgetRecording(db, callId),
        onRefused,
        log,
      });
    } catch (error) {
      log.warn({ err: error, call_id: callId }, 'a call cannot be recorded');
      return null;
    }
  }

  async function wrapUp(conversation: Conversation, call: VoiceCall) {
    try {
      return await conversation.wrapUp(AbortSignal.timeout(wrapUpMs));
    } catch (error) {
      log.warn({ err: error, call_id: call.id }, 'a call has no extract');
      return { extract: null, summary: null };
    }
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
      await saveVoiceHeartbeat(db, {
        id,
        url,
        webUrl: deps.webUrl ?? null,
        capacity: deps.capacity,
        activeCalls: calls.size,
        draining: isDraining,
        endpointsDown: models.down(),
      });
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

  return {
    url,
    port: server.port,
    calls: () => calls.size,
    async drain(signal) {
      isDraining = true;
      heartbeat.wake();
      const cut = () => {
        for (const call of calls.values()) call.cut('process_ended');
      };
      signal.addEventListener('abort', cut, { once: true });
      if (signal.aborted) cut();
      while (ending.size > 0) await Promise.allSettled(ending);
    },
    async close() {
      isDraining = true;
      server.stopTaking();
      for (const call of calls.values()) call.cut('process_ended');
      await Promise.allSettled(ending);
      clearInterval(ticker);
      await heartbeat.stop();
      await lookAhead.stop();
      preparedCalls.close();
      await spool.remove();
      await server.close();
      await forgetVoiceProcess(db, id).catch(() => undefined);
    },
  };
}

/** Whether the course of a call is told by this process. */
const toldHere = (call: VoiceCall, way: WayToPerson): boolean =>
  call.kind === 'web' || (call.kind === 'phone_inbound' && way.isSilentOfInbound === true);

/** The carrier itself hears and speaks for an agent of this mode. */
const carriedBy = ({ mode }: AgentVoice): WayToPerson['carries'] => (mode === 'relay' ? 'words' : 'sound');

function refusalOf(opened: OpenedConversation, isMisled: boolean): RefusalReason {
  if (opened.kind === 'refused') return 'agent';
  return isMisled ? 'mode' : 'gone';
}

/** One that is not read does not hear that the other side closes as well; one that does not close is cut off. */
function turnAway(socket: WebSocket): void {
  socket.resume();
  socket.close();
  const cut = setTimeout(() => socket.terminate(), closeWithinMs).unref();
  socket.once('close', () => clearTimeout(cut));
}
