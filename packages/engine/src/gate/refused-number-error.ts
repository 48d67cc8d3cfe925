import { CodedError } from '@outdial/core';

/** The organization may not call the number. */
export class RefusedNumberError extends CodedError {
  readonly code = 'number_refused';
}
