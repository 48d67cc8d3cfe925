import { CodedError } from '@outdial/core';

/** A single number that the organization may not call. */
export class RefusedNumberError extends CodedError {
  readonly code = 'number_refused';
}
