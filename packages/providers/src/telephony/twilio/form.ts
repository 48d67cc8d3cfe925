import type { EventDelivery } from '@outdial/core';
import { z } from 'zod';

export type Form = Record<string, string | string[]>;

export const sid = (prefix: string) => z.string().regex(new RegExp(`^${prefix}[0-9a-fA-F]{32}$`));
export const count = z.coerce.number().int().min(0);
/** Twilio sends some fields empty. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional());

export function formOf(body: string): Form {
  const form = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(body)) {
    const before = form.get(name);
    form.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(form);
}

/** The query of a delivery. The rest of the URL is not used, because a proxy may have changed it. */
export function searchOf({ url }: EventDelivery): string {
  const queryAt = url.indexOf('?');
  return queryAt === -1 ? '' : url.slice(queryAt);
}

/** When Twilio sent the event, or `now` if it has no timestamp. */
export function sentAt(timestamp: string | undefined, now: Date): Date {
  const at = new Date(timestamp ?? '');
  return Number.isNaN(at.getTime()) ? now : at;
}

/** One id for each status of a call, so that a callback, its repetitions and a look-up count once. */
export function statusEventId(callSid: string, status: string): string {
  return `twilio:${callSid}:${status}`;
}
