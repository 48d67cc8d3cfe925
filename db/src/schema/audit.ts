import type { Generated } from 'kysely';
import type { Json, JsonObject } from './columns.ts';

export interface AuditLogTable {
  id: Generated<string>;
  organization_id: string | null;
  created_at: Date;
  action: string;
  actor_type: 'user' | 'operator';
  user_id: string | null;
  operator: string | null;
  credential_type: string | null;
  credential_id: string | null;
  ip: string | null;
  target_type: string | null;
  target_id: string | null;
  changes: Json<JsonObject>;
  fields: Generated<string[]>;
}
