import { decideCallMove, type CallFact, type Outcome } from '@outdial/core';
import type { CallEvent, LockedCall } from '@outdial/db';

export interface CallReport {
  callId: string;
  /** The report does not prove that the provider has the call: it is a refusal, or the engine's own conclusion. */
  withoutAcceptance?: boolean;
  /** Only applies to a queued call: it waits for a line and was never placed, or it came in and is refused. */
  whileQueued?: boolean;
  /** `isQueued`: the provider may not have dialed the call yet. `isProbe`: its progress shows whether the provider is up. */
  accepted?: { conversationId: string | null; isQueued?: boolean; isProbe?: boolean };
  /** The provider was asked, and this is its answer. */
  wasLookedUp?: boolean;
  /** When a look-up will find news, if known. */
  nextChangeAt?: Date | null;
  facts: readonly CallFact[];
  /** Additional entries for the call's events. One with an id counts once. */
  notes?: readonly CallEvent[];
}

export interface FoldedCall {
  call: LockedCall;
  newEvents: CallEvent[];
  changed: boolean;
  /** Whether these facts are the first to show that the provider dials the call. After that, its attempt is never undone. */
  started: boolean;
  /** Whether these facts are the first to show that the call was answered. */
  answered: boolean;
  /** Set if these facts ended the call, or corrected an `unknown` end. */
  ended: { outcome: Outcome; corrected: boolean } | null;
  changedAfterEnd: Set<'outcome' | 'transcript' | 'recording' | 'call_extract'>;
}

/** Applies facts to a call. They may be late, repeated and in any order: a fact that does not fit has no effect, and each event id counts once. */
export function foldFacts(locked: LockedCall, report: CallReport, now: Date): FoldedCall {
  const known = new Set(locked.events.map(({ id }) => id));
  const notes = (report.notes ?? []).filter(({ id }) => id === undefined || !known.has(id));
  const folded: FoldedCall = {
    call: { ...locked },
    newEvents: notes,
    changed: notes.length > 0,
    started: false,
    answered: false,
    ended: null,
    changedAfterEnd: new Set(),
  };
  if (report.accepted) accept(folded, report.accepted, now);
  for (const fact of report.facts) {
    if (fact.eventId !== null && isKnown(folded, fact.eventId)) continue;
    apply(
      folded,
      { ...fact, at: within(fact.at, locked.gated_at, now) },
      now,
      report.withoutAcceptance !== true,
    );
  }
  folded.started &&= locked.phase !== 'ended' && !wasStarted(locked);
  return folded;
}

/** A call that its provider accepted but queued has not started. */
function wasStarted(locked: LockedCall): boolean {
  if (locked.phase !== 'placing') return locked.accepted_at !== null;
  return (
    locked.accepted_at !== null &&
    !locked.events.some((event) => event.type === 'placed' && event['queued'] === true)
  );
}

/** Clamps an instant between the gate and now, against wrong clocks of providers. */
function within(at: Date, gatedAt: Date | null, now: Date): Date {
  if (at > now) return now;
  return gatedAt !== null && at < gatedAt ? gatedAt : at;
}

function isKnown(folded: FoldedCall, eventId: string): boolean {
  return [...folded.call.events, ...folded.newEvents].some((event) => event.id === eventId);
}

function accept(
  folded: FoldedCall,
  { conversationId, isQueued = false, isProbe = false }: NonNullable<CallReport['accepted']>,
  now: Date,
): void {
  const { call } = folded;
  if (call.accepted_at === null) {
    call.accepted_at = now;
    folded.started = !isQueued;
    note(folded, 'placed', call.gated_at ?? now, null, {
      ...(isQueued && { queued: true }),
      ...(isProbe && { probe: true }),
    });
  }
  if (call.conversation_id === null && conversationId !== null) {
    call.conversation_id = conversationId;
    folded.changed = true;
  }
}

function apply(folded: FoldedCall, fact: CallFact, now: Date, provesAcceptance: boolean): void {
  const { call } = folded;
  if (fact.kind === 'transcript') {
    call.transcript = fact.transcript;
    if (call.phase === 'ended') folded.changedAfterEnd.add('transcript');
    return note(folded, fact.kind, fact.at, fact.eventId);
  }
  if (fact.kind === 'extract') {
    call.call_extract = fact.extract;
    if (call.phase === 'ended') folded.changedAfterEnd.add('call_extract');
    return note(folded, fact.kind, fact.at, fact.eventId);
  }
  if (fact.kind === 'recording') {
    call.recording_url = fact.recordingUrl;
    if (call.phase === 'ended') folded.changedAfterEnd.add('recording');
    return note(folded, fact.kind, fact.at, fact.eventId);
  }
  if (fact.kind === 'dtmf') return note(folded, fact.kind, fact.at, fact.eventId, { digit: fact.digit });
  if (fact.kind === 'disclosed' || fact.kind === 'connected' || fact.kind === 'abandoned') {
    return note(folded, fact.kind, fact.at, fact.eventId);
  }
  if (fact.kind === 'opt_out') return note(folded, fact.kind, fact.at, fact.eventId, { by: fact.by });
  if (fact.kind === 'machine') {
    // The recipient's next step after an ended call is already decided.
    if (call.phase === 'ended') return;
    return note(folded, fact.kind, fact.at, fact.eventId, { answered_by: fact.answeredBy });
  }
  if (fact.kind === 'counts_as') {
    if (call.phase === 'ended') return;
    return note(folded, fact.kind, fact.at, fact.eventId, { outcome: fact.outcome, reason: fact.reason });
  }
  const corrected = call.corrected_at !== null;
  const move = decideCallMove({ phase: call.phase, outcome: call.outcome, corrected }, fact);
  if (move.kind === 'ignore') {
    if (fact.kind === 'ended') addLateDetails(folded, fact, now);
    return;
  }
  // Any fact about a call shows that the provider has it.
  if (provesAcceptance) {
    call.accepted_at ??= now;
    folded.started = true;
  }
  if (fact.kind === 'ended') {
    end(folded, fact, now, move.kind === 'correct');
  } else if (move.kind === 'apply') {
    call.phase = move.phase;
    if (fact.kind === 'answered') {
      call.answered_at = fact.at;
      folded.answered = true;
    }
    note(folded, fact.kind, fact.at, fact.eventId);
  }
}

function end(folded: FoldedCall, fact: CallFact & { kind: 'ended' }, now: Date, corrected: boolean): void {
  const { call } = folded;
  const { details } = fact;
  // A call that waits for a line has not begun. A refused inbound call is queued as well, but it came in.
  const hasBegun = call.gated_at !== null;
  const outcome = fact.outcome === 'completed' ? outcomeOfConversation(folded) : fact.outcome;
  call.phase = 'ended';
  call.outcome = outcome;
  call.ended_at ??= now;
  if (corrected) {
    call.corrected_at = now;
    folded.changedAfterEnd.add('outcome');
    if (details.transcript != null) folded.changedAfterEnd.add('transcript');
    if (details.recordingUrl != null) folded.changedAfterEnd.add('recording');
    if (details.callExtract != null) folded.changedAfterEnd.add('call_extract');
  }
  call.duration_seconds = details.durationSeconds ?? (hasBegun ? talkSeconds(call, fact.at) : null);
  if (details.cost != null) call.cost = String(details.cost);
  call.transcript = details.transcript ?? call.transcript;
  call.recording_url = details.recordingUrl ?? call.recording_url;
  call.call_extract = details.callExtract ?? call.call_extract;
  call.external_status = details.externalStatus ?? call.external_status;
  call.line_held = false;
  folded.ended = { outcome, corrected };
  if (!hasBegun) return note(folded, 'canceled', fact.at, fact.eventId, { reason: details.externalStatus });
  note(folded, corrected ? 'corrected' : 'ended', fact.at, fact.eventId, { outcome });
}

/** We may have ended the call, or learned of its end by a look-up, before its provider knew everything. Its event fills in what is missing. */
function addLateDetails(
  folded: FoldedCall,
  { at, eventId, details }: CallFact & { kind: 'ended' },
  now: Date,
): void {
  const { call } = folded;
  if (!call.events.some(({ type, id }) => type === 'ended' && id === undefined)) return;
  const { transcript, recordingUrl, callExtract, cost } = details;
  const late: CallFact[] = [];
  if (call.transcript === null && transcript != null) {
    late.push({ kind: 'transcript', at, eventId, transcript });
  }
  if (call.recording_url === null && recordingUrl != null) {
    late.push({ kind: 'recording', at, eventId, recordingUrl });
  }
  if (call.call_extract === null && callExtract != null) {
    late.push({ kind: 'extract', at, eventId, extract: callExtract });
  }
  for (const one of late) apply(folded, one, now, false);
  if (Number(call.cost) === 0 && cost != null) {
    call.cost = String(cost);
    folded.changed = true;
  }
}

/** The outcome of a call that its provider completed: what the voice runtime has found of it. */
function outcomeOfConversation(folded: FoldedCall): Outcome {
  const events = [...folded.call.events, ...folded.newEvents];
  const found = events.find((event) => event.type === 'counts_as')?.['outcome'];
  if (found === 'failed' || found === 'invalid_number') return found;
  return events.some((event) => event.type === 'machine') ? 'voicemail' : 'completed';
}

function talkSeconds(call: LockedCall, endedAt: Date): number {
  if (call.answered_at === null) return 0;
  return Math.max(0, Math.round((endedAt.getTime() - call.answered_at.getTime()) / 1000));
}

function note(folded: FoldedCall, type: string, at: Date, id: string | null, detail: object = {}): void {
  folded.newEvents.push({ type, at: at.toISOString(), ...(id !== null && { id }), ...detail });
  folded.changed = true;
}
