import { errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';

/** What a voice runtime may search during one call. */
export interface KnowledgeScope {
  organizationId: string;
  callId: string;
  knowledgeBaseIds: readonly string[];
}

const ISSUER = 'outdial';
/** Sets these tokens apart from those of users, even where both are signed with one secret. */
const AUDIENCE = 'outdial:knowledge-search';

const claims = z.object({
  sub: z.guid(),
  org: z.guid(),
  kb: z.array(z.guid()).max(1_000),
});

export interface KnowledgeTokens {
  /** A token for one call, for the voice runtime that carries it. It ends after `lifetimeSeconds`. */
  mint(scope: KnowledgeScope, times: { now: Date; lifetimeSeconds: number }): Promise<string>;
  /** Null for anything that is not, or no longer, such a token. */
  verify(token: string, now: Date): Promise<KnowledgeScope | null>;
}

/** Signs and verifies search tokens. All processes share the secret, of at least 32 characters. */
export function createKnowledgeTokens(secret: string): KnowledgeTokens {
  const key = new TextEncoder().encode(secret);
  return {
    mint({ organizationId, callId, knowledgeBaseIds }, { now, lifetimeSeconds }) {
      const issuedAt = Math.floor(now.getTime() / 1_000);
      return new SignJWT({ org: organizationId, kb: [...knowledgeBaseIds] })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(callId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + lifetimeSeconds)
        .sign(key);
    },

    async verify(token, now) {
      try {
        const { payload } = await jwtVerify(token, key, {
          issuer: ISSUER,
          audience: AUDIENCE,
          algorithms: ['HS256'],
          requiredClaims: ['exp', 'sub', 'org', 'kb'],
          currentDate: now,
        });
        const { sub, org, kb } = claims.parse(payload);
        return { organizationId: org, callId: sub, knowledgeBaseIds: kb };
      } catch (error) {
        if (error instanceof errors.JOSEError || error instanceof z.ZodError) return null;
        throw error;
      }
    },
  };
}

/** The knowledge bases that an agent's skills name: `config.knowledge_base_ids` of those of type `knowledge_base`. */
export function knowledgeBasesOf(
  skills: ReadonlyArray<{ type: string; enabled: boolean; config: Record<string, unknown> }>,
): string[] {
  const ids = skills
    .filter((skill) => skill.type === 'knowledge_base' && skill.enabled)
    .flatMap((skill) => z.array(z.guid()).safeParse(skill.config['knowledge_base_ids']).data ?? []);
  return [...new Set(ids.map((id) => id.toLowerCase()))];
}
