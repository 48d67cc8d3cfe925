import { recordingKey } from '@outdial/core';
import { hasRecording, releaseRecording, releaseVoiceCall, type VoiceCall, type Db } from '@outdial/db';
import { complianceOfAgent, beginTransfer, endTransfer, type CallReport } from '@outdial/engine';
import { createCallLine, type TransferLine } from '../call/call-line.ts';
import type { CallNotes } from '../call/call-notes.ts';
import type { CallEnd, RunningCall } from '../call/call-parts.ts';
import { createFactReporter, type FactReporter } from '../call/fact-reporter.ts';
import { phrasesFor } from '../conversation/phrases.ts';
import { type Opened, piecesOf } from '../call/prepared-calls.ts';
import type { RenderedPieces } from '../call/rendered-speech.ts';
import { runCall } from '../call/run-call.ts';
import { settleCall } from '../call/settle-call.ts';
import { createTranscriptWriter, type TranscriptWriter } from '../call/transcript-writer.ts';
import type { WrapUp } from '../conversation/conversation.ts';
import type { Transport } from '../legs/transports.ts';
import { detectsMachine } from '../machine/machine-detector.ts';
import { openLiveRecognizer } from '../models/live-recognizer.ts';
import { transcribe } from '../models/speech-to-text.ts';
import type { CallRecorder } from '../recorder/call-recorder.ts';
import { turnSettingsOf } from '../turn/turn-settings.ts';
import { createCallTrace } from './call-trace.ts';
import { isSelfReported, type ProcessContext } from './process-context.ts';
import type { Leg, LegEvents } from '../legs/leg.ts';
import type { CallQuality } from '../call/call-quality.ts';

/** A call whose agent can talk over its transport. */
export interface AcceptedCall {
  transport: Transport;
  call: VoiceCall;
  /** The trace in which the call was placed. */
  traceparent?: string | undefined;
  opened: Opened;
  notes: CallNotes;
  /** Null if the greeting was not synthesized while the telephone rang. */
  greeting: RenderedPieces | null;
  recorder: CallRecorder | null;
}

interface CallLog {
  transcript: TranscriptWriter;
  facts: FactReporter;
}

/** The limit for making the extract and the summary of one call. */
const wrapUpMs = 60_000;

/** Runs a call from its first sound until its results are recorded. Opens the leg synchronously, so that no message is missed. */
export async function handleCall(context: ProcessContext, accepted: AcceptedCall): Promise<void> {
  const { deps, running } = context;
  const { db, log, nowMs } = deps;
  const { call, opened, recorder } = accepted;
  const answeredAt = nowMs();
  recorder?.begin(answeredAt);
  const transcript = createTranscriptWriter({ db, call, answeredAt, log });
  const facts = createFactReporter({
    callId: call.id,
    disclosure: opened.disclosure,
    record: deps.record,
    log,
  });
  if (!opened.greets) facts.connected();
  const runningCall = startCall(context, accepted, { transcript, facts });
  running.set(call.id, runningCall);
  if (context.isCut()) runningCall.cut('process_ended');
  const end = await runningCall.ended;
  running.delete(call.id);
  const settled = settle(context, accepted, { transcript, facts }, { ...end, talkMs: end.at - answeredAt });
  // The conversation was held, so the call has not failed.
  await settled.catch((error: unknown) =>
    log.error({ err: error, call_id: call.id }, 'a conversation could not be recorded completely'),
  );
  await opened.optOuts?.over(context.isCut);
}

function startCall(
  { deps, models, createVoiceActivity, synthesize }: ProcessContext,
  { transport, call, traceparent, opened, notes, greeting, recorder }: AcceptedCall,
  { transcript, facts }: CallLog,
): RunningCall {
  const { db, log, metrics, nowMs } = deps;
  const { realtime, voice, greets } = opened;
  const spans = createCallTrace({
    callId: call.id,
    agentId: call.agentId,
    recognizer: realtime === null ? voice.stt.endpoint : voice.llm.endpoint,
    voice: realtime === null ? voice.tts.endpoint : voice.llm.endpoint,
    traceparent,
  });
  const recognizer = { ...voice.stt, language: voice.language };
  const live =
    voice.mode === 'cascade' ? openLiveRecognizer(models, recognizer, (text) => running.partial(text)) : null;
  const running: RunningCall = runOnLeg(
    (events) => transport.open(events, { greets }),
    (leg) =>
      runCall({
        leg,
        conversation: spans.of(opened.conversation),
        settings: turnSettingsOf(voice, {
          ...deps,
          // A realtime model keeps all that it is sent.
          readsAhead: voice.mode === 'cascade' && live === null,
        }),
        createActivity: createVoiceActivity,
        wordsSaid: realtime === null ? undefined : (text) => realtime.wordsSaid(text),
        async transcribe(samples, signal, late) {
          const began = nowMs();
          const text = await spans.recognizes(
            () =>
              realtime?.transcribe(samples, signal, late) ??
              live?.transcribe(samples, signal) ??
              transcribe(models, recognizer, samples, signal),
          );
          metrics?.took('recognizer', nowMs() - began);
          return text;
        },
        hear: live === null ? undefined : (samples) => live.hear(samples),
        speak: (text, signal) =>
          spans.speaks(
            () =>
              greeting?.play(text, signal) ??
              realtime?.speak(text, signal) ??
              synthesize(voice, text, signal),
          ),
        piecesOf: (text) => piecesOf(opened, text),
        disclosure: opened.disclosure,
        onUndisclosed: () => notes.add({ type: 'disclosure_not_heard' }),
        phrases: phrasesFor(voice.language),
        nowMs,
        greets,
        line: createCallLine(deps.providerOf(call.provider), {
          id: call.id,
          ringTimeoutSeconds: deps.ringTimeoutSeconds,
          maxCallSeconds: deps.longestCallSeconds,
        }),
        transferLine: createTransferLine(call, { db, notes, log }),
        onTransfer({ target }, end) {
          notes.add(
            end.result === 'refused'
              ? { type: 'transfer_refused', target, reason: end.reason }
              : { type: 'transfer_ended', result: end.result },
          );
        },
        onSound: recorder,
        mayBeMachine: detectsMachine(call.kind, voice),
        onMachine: () => facts.machine(),
        onCountsAs: (found) => facts.countsAs(found),
        onTurn(turn) {
          transcript.add(turn);
          if (turn.role === 'person') opened.optOuts?.heard(turn.text);
          metrics?.turn(turn);
          facts.turn(turn);
          leg.turn?.(turn);
          spans.turn(turn);
        },
        optOutKey: complianceOfAgent(call.config).optOutKey,
        onOptOut: opened.optOuts?.byPerson,
        onVoice: () => facts.connected(),
        onWait: (stage, ms) => metrics?.took(stage, ms),
        log,
      }),
  );
  void running.ended.then(({ reason }) => {
    live?.close();
    return spans.end(reason);
  });
  return running;
}

async function settle(
  { deps, selfReported }: ProcessContext,
  { transport, call, opened, notes, recorder }: AcceptedCall,
  { transcript, facts }: CallLog,
  { reason, quality, talkMs }: CallEnd & { talkMs: number },
): Promise<void> {
  const { db, log } = deps;
  await settleCall<WrapUp>({
    async end() {
      await Promise.all([transcript.written(), facts.recorded(), opened.optOuts?.settled()]);
      if (isSelfReported(call, transport)) {
        await selfReported.ended(call.id, { reason, talkMs, transcript: transcript.text() });
      }
      // The reason may quote a model, so it is not logged.
      log.info({ call_id: call.id, turns: quality.turns }, 'a conversation ended');
    },
    storeRecording: () => recorder?.finish() ?? Promise.resolve(null),
    async wrapUp() {
      try {
        return await opened.conversation.wrapUp(AbortSignal.timeout(wrapUpMs));
      } catch (error) {
        log.warn({ err: error, call_id: call.id }, 'the extract of a call failed');
        return { extract: null, summary: null };
      }
    },
    record: (wrapUp, recordingUrl) =>
      deps.record(
        conversationReport({
          callId: call.id,
          transcript: transcript.text(),
          recordingUrl,
          wrapUp,
          notes,
          reason,
          quality,
        }),
      ),
    isRecordingKnown: () => hasRecording(db, { organizationId: call.organizationId, callId: call.id }),
    async removeRecording() {
      await deps.files.remove(recordingKey(call.id));
      await releaseRecording(db, call.id);
    },
    async release() {
      opened.realtime?.close();
      await releaseVoiceCall(db, call.id);
    },
  });
}

/** The second line of a call, counted by the engine. */
function createTransferLine(
  call: Pick<VoiceCall, 'id' | 'organizationId'>,
  deps: { db: Db; notes: CallNotes; log: { warn(fields: object, message: string): void } },
): TransferLine {
  const { db, notes, log } = deps;
  const scope = { organizationId: call.organizationId, callId: call.id };
  return {
    async reserve({ target, to, mode }) {
      const refusal = await beginTransfer(db, { ...scope, toPhone: to });
      if (refusal === null) notes.add({ type: 'transfer_begun', target, mode });
      return refusal;
    },
    release: () =>
      endTransfer(db, scope).catch((error: unknown) =>
        log.warn(
          { err: error, call_id: call.id },
          'the line of a transfer stays reserved until the call ends',
        ),
      ),
  };
}

/** Opens a leg and runs a call on it. Events that the leg emits while it opens are delivered once the call runs. */
function runOnLeg(open: (events: LegEvents) => Leg, run: (leg: Leg) => RunningCall): RunningCall {
  let running: RunningCall | null = null;
  const early: Array<(call: RunningCall) => void> = [];
  const deliver = (event: (call: RunningCall) => void) => {
    if (running === null) early.push(event);
    else event(running);
  };
  const leg = open({
    frame: (bytes) => deliver((call) => call.frame(bytes)),
    key: (digit) => deliver((call) => call.key(digit)),
    said: (text) => deliver((call) => call.said(text)),
    interrupted: (heard) => deliver((call) => call.interrupted(heard)),
    left: () => deliver((call) => call.left()),
  });
  running = run(leg);
  for (const event of early) event(running);
  return running;
}

/** The report that adds a finished conversation to the record of its call. */
function conversationReport(args: {
  callId: string;
  transcript: string;
  recordingUrl: string | null;
  wrapUp: WrapUp;
  notes: CallNotes;
  reason: string;
  quality: CallQuality;
}): CallReport {
  const { callId, transcript, recordingUrl, notes, reason, quality } = args;
  const { extract, summary } = args.wrapUp;
  const at = new Date();
  const facts: CallReport['facts'] = [
    { kind: 'transcript', eventId: `${callId}:transcript`, at, transcript },
    ...(recordingUrl === null
      ? []
      : [{ kind: 'recording' as const, eventId: `${callId}:recording`, at, recordingUrl }]),
    ...(extract === null ? [] : [{ kind: 'extract' as const, eventId: `${callId}:extract`, at, extract }]),
  ];
  const ended = { type: 'conversation_ended', at: at.toISOString(), reason, quality, summary };
  const all = [...notes.all(), ended].map((note, nth) => ({ ...note, id: `${callId}:note:${nth}` }));
  return { callId, withoutAcceptance: true, facts, notes: all };
}
