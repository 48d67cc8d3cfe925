import type { Role } from '@outdial/contracts';
import { ForbiddenOrganizationError, ForbiddenRoleError } from './errors.ts';

/** The caller: the user behind a key or a token, and the rights of the credential. */
export interface Principal {
  organizationId: string;
  userId: string;
  role: Role;
  /** The credential of the caller; the id of a token is its `jti`, if it has one. */
  credential: {
    type: 'api_key' | 'token' | 'session';
    id: string | null;
    /** Of a token, if it says so. */
    issuedAt?: Date | undefined;
  };
  /** For a voice runtime: the only knowledge bases that it may search. */
  knowledgeBaseIds?: readonly string[];
}

export function requireRole(principal: Principal, allowed: readonly Role[]): void {
  if (!allowed.includes(principal.role)) {
    throw new ForbiddenRoleError(`This operation requires one of these roles: ${allowed.join(', ')}`);
  }
}

/** Checks `organization_id`, which is optional in every body and must be the caller's. Call this after a 404 was ruled out (docs/behaviour.md, "Errors"). */
export function requireOwnOrganization(
  principal: Principal,
  organizationId: string | null | undefined,
): void {
  if (organizationId != null && organizationId.toLowerCase() !== principal.organizationId) {
    throw new ForbiddenOrganizationError();
  }
}
