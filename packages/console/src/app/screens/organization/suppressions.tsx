import { useState } from 'preact/hooks';
import { api, ok, type Schemas } from '../../data/api.ts';
import { useSession } from '../../data/session.ts';
import { useAction } from '../../ui/use-action.ts';
import { useList } from '../../data/use-list.ts';
import { Button, Card, Empty, Fault } from '../../ui/basics.tsx';
import { TextField } from '../../ui/fields.tsx';
import { Form } from '../../ui/form.tsx';
import { ListTable } from '../../ui/list-table.tsx';
import { dateOnly } from '../../words/dates.ts';
import { plainNumber } from '../../words/phone-number.ts';

export function Suppressions() {
  const { may, organization } = useSession();
  const place = { timeZone: organization.timezone };
  const list = useList<Schemas['Suppression']>(
    (after) =>
      api.GET('/api/v1/suppressions', {
        params: { query: { limit: 50, ...after } },
      }),
    [],
  );
  const remove = useAction(async (phone: string) => {
    await ok(
      api.DELETE('/api/v1/suppressions/{phone_number}', { params: { path: { phone_number: phone } } }),
    );
    list.reload();
    return `${phone} may be called again`;
  });
  return (
    <div class="stack">
      {may('member') && <AddNumber onAdded={list.reload} />}
      <Card title="Never called" flush>
        <Fault text={remove.fault} />
        <ListTable
          of={list}
          lines={5}
          caption="Numbers that are never called"
          head={['Number', 'Reason', 'From', 'Since', 'Until', '']}
          empty={<Empty icon="block" title="The list is empty" />}
        >
          {({ phone_number: phone, reason, source, created_at: at, expires_at: until }) => (
            <tr key={phone}>
              <td>
                <a class="mono" href={`/console/people/${encodeURIComponent(phone)}`}>
                  {phone}
                </a>
              </td>
              <td>{reason ?? ''}</td>
              <td>{source ?? ''}</td>
              <td class="when">{dateOnly(at, place)}</td>
              <td class="when">{until === null ? 'permanently' : dateOnly(until, place)}</td>
              <td class="tight">
                {may('manager') && (
                  <Button kind="quiet" label={`Allow calls to ${phone}`} onClick={() => remove.run(phone)}>
                    Allow
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

function AddNumber({ onAdded }: { onAdded: () => void }) {
  const [phone, setPhone] = useState('');
  const [reason, setReason] = useState('');
  const add = useAction(async () => {
    const number = plainNumber(phone);
    await ok(
      api.POST('/api/v1/suppressions', {
        body: { phone_number: number, source: 'console', ...(reason !== '' && { reason }) },
      }),
    );
    setPhone('');
    setReason('');
    onAdded();
    return `${number} will not be called again`;
  });
  return (
    <Card title="Add a number">
      <Form class="line ends" onSend={add.run}>
        <TextField
          label="Number"
          type="tel"
          value={phone}
          onInput={setPhone}
          placeholder="+15551230000"
          required
        />
        <TextField label="Reason" value={reason} onInput={setReason} />
        <Button type="submit" kind="main" icon="block" busy={add.busy}>
          Never call
        </Button>
      </Form>
      <Fault text={add.fault} />
    </Card>
  );
}
