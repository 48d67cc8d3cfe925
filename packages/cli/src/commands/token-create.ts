import { inTransaction, lesserRole, noteChange, type Role } from '@outdial/db';
import { authEnv, loadEnv } from '@outdial/runtime';
import type { Command } from 'commander';
import { SignJWT } from 'jose';
import { UsageError } from '../cli-error.ts';
import { findUser } from '../find-named.ts';
import { inOrganization } from '../in-organization.ts';
import { environmentOf } from '../open-database.ts';
import { leaf, orgOption, roleOption, wholeNumberOf } from '../options.ts';
import { say } from '../output.ts';
import type { CliContext } from '../cli-context.ts';

interface Options {
  json?: boolean;
  org?: string;
  user: string;
  role?: Role;
  expiresInMinutes: number;
}

/** `outdial token create`: a JWT as the api verifies it, signed with JWT_SECRET. */
export function addTokenCreate(token: Command, context: CliContext): void {
  leaf(token, 'create', 'create a bearer token, signed with JWT_SECRET; shown only once')
    .option(...orgOption)
    .requiredOption('--user <id or email>', 'the user of the token')
    .addOption(roleOption().default(undefined, "the user's"))
    .option('--expires-in-minutes <minutes>', 'how long it is valid', wholeNumberOf('minutes', 7), 60)
    .action(async (options: Options) => {
      const { auth } = loadEnv({ auth: authEnv }, environmentOf(context));
      const { jwtSecret } = auth;
      if (jwtSecret === undefined) throw new UsageError('JWT_SECRET is not set: tokens are signed with it');
      if (options.expiresInMinutes > auth.jwtLongestLifeMinutes) {
        throw new UsageError(
          `--expires-in-minutes: the api refuses tokens that are valid for longer than JWT_LONGEST_LIFE_MINUTES, ${auth.jwtLongestLifeMinutes}`,
        );
      }
      const { organizationId, user } = await inOrganization(context, options, async (db, id) => {
        const named = await findUser(db, id, options.user);
        const asked = options.role ?? named.role;
        if (lesserRole(asked, named.role) !== asked) {
          throw new UsageError(`--role: a token cannot exceed the role of its user, which is ${named.role}`);
        }
        await inTransaction(db, async () =>
          noteChange({ type: 'token', id: named.id, after: { role: asked } }),
        );
        return { organizationId: id, user: named };
      });
      const issuedAt = Math.floor(context.now().getTime() / 1000);
      const expiresAt = issuedAt + options.expiresInMinutes * 60;
      const role = options.role ?? user.role;
      const signed = await new SignJWT({
        org: organizationId,
        role,
        name: `${user.first_name} ${user.last_name}`.trim(),
      })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setSubject(user.id)
        .setIssuer(auth.jwtIssuer)
        .setAudience(auth.jwtAudience)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .sign(new TextEncoder().encode(jwtSecret));
      const answer = { token: signed, role, expires_at: new Date(expiresAt * 1000).toISOString() };
      say(context, options, answer, [
        `token (${role}), valid until ${answer.expires_at}, shown only once:`,
        signed,
      ]);
    });
}
