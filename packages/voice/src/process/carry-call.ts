import { recordingKey } from '@outdial/core';
import { releaseRecording, hasRecording, releaseVoiceCall, type VoiceCall } from '@outdial/db';
import { tellFacts } from '../call/call-facts.ts';
import { keepCall } from '../call/call-keeper.ts';
import type { CallNotes } from '../call/call-notes.ts';
import { lineOfCall } from '../call/line-of-call.ts';
import { listensForMachine } from '../call/listens-for-machine.ts';
import { phrasesFor } from '../call/phrases.ts';
import type { Opened } from '../call/prepared-calls.ts';
import type { RenderedSpeech } from '../call/rendered-speech.ts';
import { reportOfConversation } from '../call/report-of-conversation.ts';
import { runCall } from '../call/run-call.ts';
import { runOnLeg } from '../call/run-on-leg.ts';
import { settleCall } from '../call/settle-call.ts';
import { turnSettingsOf } from '../call/turn-settings-of.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { WayToPerson } from '../legs/ways.ts';
import { transcribe } from '../models/speech-to-text.ts';
import type { CallRecorder } from '../recorder/call-recorder.ts';
import { type CallsOfProcess, toldHere } from './calls-of-process.ts';
import { transferLineOfCall } from './transfer-line-of-call.ts';

/** A call that can be talked on. */
export interface CarriedCall {
  way: WayToPerson;
  call: VoiceCall;
  opened: Opened;
  notes: CallNotes;
  /** Its first words, if they were made while it rang. */
  greeting: RenderedSpeech | null;
  recorder: CallRecorder | null;
}

/** Extract and summary of one call. */
const wrapUpMs = 60_000;

/** Talks on a call until it is over, and writes down what came of it. Opens the leg before it waits for anything. */
export async function carryCall(
  { deps, models, detector, say, web, running: calls, isCut }: CallsOfProcess,
  { way, call, opened, notes, greeting, recorder }: CarriedCall,
): Promise<void> {
  const { db, log, metrics, nowMs } = deps;
  const { conversation, realtime, voice, greets, disclosure } = opened;
  const answeredAt = nowMs();
  recorder?.begin(answeredAt);
  const keeper = keepCall({ db, call, answeredAt, log });
  const facts = tellFacts({ callId: call.id, disclosure, record: deps.record, log });
  if (!greets) facts.connected();
  const running = runOnLeg(
    (events) => way.open(events, { greets }),
    (leg) =>
      runCall({
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
        transferLine: transferLineOfCall(call, { db, notes, log }),
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
      }),
  );
  calls.set(call.id, running);
  if (isCut()) running.cut('process_ended');
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
    wrapUp: () => wrapUp(conversation, call, log),
    record(wrapped, recordingUrl) {
      const transcript = keeper.text();
      return deps.record(
        reportOfConversation({ callId: call.id, transcript, recordingUrl, wrapped, notes, reason, quality }),
      );
    },
    isRecordingKnown: () => hasRecording(db, { organizationId: call.organizationId, callId: call.id }),
    async removeRecording() {
      await deps.files.remove(recordingKey(call.id));
      await releaseRecording(db, call.id);
    },
    async release() {
      realtime?.close();
      await releaseVoiceCall(db, call.id);
    },
  });
}

async function wrapUp(
  conversation: Conversation,
  call: VoiceCall,
  log: { warn(fields: object, message: string): void },
) {
  try {
    return await conversation.wrapUp(AbortSignal.timeout(wrapUpMs));
  } catch (error) {
    log.warn({ err: error, call_id: call.id }, 'a call has no extract');
    return { extract: null, summary: null };
  }
}
