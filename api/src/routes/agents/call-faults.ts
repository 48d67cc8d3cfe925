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
