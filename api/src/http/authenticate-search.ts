import type { Clock } from '@outdial/core';
import { createKnowledgeTokens } from '@outdial/runtime';
import type { Authenticate } from './authenticate.ts';

/**
 * For the operation that voice runtimes may call. In addition to the two usual schemes, it accepts the token that a runtime gets with a
 * call. Such a token is valid for this operation only.
 */
export function searchAuthenticator(
  authenticate: Authenticate,
  { clock, secret }: { clock: Clock; secret: string | null },
): Authenticate {
  if (secret === null) return authenticate;
  const tokens = createKnowledgeTokens(secret);

  return async function authenticateSearch(req) {
    const token = /^Bearer +(\S+) *$/i.exec(req.headers.authorization ?? '')?.[1];
    const byKey = req.headers['x-api-key'] !== undefined;
    const scope = token === undefined || byKey ? null : await tokens.verify(token, clock.now());
    if (scope === null) return authenticate(req);
    const { organizationId, callId, knowledgeBaseIds } = scope;
    const credential = { type: 'token', id: null } as const;
    return { organizationId, userId: callId, role: 'viewer', credential, knowledgeBaseIds };
  };
}
