import type { Json, JsonObject, Now } from './columns.ts';

export interface IdempotencyKeyTable {
  organization_id: string;
  method: string;
  path: string;
  key: string;
  body_hash: Buffer;
  response: Json<JsonObject>;
  created_at: Now;
}
