import { z } from 'zod';

/** Ordered by rights: each role has the rights of all earlier ones. */
export const roles = ['viewer', 'member', 'manager', 'admin'] as const;

export const role = z.enum(roles);

export type Role = z.output<typeof role>;

/** `least` and all higher roles. */
export function rolesFrom(least: Role): readonly Role[] {
  return roles.slice(roles.indexOf(least));
}
