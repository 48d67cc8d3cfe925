import { uuid } from '@outdial/contracts';
import { NotFoundError } from '@outdial/core';

/**
 * An identifier from a path, where it is an identifier string: one that is no UUID names nothing (docs/behaviour.md).
 * `what` begins the sentence of the 404: "Call", "Campaign".
 */
export function resourceId(text: string, what: string): string {
  if (!uuid.safeParse(text).success) throw notFound(what);
  return text.toLowerCase();
}

export function notFound(what: string): NotFoundError {
  return new NotFoundError(`${what} not found`);
}

/** What was looked up. @throws NotFoundError where there is none */
export function orNotFound<Found>(value: Found | null | undefined, what: string): Found {
  if (value == null) throw notFound(what);
  return value;
}
