import type { CallReport } from '@outdial/engine';
import type { WrapUp } from '../conversation/conversation.ts';
import type { CallNotes } from './call-notes.ts';
import type { CallQuality } from './call-quality.ts';

/** The report that adds a finished conversation to the record of its call. */
export function conversationReport(args: {
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
  return { callId, withoutAcceptance: true, facts, notes: [...notes.all(), ended] };
}
