import type { EventType } from '@outdial/core';
import type { Generated } from 'kysely';
import type { Json, JsonObject } from './columns.ts';

export interface OutboxSubjectTable {
  subject_id: string;
  campaign_id: string;
  last_sequence: string;
}

export interface OutboxTable {
  id: Generated<string>;
  organization_id: string;
  type: EventType;
  campaign_id: string | null;
  recipient_id: string | null;
  call_id: string | null;
  data: Json<JsonObject>;
  created_at: Date;
  ordinal: Generated<string>;
  position: string | null;
  subject_id: Generated<string>;
  sequence: string | null;
}
