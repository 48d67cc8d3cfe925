import { useState } from 'preact/hooks';
import { api, ok, type Role, type Schemas } from '../../data/api.ts';
import { useSession } from '../../data/session.ts';
import { useAction } from '../../ui/use-action.ts';
import { useData } from '../../data/use-data.ts';
import { useList } from '../../data/use-list.ts';
import { Badge, Button, Card, Fault, Loaded } from '../../ui/basics.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Choice, TextField } from '../../ui/fields.tsx';
import { Form, Send } from '../../ui/form.tsx';
import { ListTable } from '../../ui/list-table.tsx';
import { Secret } from '../../ui/secret.tsx';
import { dateAndTime, dateOnly } from '../../words/dates.ts';
import { withCapital } from '../../words/with-capital.ts';
import { roleOptions } from './users.tsx';

export function Keys() {
  const { organization } = useSession();
  const place = { timeZone: organization.timezone };
  const keys = useList<Schemas['ApiKey']>(
    (after) => api.GET('/api/v1/api-keys', { params: { query: { limit: 50, ...after } } }),
    [],
  );
  const [asking, setAsking] = useState<Schemas['ApiKey'] | null>(null);
  const revoke = useAction(async (id: string) => {
    await ok(api.DELETE('/api/v1/api-keys/{key_id}', { params: { path: { key_id: id } } }));
    setAsking(null);
    keys.reload();
    return 'The key was revoked, and its sessions have ended';
  });
  return (
    <div class="stack">
      <NewKey onMade={keys.reload} />
      <Card title="API keys" flush>
        <Fault text={revoke.fault} />
        {asking !== null && (
          <Confirm
            title={`Revoke ${asking.name}?`}
            text="Programs and people can no longer use the key. This cannot be undone."
            yes="Revoke the key"
            busy={revoke.busy}
            onYes={() => revoke.run(asking.id)}
            onClose={() => setAsking(null)}
          />
        )}
        <ListTable
          of={keys}
          lines={4}
          caption="API keys"
          head={['Name', 'Begins with', 'Role', 'Created', 'Last used', 'State', '']}
        >
          {(key) => {
            const state = stateOf(key);
            return (
              <tr key={key.id}>
                <td>{key.name}</td>
                <td class="mono">{key.prefix}</td>
                <td>{withCapital(key.role)}</td>
                <td class="when">{dateOnly(key.created_at, place)}</td>
                <td class="when">
                  {key.last_used_at === null ? 'Never' : dateAndTime(key.last_used_at, place)}
                </td>
                <td>
                  <Badge tone={state === 'Good' ? 'live' : 'idle'}>{state}</Badge>
                  {state === 'Good' &&
                    key.expires_at !== null &&
                    ` until ${dateAndTime(key.expires_at, place)}`}
                </td>
                <td class="tight">
                  {state === 'Good' && (
                    <Button kind="quiet" label={`Revoke ${key.name}`} onClick={() => setAsking(key)}>
                      Revoke
                    </Button>
                  )}
                </td>
              </tr>
            );
          }}
        </ListTable>
      </Card>
    </div>
  );
}

function stateOf({
  revoked_at: revokedAt,
  expires_at: expiresAt,
}: Schemas['ApiKey']): 'Good' | 'Expired' | 'Revoked' {
  if (revokedAt !== null) return 'Revoked';
  return expiresAt !== null && new Date(expiresAt) <= new Date() ? 'Expired' : 'Good';
}

function NewKey({ onMade }: { onMade: () => void }) {
  const { user: self } = useSession();
  const [name, setName] = useState('');
  const [userId, setUserId] = useState(self.id);
  const [role, setRole] = useState<Role>('member');
  const [made, setMade] = useState<string | null>(null);
  const users = useData(async () => {
    const { data } = await ok(api.GET('/api/v1/users', { params: { query: { limit: 200 } } }));
    return data.items;
  }, []);
  const make = useAction(async () => {
    const { data } = await ok(api.POST('/api/v1/api-keys', { body: { name, role, user_id: userId } }));
    setMade(data.key);
    setName('');
    onMade();
  });
  return (
    <Card title="New key">
      <Form class="form" onSend={make.run}>
        <div class="row">
          <TextField label="Name" value={name} onInput={setName} placeholder="CRM" required />
          <Loaded of={users} lines={1}>
            {(list) => (
              <Choice
                label="User"
                value={userId}
                onChange={setUserId}
                options={list
                  .filter(({ disabled }) => !disabled)
                  .map((user) => ({ value: user.id, text: `${user.first_name} ${user.last_name}` }))}
              />
            )}
          </Loaded>
          <Choice label="Role" value={role} onChange={setRole} options={roleOptions} />
        </div>
        <Send action={make} kind="main" icon="plus">
          Create key
        </Send>
        {made !== null && <Secret label="Key" value={made} />}
      </Form>
    </Card>
  );
}
