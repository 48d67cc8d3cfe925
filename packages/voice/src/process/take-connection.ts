import { engineNow, findVoiceCall, reserveVoiceCall, type VoiceCall } from '@outdial/db';
import type { CallScope } from '@outdial/runtime';
import type { WebSocket } from 'ws';
import { createAdmission } from '../call/admission.ts';
import { collectNotes } from '../call/call-notes.ts';
import type { PreparedCalls } from '../call/prepared-calls.ts';
import type { OpenedConversation } from '../conversation/open-conversation.ts';
import { turnAway } from '../legs/turn-away.ts';
import { twilioWay, type WayToPerson } from '../legs/ways.ts';
import type { RefusalReason } from '../metrics/voice-metrics.ts';
import { carriedBy, type CallsOfProcess, toldHere } from './calls-of-process.ts';
import { carryCall } from './carry-call.ts';
import { recorderOfCall } from './recorder-of-call.ts';

/** Media connections, from their tokens to the calls that they carry. */
export interface Connections {
  /** The call of a token; null if it is none, or not any more. */
  authorize(token: string): Promise<CallScope | null>;
  /** Carries a call, or turns its connection away. */
  carryOrEnd(socket: WebSocket, scope: CallScope, way: WayToPerson): void;
  /**
   * Twilio says in its first message which call it is. Resolves with whether it is one, as soon as that is known; the call goes on.
   */
  answerStranger(path: string, socket: WebSocket): Promise<boolean>;
  /** Resolves when no call goes on or is being opened, and all of them are written down. */
  ended(): Promise<void>;
}

export function createConnections(shared: CallsOfProcess, preparedCalls: PreparedCalls): Connections {
  const { deps, models, web } = shared;
  const { db, log, metrics, nowMs } = deps;
  const admission = createAdmission({ tokens: deps.tokens, now: () => engineNow(db), nowMs });
  const ending = new Set<Promise<void>>();

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
    await reserveVoiceCall(db, {
      callId: call.id,
      processId: shared.processId,
      longestSeconds: deps.longestCallSeconds,
    });
    const recorder = isRecorded
      ? await recorderOfCall(call, { ...deps, spoolFolder: shared.spoolFolder, notes })
      : null;
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
    const done = carryCall(shared, { way, call, opened, notes, greeting, recorder });
    socket.resume();
    await done;
    return true;
  }

  function carryOrEnd(socket: WebSocket, scope: CallScope, way: WayToPerson): void {
    const done = answer(socket, scope, way)
      .catch((error: unknown) => {
        metrics?.refused('error');
        log.error({ err: error, call_id: scope.callId }, 'a call could not be carried');
        turnAway(socket);
        // Should this fail as well, a sweep ends the call.
        return web.notCarried(scope.callId).catch(() => undefined);
      })
      .finally(() => ending.delete(done));
    ending.add(done);
  }

  return {
    authorize: (token) => admission.authorize(token),
    carryOrEnd,
    async answerStranger(path, socket) {
      const way = await twilioWay(path, socket, { nowMs, log });
      const scope = way === null ? null : await admission.authorize(way.token);
      if (way === null || scope === null) {
        metrics?.refused('no_call');
        log.warn({ path }, 'a connection names no call');
        return false;
      }
      carryOrEnd(socket, scope, way);
      return true;
    },
    async ended() {
      while (ending.size > 0) await Promise.allSettled(ending);
    },
  };
}

function refusalOf(opened: OpenedConversation, isMisled: boolean): RefusalReason {
  if (opened.kind === 'refused') return 'agent';
  return isMisled ? 'mode' : 'gone';
}
