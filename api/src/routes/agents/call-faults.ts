import type { Warning } from '@outdial/contracts';
import { MissingValuesError, RefusedNumberError } from '@outdial/engine';
import { fieldFault, ValidationError } from '../../http/errors.ts';

/** Refusals of the engine that are about fields of the request. @throws ValidationError */
export async function withCallFaults<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RefusedNumberError) throw fieldFault('to_phone', error.publicMessage);
    if (error instanceof MissingValuesError) throw new ValidationError(error.faults);
    throw error;
  }
}

/** `meta.outcome` of a call is always the outcome of the call, so a value of the caller is not shown. */
export function reservedNameWarnings(meta: Readonly<Record<string, unknown>> | null | undefined): Warning[] {
  if (meta == null || !Object.hasOwn(meta, 'outcome')) return [];
  const msg =
    '`outcome` is the name of the outcome of the call; choose another name, or this value is not shown';
  return [{ code: 'unknown_field', loc: ['body', 'meta', 'outcome'], msg }];
}
