import type { Briefing, TransferResult } from '@outdial/core';
import { transfersAtMost } from '@outdial/engine';
import { wordsOfRefusedTransfer } from '../tools/call-tools.ts';
import type { TransferEnd, TransferStep } from './call-line.ts';
import type { CallParts } from './call-parts.ts';
import { talkWithTarget } from './talk-with-target.ts';

/** Dials the transfers of one call, and talks with the target of a warm one. */
export function createTransfers(parts: CallParts) {
  const { line, transferLine, log } = parts;
  let attempts = 0;
  /** The talk with the target of a warm transfer. The line is theirs until the person is back. */
  let target: ReturnType<typeof talkWithTarget> | null = null;
  /** Resolves once the person has heard all that was said to them. */
  let quiet: PromiseWithResolvers<void> | null = null;

  /** Talks with the target, once the person has heard the last words to them. */
  function brief({ target: name }: TransferStep): Briefing {
    return async (join, signal) => {
      quiet = Promise.withResolvers();
      const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      await Promise.race([quiet.promise, aborted]);
      if (signal.aborted || !(await join()) || signal.aborted) return false;
      target = talkWithTarget(parts, {
        activity: parts.createActivity(),
        words: (stopped) => parts.conversation.replyToEvent(wordsToBrief(name), stopped),
        question: parts.phrases.takesCall,
        signal,
      });
      return target.taken;
    };
  }

  async function tryToDial(step: TransferStep, signal: AbortSignal): Promise<TransferEnd> {
    attempts += 1;
    if (attempts > transfersAtMost) return { result: 'refused', reason: 'too_many_transfers' };
    if (line === null) return { result: 'failed' };
    let result: TransferResult = 'failed';
    try {
      const reason = await transferLine.reserve(step);
      if (reason !== null) return { result: 'refused', reason };
      if (!signal.aborted) {
        result = await line.transfer(step.to, signal, step.mode === 'warm' ? brief(step) : undefined);
      }
    } catch (error) {
      log.warn({ err: error }, 'a transfer failed');
    } finally {
      // Needed even if the reservation failed, because it may have been committed. The next transfer waits for the release.
      if (result !== 'connected') await transferLine.release();
    }
    return { result };
  }

  return {
    /** Reserves a line just before dialing. Unless the target is connected, the line is free again when this resolves. */
    async dial(step: TransferStep, signal: AbortSignal): Promise<TransferEnd> {
      try {
        return await tryToDial(step, signal);
      } finally {
        target = null;
        quiet = null;
      }
    },
    /** Whoever is on the line instead of the person. */
    target: () => target,
    /** The target of a warm transfer has answered: the person is on hold, or is about to be. */
    hasAnswered: () => quiet !== null,
    /** The person has heard all that was said to them. */
    allHeard: () => quiet?.resolve(),
  };
}

/** Asks the model for what the target of a warm transfer is told. */
const wordsToBrief = (target: string): string =>
  `[${target} is on the line and hears you. The person is on hold and does not. Say in one sentence to ${target} who is calling and why. They are then asked whether they take the call.]`;

const wordsOfFailure: Readonly<Record<Exclude<TransferResult, 'connected'>, string>> = {
  busy: 'the line is busy',
  no_answer: 'no answer',
  not_taken: 'nobody took the call, or a mailbox answered. The person heard none of it',
  failed: 'a technical fault',
};

/** Tells the model why the person is still there. */
export function wordsOfTransfer(
  { target }: TransferStep,
  end: Exclude<TransferEnd, { result: 'connected' }>,
): string {
  if (end.result === 'refused') return `[${wordsOfRefusedTransfer(target, end.reason)}]`;
  return `[The transfer failed: ${wordsOfFailure[end.result]}. The person is with you again.]`;
}
