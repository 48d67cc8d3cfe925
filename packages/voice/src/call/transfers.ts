import type { TransferResult } from '@outdial/core';
import { type TransferRefusal, transfersAtMost } from '@outdial/engine';
import type { ConversationStep } from '../conversation/conversation.ts';
import { wordsOfRefusedTransfer } from '../tools/call-tools.ts';

export type TransferStep = Extract<ConversationStep, { kind: 'transfer' }>;

/** What a carrier does besides sound. */
export interface CallLine {
  press(digits: string, signal: AbortSignal): Promise<boolean>;
  transfer(to: string, signal: AbortSignal): Promise<TransferResult>;
}

/** The second line of a call, for the one that it is transferred to. */
export interface TransferLine {
  /** Takes it and counts the transfer; gives why it may not be dialed, or null. */
  take(step: TransferStep): Promise<TransferRefusal | null>;
  /** Gives it back. Safe to repeat; never rejects. */
  release(): Promise<void>;
}

export type TransferEnd =
  | { result: TransferResult }
  /** Not dialed. */
  | { result: 'refused'; reason: TransferRefusal };

/** The transfers of one call. */
export function createTransfers(parts: {
  line: CallLine | null;
  transferLine: TransferLine;
  log: { warn(fields: object, message: string): void };
}) {
  const { line, transferLine, log } = parts;
  let tries = 0;

  return {
    /** The line is taken just before the target rings. Unless the two are connected, it is free again when this resolves. */
    async dial(step: TransferStep, signal: AbortSignal): Promise<TransferEnd> {
      tries += 1;
      if (tries > transfersAtMost) return { result: 'refused', reason: 'too_many_transfers' };
      if (line === null) return { result: 'failed' };
      let result: TransferResult = 'failed';
      try {
        const reason = await transferLine.take(step);
        if (reason !== null) return { result: 'refused', reason };
        if (!signal.aborted) result = await line.transfer(step.to, signal);
      } catch (error) {
        log.warn({ err: error }, 'a transfer could not be dialed');
      } finally {
        // Also where it is not known whether one was taken. The next transfer must not count on a line that is given back meanwhile.
        if (result !== 'connected') await transferLine.release();
      }
      return { result };
    },
  };
}

const wordsOfResult: Readonly<Record<TransferResult, string>> = {
  connected:
    '[The other one is on the line, and hears you as the person does. Say in one sentence who this is and what it is about; you leave after it.]',
  busy: '[The transfer failed: the line is busy. The person is still with you.]',
  no_answer: '[The transfer failed: no answer. The person is still with you.]',
  failed: '[The transfer failed. The person is still with you.]',
};

/** What the agent is told of a transfer. */
export function wordsOfTransfer({ target }: TransferStep, end: TransferEnd): string {
  if (end.result === 'refused') return `[${wordsOfRefusedTransfer(target, end.reason)}]`;
  return wordsOfResult[end.result];
}
