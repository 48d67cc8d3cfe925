import type { Call } from './calls.ts';

type WhoseNumber = Pick<Call, 'provider' | 'phone_number' | 'prompt_params'>;

/** The text for a call without a number. */
export function missingNumber({ provider, prompt_params: values }: WhoseNumber): string {
  if (provider === 'web') return 'in the browser';
  // Erasing a person also removes the prompt values, which every inbound call has.
  return provider === 'phone_inbound' && values !== null ? 'withheld' : 'erased';
}

/** A call by its number and its direction: "Call to +15551230000". */
export function callTitle(call: WhoseNumber): string {
  if (call.provider === 'web') return 'Call in the browser';
  const direction = call.provider === 'phone_inbound' ? 'from' : 'to';
  if (call.phone_number !== null) return `Call ${direction} ${call.phone_number}`;
  return `Call ${direction} ${missingNumber(call) === 'withheld' ? 'a withheld' : 'an erased'} number`;
}
