import type { Generated } from 'kysely';
import type { Json, Now } from './columns.ts';

/** As `person_caps.caps` has them; what is null or not there caps nothing. */
export interface PersonCapsJson {
  calls?: Array<{ calls: number; hours: number }> | null;
  gap_seconds?: number | null;
  after_conversation_hours?: number | null;
}

export interface PersonCapsTable {
  organization_id: string;
  caps: Json<PersonCapsJson>;
  updated_at: Now;
}

export interface CalledPeopleTable {
  organization_id: string;
  phone_number: string;
  dialed_at: Generated<Date[]>;
  dialed_by: Generated<Array<string | null>>;
  conversation_at: Date | null;
}
