import type { TransferRefusal } from '@outdial/engine';
import { z } from 'zod';
import { defineTool, type Tool } from './tool.ts';

const reason = z.string().max(200).optional().describe('In a few words, for the record');

export function endCallTool(): Tool {
  return defineTool({
    name: 'end_call',
    description: 'Hangs up. Use it when the conversation is over, after you have said goodbye.',
    input: z.strictObject({ reason }),
    run: ({ reason: why = 'agent_done' }) =>
      Promise.resolve({ text: 'The call ends.', step: { kind: 'end_call', reason: why } }),
  });
}

/**
 * Takes the person's number off every list, for good. The model cannot name a number: it is the one of the call. The tool answers when
 * that is committed, so the agent cannot confirm what is not so.
 */
export function optOutTool(suppress: (reason: string) => Promise<void>): Tool {
  return defineTool({
    name: 'opt_out',
    description:
      'Makes sure that this person is never called again. Use it as soon as the person asks not to be called any more, in whatever words; confirm it aloud afterwards.',
    input: z.strictObject({ reason }),
    isFinished: true,
    async run({ reason: why = 'asked on a call' }) {
      await suppress(why);
      return {
        text: 'Done: this number will not be called again. Confirm it, and say goodbye.',
        note: { type: 'opted_out' },
      };
    },
  });
}

export interface TransferTarget {
  name: string;
  to: string;
  mode: 'warm' | 'cold';
}

const wordsOfRefusal: Readonly<Record<TransferRefusal, string>> = {
  destination_refused: 'The number may not be called.',
  number_suppressed: 'The one with this number has asked not to be called.',
  quota_exceeded: 'No more calls may be made today.',
  no_line_free: 'All lines are in use.',
  too_many_transfers: 'It was tried too often on this call.',
  call_over: 'The person has hung up.',
};

/** What the agent hears of a transfer that is not dialed. */
export function wordsOfRefusedTransfer(target: string, refusal: TransferRefusal): string {
  return `Not done: ${target} cannot be connected. ${wordsOfRefusal[refusal]} The person is still with you.`;
}

/**
 * Hands the person over. The model chooses among names; the numbers are the agent's config. The tool takes nothing: it may be interrupted, and the call
 * takes the line when it dials.
 * @param refusalOf is asked before each transfer, and changes nothing
 */
export function transferCallTool(
  targets: readonly [TransferTarget, ...TransferTarget[]],
  refusalOf: (phoneNumber: string) => Promise<TransferRefusal | null>,
): Tool {
  const [first] = targets;
  return defineTool({
    name: 'transfer_call',
    description: `Connects the person with somebody else: ${targets.map(({ name }) => name).join(', ')}. Say first that you will.`,
    input: z.strictObject({ target: z.enum(targets.map(({ name }) => name)).default(first.name) }),
    async run({ target }) {
      const { to, mode, name } = targets.find((each) => each.name === target) ?? first;
      const refusal = await refusalOf(to);
      if (refusal !== null) {
        return {
          text: wordsOfRefusedTransfer(name, refusal),
          note: { type: 'transfer_refused', target: name, reason: refusal },
        };
      }
      return { text: 'The transfer begins.', step: { kind: 'transfer', target: name, to, mode } };
    },
  });
}

/** Presses keys, for menus that answer. */
export function sendDtmfTool(): Tool {
  return defineTool({
    name: 'send_dtmf',
    description: 'Presses keys of the telephone, to get through a menu that a machine reads out.',
    input: z.strictObject({
      digits: z.string().regex(/^[0-9*#A-Dw]{1,32}$/, 'digits, *, #; w waits half a second'),
    }),
    run: ({ digits }) =>
      Promise.resolve({ text: 'Pressed. Listen to what follows.', step: { kind: 'send_dtmf', digits } }),
  });
}
