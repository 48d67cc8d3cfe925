import type { Generated } from 'kysely';
import type { Role } from './organizations.ts';

export interface ConsoleSessionTable {
  id: Generated<string>;
  token_hash: Buffer;
  organization_id: string;
  user_id: string;
  role: Role;
  api_key_id: string | null;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
}

export interface SignInLinkTable {
  token_hash: Buffer;
  organization_id: string;
  user_id: string;
  /** Null for an operator. */
  created_by: string | null;
  /** The API key that created the link, or the key of the session that created it. */
  api_key_id: string | null;
  created_at: Date;
  expires_at: Date;
}
