import type { Role } from './schema/organizations.ts';

const leastFirst: readonly Role[] = ['viewer', 'member', 'manager', 'admin'];

/** Returns the role with fewer rights, because a key never has more rights than its user. */
export function lesserRole(one: Role, other: Role): Role {
  return leastFirst.indexOf(one) <= leastFirst.indexOf(other) ? one : other;
}
