import { setTimeout as delay } from 'node:timers/promises';
import type { CallEnd, CallParts } from './call-parts.ts';

/** The longest delay from our clock to the person's ear. */
const lastSoundMs = 250;
/** How long the last words of the person, and an opt-out that they asked for, are waited for once the call is over. */
const lastWordsMs = 8_000;
/** The same if the process ends. */
const lastWordsOfProcessMs = 2_500;
/** How long a line stays open until its failure is recorded. */
export const recordedWithinMs = 1_000;

const isFailure = (reason: string) =>
  ['endpoint_failed', 'process_ended', 'unused_number', 'overloaded'].includes(reason);

/** The same for a mailbox, since a call that ends before counts as a conversation. */
const mailboxRecordedWithinMs = 15_000;

/** The end of a call: first the line is closed, and once the person's last words are recorded, the call is over. */
export function createCallEnd(
  parts: Pick<CallParts, 'leg' | 'nowMs' | 'onCountsAs'>,
  call: {
    /** The person's words are transcribed. */
    isHeard: () => boolean;
    /** Resolves once the last answer has ended, in which an opt-out may still be carried out. */
    isAnswered: () => Promise<void>;
    onClosed: () => void;
    onOver: () => void;
  },
) {
  const { leg, nowMs } = parts;
  const ended = Promise.withResolvers<Omit<CallEnd, 'quality'>>();
  let closed: { reason: string; at: number } | null = null;
  let isOver = false;
  let waitsUntil = Infinity;

  /** A conversation that we broke off was not held: the person may be called again. Resolves once that is recorded. */
  function hasFailed(reason: string): Promise<void> {
    const outcome = reason === 'unused_number' ? 'invalid_number' : 'failed';
    return parts.onCountsAs?.({ outcome, reason }) ?? Promise.resolve();
  }

  async function hangUpOnceRecorded(reason: string, recorded: Promise<void> | undefined): Promise<void> {
    const sound = delay(lastSoundMs);
    const withinMs = reason === 'voicemail' ? mailboxRecordedWithinMs : recordedWithinMs;
    await Promise.race([recorded, new Promise((resolve) => setTimeout(resolve, withinMs).unref())]);
    await sound;
    leg.hangUp();
  }

  function end(): void {
    if (isOver || closed === null) return;
    isOver = true;
    call.onOver();
    ended.resolve(closed);
  }

  async function endIfHeard(): Promise<void> {
    if (closed === null || !call.isHeard()) return;
    await call.isAnswered();
    // The rules may have asked for the last words meanwhile.
    if (call.isHeard()) end();
  }

  return {
    ended: ended.promise,
    isClosed: () => closed !== null,
    isOver: () => isOver,
    hasFailed,
    /** @param recorded what the line waits for, though not for long */
    close(reason: string, recorded?: Promise<void>) {
      if (isOver || closed !== null) return;
      closed = { reason, at: nowMs() };
      waitsUntil = Math.min(waitsUntil, closed.at + lastWordsMs);
      call.onClosed();
      if (reason === 'left') leg.hangUp();
      else void hangUpOnceRecorded(reason, recorded ?? (isFailure(reason) ? hasFailed(reason) : undefined));
      void endIfHeard();
    },
    endIfHeard,
    /** The process ends, and waits no longer than this. */
    hurry() {
      waitsUntil = nowMs() + lastWordsOfProcessMs;
    },
    tick(now: number) {
      if (now >= waitsUntil) end();
    },
  };
}
