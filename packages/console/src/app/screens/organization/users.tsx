import { useState } from 'preact/hooks';
import { dateAndTime } from '../../words/dates.ts';
import { withCapital } from '../../words/with-capital.ts';
import { Secret } from '../../ui/secret.tsx';
import { api, ok, type Role, type Schemas } from '../../data/api.ts';
import { useSession } from '../../data/session.ts';
import { useAction } from '../../ui/use-action.ts';
import { useList } from '../../data/use-list.ts';
import { Badge, Button, Card, Fault } from '../../ui/basics.tsx';
import { Choice, TextField } from '../../ui/fields.tsx';
import { Form, Send } from '../../ui/form.tsx';
import { ListTable } from '../../ui/list-table.tsx';

type User = Schemas['User'];

export const roleOptions: ReadonlyArray<{ value: Role; text: string }> = [
  { value: 'viewer', text: 'Viewer: can read everything' },
  { value: 'member', text: 'Member: can also make calls and create drafts' },
  { value: 'manager', text: 'Manager: can also run campaigns' },
  { value: 'admin', text: 'Admin: can also manage users and keys' },
];

export function Users() {
  const { user: self, organization } = useSession();
  const [invited, setInvited] = useState<{ email: string; link: string; until: string } | null>(null);
  const users = useList<User>(
    (after) => api.GET('/api/v1/users', { params: { query: { limit: 50, ...after } } }),
    [],
  );
  const change = useAction(async (user: User, body: Schemas['UpdateUser']) => {
    await ok(api.PUT('/api/v1/users/{user_id}', { params: { path: { user_id: user.id } }, body }));
    users.reload();
    return `${user.first_name} ${user.last_name} was saved and signed out of the console`;
  });
  const invite = useAction(async ({ id, email }: Pick<User, 'id' | 'email'>) => {
    const { data } = await ok(
      api.POST('/api/v1/users/{user_id}/sign-in-link', { params: { path: { user_id: id } }, body: {} }),
    );
    const until = dateAndTime(data.expires_at, { timeZone: organization.timezone });
    setInvited({ email, link: data.link, until });
  });
  return (
    <div class="stack">
      <AddUser
        onAdded={(user) => {
          users.reload();
          invite.run(user);
        }}
      />
      {invited !== null && (
        <Card title={`Invitation for ${invited.email}`}>
          <Secret
            label="Link"
            value={invited.link}
            advice={`Send it to the user. It works once, until ${invited.until}.`}
          />
        </Card>
      )}
      <Card title="Users" flush>
        <Fault text={change.fault ?? invite.fault} />
        <ListTable of={users} lines={4} caption="Users" head={['Name', 'E-mail', 'Role', 'State', '']}>
          {(user) => (
            <tr key={user.id}>
              <td>
                {user.first_name} {user.last_name}
              </td>
              <td>{user.email}</td>
              <td>
                <select
                  aria-label={`Role of ${user.email}`}
                  value={user.role}
                  disabled={change.busy || user.id === self.id}
                  onChange={(event) => {
                    const role = roleOptions.find(({ value }) => value === event.currentTarget.value)?.value;
                    if (role !== undefined) change.run(user, { role });
                  }}
                >
                  {roleOptions.map(({ value }) => (
                    <option key={value} value={value}>
                      {withCapital(value)}
                    </option>
                  ))}
                </select>
              </td>
              <td>
                <Badge tone={user.disabled ? 'trouble' : 'live'}>
                  {user.disabled ? 'Disabled' : 'Active'}
                </Badge>
              </td>
              <td class="tight">
                {!user.disabled && user.id !== self.id && (
                  <Button
                    kind="quiet"
                    label={`Invite ${user.email}`}
                    busy={invite.busy}
                    onClick={() => invite.run(user)}
                  >
                    Invite
                  </Button>
                )}
                {user.id !== self.id && (
                  <Button
                    kind="quiet"
                    label={`${user.disabled ? 'Enable' : 'Disable'} ${user.email}`}
                    busy={change.busy}
                    onClick={() => change.run(user, { disabled: !user.disabled })}
                  >
                    {user.disabled ? 'Enable' : 'Disable'}
                  </Button>
                )}
              </td>
            </tr>
          )}
        </ListTable>
      </Card>
    </div>
  );
}

/** Adds a user, and invites them at once. */
function AddUser({ onAdded }: { onAdded: (user: Pick<User, 'id' | 'email'>) => void }) {
  const [email, setEmail] = useState('');
  const [first, setFirst] = useState('');
  const [last, setLast] = useState('');
  const [role, setRole] = useState<Role>('member');
  const add = useAction(async () => {
    const { data } = await ok(
      api.POST('/api/v1/users', { body: { email, first_name: first, last_name: last, role } }),
    );
    setEmail('');
    setFirst('');
    setLast('');
    onAdded(data);
    return `${email} was added`;
  });
  return (
    <Card title="New user">
      <Form class="form" onSend={add.run}>
        <div class="row">
          <TextField label="First name" value={first} onInput={setFirst} required />
          <TextField label="Last name" value={last} onInput={setLast} />
          <TextField label="E-mail" type="email" value={email} onInput={setEmail} required />
          <Choice label="Role" value={role} onChange={setRole} options={roleOptions} />
        </div>
        <Send action={add} kind="main" icon="plus">
          Add
        </Send>
      </Form>
    </Card>
  );
}
