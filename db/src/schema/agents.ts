import type { Generated, GeneratedAlways } from 'kysely';
import type { Json, JsonObject, Now } from './columns.ts';

export interface AgentTable {
  id: Generated<string>;
  organization_id: string;
  name: string;
  config: Json<JsonObject>;
  created_at: Now;
  updated_at: Now;
  deleted_at: Date | null;
}

export interface AgentSkillTable {
  id: Generated<string>;
  organization_id: string;
  agent_id: string;
  type: string;
  exec_order: string;
  enabled: Generated<boolean>;
  config: Json<JsonObject>;
  created_at: Now;
}

export interface AgentPromptTable {
  id: GeneratedAlways<string>;
  organization_id: string;
  agent_id: string;
  level: number;
  prompt: string;
  explanation: Generated<string>;
  mitigation: Generated<string>;
  harmful_intents: Json<unknown[]>;
  created_at: Now;
}
