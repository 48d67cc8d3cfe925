import { z } from 'zod';

/** A setting of null counts as removed. */
export function withoutNulls(settings: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));
}

/** Entries of `host`, `host:port` or `*.domain`, as a list or as text separated by commas. */
export const hostList = z.preprocess(
  (value) => (typeof value === 'string' ? value.split(',').map((host) => host.trim()) : value),
  z.array(z.string().regex(/^(\*\.)?[a-z0-9.:[\]-]+$/i)).max(100),
);
