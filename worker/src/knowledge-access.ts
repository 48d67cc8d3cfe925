import type { DialingDeps } from '@outdial/engine';
import { createKnowledgeTokens, knowledgeBasesOf } from '@outdial/runtime';

/** A call may be placed again a little later, and its voice runtime may still search shortly after its end. */
const slackSeconds = 300;

/** Gives calls a token to search the knowledge bases of their agent. Without a secret there are no tokens. */
export function createKnowledgeAccess(settings: {
  secret: string | null;
  /** Without a trailing slash. */
  publicUrl: string;
  longestCallSeconds: number;
}): NonNullable<DialingDeps['knowledgeAccess']> {
  const tokens = settings.secret === null ? null : createKnowledgeTokens(settings.secret);
  const lifetimeSeconds = settings.longestCallSeconds + slackSeconds;
  return async ({ callId, organizationId, skills, now }) => {
    const ids = tokens === null ? [] : knowledgeBasesOf(skills);
    if (tokens === null || ids.length === 0) return null;
    const token = await tokens.mint(
      { organizationId, callId, knowledgeBaseIds: ids },
      { now, lifetimeSeconds },
    );
    return { ids, searchUrl: `${settings.publicUrl}/api/v1/knowledge-base/{id}/search`, token };
  };
}
