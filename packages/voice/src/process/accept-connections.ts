import { setTimeout as delay } from 'node:timers/promises';
import {
  engineNow,
  findVoiceCall,
  reserveVoiceCall,
  type VoiceCall,
  type Db,
  hasRoomToRecord,
  releaseRecording,
  reserveRecording,
} from '@outdial/db';
import type { CallScope } from '@outdial/runtime';
import type { WebSocket } from 'ws';
import type { FileStore } from '@outdial/core';
import { createAdmission } from '../call/admission.ts';
import { recordedWithinMs } from '../call/call-end.ts';
import { createCallNotes, type CallNotes } from '../call/call-notes.ts';
import { createFactReporter } from '../call/fact-reporter.ts';
import type { PreparedCalls } from '../call/prepared-calls.ts';
import type { OpenedConversation } from '../conversation/conversation-call.ts';
import { type Transport, twilioTransport } from '../legs/transports.ts';
import type { RefusalReason } from '../metrics/voice-metrics.ts';
import { handleCall } from './handle-call.ts';
import { isSelfReported, mediaOf, type ProcessContext } from './process-context.ts';
import { type CallRecorder, recordCall } from '../recorder/call-recorder.ts';
import type { Retry } from '../with-retries.ts';

export type Connections = ReturnType<typeof createConnections>;

/** Matches media connections to calls. */
export function createConnections(context: ProcessContext, preparedCalls: PreparedCalls) {
  const { deps, models, selfReported } = context;
  const { db, log, metrics, nowMs } = deps;
  const admission = createAdmission({ tokens: deps.tokens, now: () => engineNow(db), nowMs });
  const pending = new Set<Promise<void>>();

  async function findAndTake(socket: WebSocket, scope: CallScope, transport: Transport): Promise<void> {
    // The person may say "Hello?" while the call is read from the database.
    socket.pause();
    if (!admission.enter(scope.callId)) return rejectSocket(socket);
    let wasHandled = false;
    try {
      const call = await findVoiceCall(db, scope);
      // A browser must not answer a telephone call, nor a carrier a web call.
      if (call === null || (call.kind === 'web') !== (transport.isWeb === true)) {
        metrics?.refused('no_call');
        log.warn({ call_id: scope.callId }, 'a media connection names no current call');
        return rejectSocket(socket);
      }
      if (call.kind === 'web' && !(await selfReported.claim(call.id))) return rejectSocket(socket);
      wasHandled = await take(socket, call, transport, scope.traceparent);
    } finally {
      admission.leave(scope.callId, wasHandled);
    }
  }

  /** Resolves once the call is over. False if it could not begin. */
  async function take(
    socket: WebSocket,
    call: VoiceCall,
    transport: Transport,
    traceparent: string | undefined,
  ): Promise<boolean> {
    if (isSelfReported(call, transport)) {
      selfReported.add(call.id);
      await selfReported.answered(call.id);
    }
    const prepared = await preparedCalls.take(call.id);
    const notes = prepared?.notes ?? createCallNotes();
    const opened =
      prepared?.opened ?? (await deps.openConversation({ call, models, note: (note) => notes.add(note) }));
    const isRecorded = transport.isRecordedHere && opened.kind === 'open' && opened.records;
    await reserveVoiceCall(db, {
      callId: call.id,
      processId: context.processId,
      longestSeconds: deps.longestCallSeconds,
    });
    const recorder = isRecorded ? await openRecorder(call, { ...deps, ...context, notes }) : null;
    const isMismatch = opened.kind === 'open' && mediaOf(opened.voice) !== transport.carries;
    // No await from here until the leg is open. Otherwise the leg could miss the close of the connection.
    if (opened.kind === 'refused' || isMismatch || socket.readyState !== socket.OPEN) {
      prepared?.greeting?.drop();
      await recorder?.finish();
      const faults = opened.kind === 'refused' ? opened.faults : [];
      metrics?.refused(refusalOf(opened, isMismatch));
      log.warn({ call_id: call.id, faults }, 'a media connection was refused');
      await refuse(socket, call.id, transport);
      return false;
    }
    const greeting = prepared?.greeting ?? null;
    const done = handleCall(context, { transport, call, traceparent, opened, notes, greeting, recorder });
    socket.resume();
    await done;
    return true;
  }

  /** Rejects the connection of a call that cannot be served, once that is recorded: its carrier will report the call as completed. */
  async function refuse(socket: WebSocket, callId: string, transport: Transport): Promise<void> {
    const isAwaited = transport.isWeb !== true && socket.readyState === socket.OPEN;
    const facts = createFactReporter({ callId, disclosure: null, record: deps.record, log });
    const recorded = selfReported.failed(callId).then(
      (isReported) =>
        isReported || !isAwaited ? undefined : facts.countsAs({ outcome: 'failed', reason: 'not_carried' }),
      // A sweep ends the call.
      () => undefined,
    );
    await Promise.race([recorded, delay(recordedWithinMs)]);
    rejectSocket(socket);
    await recorded;
  }

  function refuseAfter(error: unknown, socket: WebSocket, { callId }: CallScope, transport: Transport) {
    metrics?.refused('error');
    log.error({ err: error, call_id: callId }, 'a voice call failed');
    return refuse(socket, callId, transport);
  }

  function track(work: Promise<void>): void {
    const done = work.finally(() => pending.delete(done));
    pending.add(done);
  }

  /** Runs the call on this connection, or rejects the connection. */
  function accept(socket: WebSocket, scope: CallScope, transport: Transport): void {
    const taken = findAndTake(socket, scope, transport);
    track(taken.catch((error: unknown) => refuseAfter(error, socket, scope, transport)));
  }

  return {
    /** The call of a token. Null if the token is invalid or has expired. */
    authorize: (token: string) => admission.authorize(token),
    accept,
    /** Waits for Twilio's first message and accepts the connection. Resolves to whether the message named a call. */
    async identify(path: string, socket: WebSocket): Promise<boolean> {
      const transport = await twilioTransport(path, socket, { nowMs, log });
      const scope =
        transport === null
          ? null
          : await admission.authorize(transport.token).catch(async (error: unknown) => {
              // The clock could not be read. Even if the token has expired, no connection serves its call.
              const named = await deps.tokens.verify(transport.token, new Date(0));
              if (named === null) throw error;
              track(refuseAfter(error, socket, named, transport));
              return 'refused' as const;
            });
      if (scope === 'refused') return true;
      if (transport === null || scope === null) {
        metrics?.refused('no_call');
        log.warn({ path }, 'a connection named no call');
        return false;
      }
      accept(socket, scope, transport);
      return true;
    },
    /** Resolves once no call is running or starting, and all results are recorded. */
    async idle() {
      while (pending.size > 0) await Promise.allSettled(pending);
    },
  };
}

function refusalOf(opened: OpenedConversation, isMismatch: boolean): RefusalReason {
  if (opened.kind === 'refused') return 'agent';
  return isMismatch ? 'mode' : 'gone';
}

const closeWithinMs = 2_000;

/** Closes a connection, and terminates it if the other side does not close in time. */
function rejectSocket(socket: WebSocket): void {
  // A paused socket never sees the other side close.
  socket.resume();
  socket.close();
  const late = setTimeout(() => socket.terminate(), closeWithinMs).unref();
  socket.once('close', () => clearTimeout(late));
}

/** Null if the organization has no space left, or the file cannot be opened: the call goes on without a recording. */
async function openRecorder(
  { id: callId, organizationId }: Pick<VoiceCall, 'id' | 'organizationId'>,
  deps: {
    db: Db;
    files: FileStore;
    spoolFolder: string;
    retry: Retry;
    longestCallSeconds: number;
    notes: CallNotes;
    log: { warn(fields: object, message: string): void };
  },
): Promise<CallRecorder | null> {
  const { db, files, log } = deps;
  const onRefused = () => deps.notes.add({ type: 'recording_refused', reason: 'quota_exceeded' });
  try {
    if (!(await hasRoomToRecord(db, organizationId))) {
      onRefused();
      return null;
    }
    return await recordCall({
      callId,
      folder: deps.spoolFolder,
      files,
      longestSeconds: deps.longestCallSeconds,
      reserve: (bytes) => deps.retry(callId, () => reserveRecording(db, { organizationId, callId, bytes })),
      release: () => releaseRecording(db, callId),
      onRefused,
      log,
    });
  } catch (error) {
    log.warn({ err: error, call_id: callId }, 'a call could not be recorded');
    return null;
  }
}
