import { uuid } from '@outdial/contracts';
import { NotFoundError } from '@outdial/core';

/** An id from a path, if it is a UUID; anything else is not found (docs/behaviour.md). `what` begins the message of the 404: "Call", "Campaign". */
export function resourceId(text: string, what: string): string {
  if (!uuid.safeParse(text).success) throw notFound(what);
  return text.toLowerCase();
}

export function notFound(what: string): NotFoundError {
  return new NotFoundError(`${what} not found`);
}

/** @returns the found value. @throws NotFoundError for null */
export function orNotFound<Found>(value: Found | null | undefined, what: string): Found {
  if (value == null) throw notFound(what);
  return value;
}
