import { sql, type Kysely } from 'kysely';

/**
 * Judges in a transaction whether its user still has the right to it: a credential may be revoked, or its user disabled or demoted, after the
 * request was authenticated. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create function require_rights(organization uuid, caller uuid, credential_type text, credential_id text, issued_at timestamptz,
     caller_role text, allowed text[], at timestamptz) returns void language plpgsql volatile as $$
   declare
     least_first constant text[] := array['viewer', 'member', 'manager', 'admin'];
     present text;
   begin
     select case when u.role_follows_token and credential_type = 'token' then caller_role
       else least_first[least(array_position(least_first, u.role), array_position(least_first, caller_role))] end
     into present
     from users u
     where u.organization_id = organization and u.id = caller and u.disabled_at is null
       and case credential_type
         when 'api_key' then exists (
           select from api_keys k where k.organization_id = organization and k.id = credential_id::uuid
             and k.revoked_at is null and (k.expires_at is null or k.expires_at > at))
         when 'session' then exists (
           select from console_sessions s left join api_keys k on k.id = s.api_key_id
           where s.organization_id = organization and s.id = credential_id::uuid and s.expires_at > at
             and k.revoked_at is null and (k.expires_at is null or k.expires_at > at))
         else u.tokens_not_before is null or issued_at >= u.tokens_not_before
       end;
     if present is null then
       raise exception 'the credential is no longer valid' using errcode = 'OD401';
     elsif not present = any(allowed) then
       raise exception 'the role no longer suffices' using errcode = 'OD403';
     end if;
   end $$`,
];
