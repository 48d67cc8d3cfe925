import type { Role } from '../schema/organizations.ts';

const leastFirst: readonly Role[] = ['viewer', 'member', 'manager', 'admin'];

/** The one of two roles that allows less: a key may never do more than its user may. */
export function lesserRole(one: Role, other: Role): Role {
  return leastFirst.indexOf(one) <= leastFirst.indexOf(other) ? one : other;
}
