import type { TransferRefusal } from '@outdial/engine';
import { z } from 'zod';
import { defineTool, type Tool } from './tool.ts';

const reasonAtMost = 200;
/** For the record only, so a reason of any form is taken. */
const input = z.object({
  reason: z.string().optional().catch(undefined).describe('In a few words, for the record'),
});
const reasonOf = (reason: string | undefined, byDefault: string) =>
  (reason ?? '').trim().slice(0, reasonAtMost).toWellFormed() || byDefault;

export function endCallTool(): Tool {
  return defineTool({
    name: 'end_call',
    description: 'Hangs up. Use it when the conversation is over, after you have said goodbye.',
    input,
    otherwise: {},
    run: ({ reason }) =>
      Promise.resolve({
        text: 'The call ends.',
        step: { kind: 'end_call', reason: reasonOf(reason, 'agent_done') },
      }),
  });
}

/**
 * Suppresses the number of the call. The model cannot name another one, and no form of the arguments is refused. The tool answers after the commit, so nobody confirms an opt-out that
 * was not saved.
 */
export function optOutTool(suppress: (reason: string) => Promise<void>): Tool {
  return defineTool({
    name: 'opt_out',
    description:
      'Makes sure that this person is never called again. Use it as soon as the person asks not to be called any more, in whatever words. It confirms this to the person, and ends the call.',
    input,
    otherwise: {},
    runsToEnd: true,
    runsFirst: true,
    async run({ reason }) {
      await suppress(reasonOf(reason, 'asked on a call'));
      return { text: 'Done: this number will not be called again. The call ends.', hasOptedOut: true };
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
  number_suppressed: 'The owner of this number has asked not to be called.',
  outside_calling_hours: 'That number may not be called at this hour.',
  rules_unusable: 'No calls are made at the moment.',
  quota_exceeded: 'No more calls may be made today.',
  no_line_free: 'All lines are in use.',
  too_many_transfers: 'There were too many transfers on this call.',
  call_over: 'The person has hung up.',
};

/** Tells the model why a transfer was refused. */
export function wordsOfRefusedTransfer(target: string, refusal: TransferRefusal): string {
  return `Not done: ${target} cannot be connected. ${wordsOfRefusal[refusal]} The person is still with you.`;
}

/**
 * Transfers the person. The model chooses a name; the numbers are in the agent's config. The tool may be interrupted, so it reserves no line; the call
 * reserves one when it dials.
 * @param refusalOf is called before each transfer, and has no side effects
 */
export function transferCallTool(
  targets: readonly [TransferTarget, ...TransferTarget[]],
  refusalOf: (phoneNumber: string) => Promise<TransferRefusal | null>,
): Tool {
  const [first] = targets;
  return defineTool({
    name: 'transfer_call',
    description: `Transfers the person to one of these: ${targets.map(({ name }) => name).join(', ')}. Tell the person first.`,
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
