import { z } from 'zod';

/** Least first: each role may do everything that the ones before it may. */
export const roles = ['viewer', 'member', 'manager', 'admin'] as const;

export const role = z.enum(roles);

export type Role = z.output<typeof role>;

/** `least` and every role above it. */
export function rolesFrom(least: Role): readonly Role[] {
  return roles.slice(roles.indexOf(least));
}
