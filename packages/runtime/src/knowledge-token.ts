import { z } from 'zod';
import { createSignedTokens } from './signed-token.ts';

/** The knowledge bases that a voice runtime may search during one call. */
export interface KnowledgeScope {
  organizationId: string;
  callId: string;
  knowledgeBaseIds: readonly string[];
}

const claims = z.object({
  sub: z.guid(),
  org: z.guid(),
  kb: z.array(z.guid()).max(1_000),
});

export interface KnowledgeTokens {
  /** A token for the voice runtime that carries the call. */
  mint(scope: KnowledgeScope, times: { now: Date; lifetimeSeconds: number }): Promise<string>;
  /** Null for an invalid or expired token. */
  verify(token: string, now: Date): Promise<KnowledgeScope | null>;
}

/** Signs and verifies search tokens. All processes share the secret, of at least 32 characters. */
export function createKnowledgeTokens(secret: string): KnowledgeTokens {
  const tokens = createSignedTokens({ secret, audience: 'outdial:knowledge-search', claims });
  return {
    mint: ({ organizationId, callId, knowledgeBaseIds }, times) =>
      tokens.mint({ sub: callId, org: organizationId, kb: [...knowledgeBaseIds] }, times),
    async verify(token, now) {
      const found = await tokens.verify(token, now);
      return found && { organizationId: found.org, callId: found.sub, knowledgeBaseIds: found.kb };
    },
  };
}

/** The `config.knowledge_base_ids` of all enabled skills of type `knowledge_base`. */
export function knowledgeBasesOf(
  skills: ReadonlyArray<{ type: string; enabled: boolean; config: Record<string, unknown> }>,
): string[] {
  const ids = skills
    .filter((skill) => skill.type === 'knowledge_base' && skill.enabled)
    .flatMap((skill) => z.array(z.guid()).safeParse(skill.config['knowledge_base_ids']).data ?? []);
  return [...new Set(ids.map((id) => id.toLowerCase()))];
}
