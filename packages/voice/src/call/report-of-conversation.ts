import type { CallReport } from '@outdial/engine';
import type { WrapUp } from '../conversation/conversation.ts';
import type { CallNotes } from './call-notes.ts';
import type { CallQuality } from './call-quality.ts';

/** What the record of a call gets when its conversation is over. */
export function reportOfConversation(args: {
  callId: string;
  transcript: string;
  recordingUrl: string | null;
  wrapped: WrapUp;
  notes: CallNotes;
  reason: string;
  quality: CallQuality;
}): CallReport {
  const { callId, transcript, recordingUrl, wrapped, notes, reason, quality } = args;
  const { extract, summary } = wrapped;
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
