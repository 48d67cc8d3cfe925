import {
  auditOrganization,
  findOrganizations,
  findUsers,
  type Db,
  type OrganizationRow,
  type UserRow,
} from '@outdial/db';
import { CliError, UsageError } from './cli-error.ts';

/** The organization with an id or name; without one, the only organization. */
export async function findOrganization(db: Db, named: string | undefined): Promise<OrganizationRow> {
  const [first, second] = await findOrganizations(db, { named, limit: 2 });
  if (first === undefined) {
    throw named === undefined
      ? new CliError('no_organization', 'there is no organization yet: create one with `outdial org create`')
      : new CliError('organization_not_found', `there is no organization ${named}`);
  }
  if (second !== undefined) {
    throw named === undefined
      ? new UsageError('there are several organizations: name one with --org')
      : new UsageError(`more than one organization is named ${named}: use the id`);
  }
  auditOrganization(first.id);
  return first;
}

/** The user with an id or e-mail address. Without one, the first user who may run campaigns. */
export async function findUser(db: Db, organizationId: string, named: string | undefined): Promise<UserRow> {
  const [user] =
    named === undefined
      ? await findUsers(db, { organizationId, roles: ['admin', 'manager'], limit: 1 })
      : await findUsers(db, { organizationId, named, limit: 1 });
  if (user !== undefined) return user;
  throw named === undefined
    ? new CliError(
        'no_user',
        'the organization has no admin or manager yet: create one with `outdial user create`',
      )
    : new CliError('user_not_found', `the organization has no user ${named}`);
}
