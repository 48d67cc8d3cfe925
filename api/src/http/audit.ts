import type { AuditOrigin, AuditTarget, Rights } from '@outdial/db';
import { isE164, maskPhoneNumber } from '@outdial/core';
import type { Request } from 'express';
import type { RouteDefinition } from './define-route.ts';
import type { Principal } from './principal.ts';

/** The most field names that an entry lists. No operation has more. */
const fieldsAtMost = 50;
const longestField = 100;

/** The origin of a change, for the audit log. The action is the operation's id, so new operations are logged automatically. */
export function auditOriginOf(
  definition: RouteDefinition,
  { req, principal, body, now }: { req: Request; principal: Principal; body: unknown; now: Date },
): AuditOrigin {
  const { credential } = principal;
  return {
    actor: {
      kind: 'user',
      userId: principal.userId,
      credentialType: credential.type,
      credentialId: credential.id,
      ip: req.ip ?? null,
    },
    organizationId: principal.organizationId,
    action: definition.operationId,
    target: targetOf(definition, req),
    fields: fieldsOf(body),
    rights: rightsOf(definition, { principal, body, now }),
  };
}

function rightsOf(
  { roles, rolesFor, rights }: RouteDefinition,
  { principal, body, now }: { principal: Principal; body: unknown; now: Date },
): Rights {
  const { organizationId, userId, credential, role } = principal;
  const locks = rights === undefined ? null : rights === 'grant' ? 'share' : 'take';
  return { organizationId, userId, credential, role, allowed: rolesFor?.(body) ?? roles, now, locks };
}

/**
 * The target of an operation, from the last id of the path: `agent` for `{agent_id}`. A phone number is masked. For a created resource, the
 * type comes from the operation (`createKnowledgeBase`), and the id from the answer.
 */
function targetOf({ operationId, path }: RouteDefinition, req: Request): AuditTarget | null {
  const made = /^(?:create|make|add)([A-Z]\w*)$/.exec(operationId)?.[1];
  if (made !== undefined) return { type: snakeCase(made), id: null };
  const name = [...path.matchAll(/\{(\w+)\}/g)].at(-1)?.[1];
  const value = name === undefined ? undefined : req.params[name];
  if (name === undefined || typeof value !== 'string') return null;
  return {
    type: targetTypes[name] ?? name.replace(/_id$/, ''),
    id: isE164(value) ? maskPhoneNumber(value) : value.toLowerCase().slice(0, 100),
  };
}

function snakeCase(name: string): string {
  return name.replaceAll(/\B[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}

const targetTypes: Record<string, string> = {
  kb_id: 'knowledge_base',
  item_id: 'knowledge_base_item',
  key_id: 'api_key',
  endpoint_id: 'webhook_endpoint',
  delivery_id: 'webhook_delivery',
  phone_number: 'suppression',
};

function fieldsOf(body: unknown): string[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  return Object.keys(body)
    .slice(0, fieldsAtMost)
    .map((field) => field.slice(0, longestField));
}
