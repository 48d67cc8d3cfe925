import { z } from 'zod';

/** A setting of null is one that was taken away. */
export function withoutNulls(settings: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));
}

/** `host`, `host:port`, or `*.domain`; a list, or a text with commas. */
export const hostList = z.preprocess(
  (value) => (typeof value === 'string' ? value.split(',').map((host) => host.trim()) : value),
  z.array(z.string().regex(/^(\*\.)?[a-z0-9.:[\]-]+$/i)).max(100),
);
