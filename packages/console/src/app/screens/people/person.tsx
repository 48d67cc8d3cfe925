import { OutdialError } from '@outdial/client';
import { useRoute } from 'preact-iso/router';
import { useState } from 'preact/hooks';
import { listAgents } from '../../data/agents.ts';
import { api, ok, type Schemas } from '../../data/api.ts';
import { type Call, campaignOf } from '../../data/calls.ts';
import { useSession } from '../../data/session.ts';
import { useAction } from '../../ui/use-action.ts';
import { type Data, useData } from '../../data/use-data.ts';
import { useList } from '../../data/use-list.ts';
import { Button, Card, Empty, Fault, Head, Loaded } from '../../ui/basics.tsx';
import { CallTable } from '../../ui/call-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Choice, TextField } from '../../ui/fields.tsx';
import { Form } from '../../ui/form.tsx';
import { More } from '../../ui/more.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { count, dateOnly } from '../../words/dates.ts';

type Suppression = Schemas['Suppression'];

export function Person() {
  const { params } = useRoute();
  const phone = decodeURIComponent(params['number'] ?? '');
  useTitle(phone);
  const { organization } = useSession();
  const calls = useList<Call>(
    (after) =>
      api.GET('/api/v1/calls', {
        params: { query: { phone_number: phone, limit: 50, ...after } },
      }),
    [phone],
  );
  const suppression = useData(() => findSuppression(phone), [phone]);
  return (
    <>
      <Head
        title={phone}
        back={{ href: '/console/people', text: 'People' }}
        actions={<PersonActions phone={phone} suppression={suppression} calls={calls.reload} />}
      />
      <SuppressionNote suppression={suppression} timeZone={organization.timezone} />
      <Card title="History" flush>
        <Loaded of={calls} lines={5}>
          {({ items, more }) =>
            items.length === 0 ? (
              <Empty icon="phone" title="This number was never called" />
            ) : (
              <>
                <p class="card-note">{summaryOf(items, more.load !== null)}</p>
                <CallTable
                  caption="Calls to this number"
                  calls={items}
                  timeZone={organization.timezone}
                  withNumber={false}
                />
                <More more={more} />
              </>
            )
          }
        </Loaded>
      </Card>
    </>
  );
}

function summaryOf(calls: readonly Call[], goesOn: boolean): string {
  const campaigns = new Set(calls.map(campaignOf).filter((id) => id !== null)).size;
  return `${goesOn ? 'More than ' : ''}${count(calls.length, 'call')}, ${count(campaigns, 'campaign')}`;
}

async function findSuppression(phone: string): Promise<Suppression | null> {
  const { data } = await ok(api.GET('/api/v1/suppressions', { params: { query: { phone_number: phone } } }));
  return data.items[0] ?? null;
}

function SuppressionNote({
  suppression,
  timeZone,
}: {
  suppression: Data<Suppression | null>;
  timeZone: string;
}) {
  if (suppression.now.state !== 'loaded' || suppression.now.value === null) return null;
  const { reason, created_at: at, expires_at: until } = suppression.now.value;
  return (
    <aside class="why trouble">
      <h2>Never called</h2>
      <p>
        Since {dateOnly(at, { timeZone })}
        {until !== null && `, until ${dateOnly(until, { timeZone })}`}
        {reason !== null && `: ${reason}`}
      </p>
    </aside>
  );
}

function PersonActions({
  phone,
  suppression,
  calls,
}: {
  phone: string;
  suppression: Data<Suppression | null>;
  calls: () => void;
}) {
  const { may } = useSession();
  const [open, setOpen] = useState<'call' | 'never' | null>(null);
  const allow = useAction(async () => {
    await ok(
      api.DELETE('/api/v1/suppressions/{phone_number}', { params: { path: { phone_number: phone } } }),
    );
    suppression.reload();
    return `${phone} may be called again`;
  });
  if (!may('member')) return null;
  const isSuppressed = suppression.now.state === 'loaded' && suppression.now.value !== null;
  return (
    <>
      {!isSuppressed && (
        <Button icon="phone" onClick={() => setOpen('call')}>
          Call again
        </Button>
      )}
      {!isSuppressed && (
        <Button kind="danger" icon="block" onClick={() => setOpen('never')}>
          Never call again
        </Button>
      )}
      {isSuppressed && may('manager') && (
        <Button icon="check" busy={allow.busy} onClick={() => allow.run()}>
          Allow calls again
        </Button>
      )}
      <Fault text={allow.fault} />
      {open === 'never' && (
        <NeverAgain
          phone={phone}
          onClose={() => setOpen(null)}
          onDone={() => {
            setOpen(null);
            suppression.reload();
          }}
        />
      )}
      {open === 'call' && (
        <CallAgain
          phone={phone}
          onClose={() => setOpen(null)}
          onDone={() => {
            setOpen(null);
            calls();
          }}
        />
      )}
    </>
  );
}

interface DialogProps {
  phone: string;
  onClose: () => void;
  onDone: () => void;
}

function NeverAgain({ phone, onClose, onDone }: DialogProps) {
  const [reason, setReason] = useState('asked not to be called');
  const add = useAction(async () => {
    await ok(api.POST('/api/v1/suppressions', { body: { phone_number: phone, reason, source: 'console' } }));
    onDone();
    return `${phone} will not be called again`;
  });
  return (
    <Dialog title={`Never call ${phone} again?`} onClose={onClose}>
      <Form class="form" onSend={add.run}>
        <p>No campaign or agent will call this number again. A call in progress continues.</p>
        <TextField label="Reason" value={reason} onInput={setReason} />
        <Fault text={add.fault} />
        <div class="dialog-actions">
          <Button onClick={onClose}>Go back</Button>
          <Button kind="danger" type="submit" busy={add.busy}>
            Never call again
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

function CallAgain({ phone, onClose, onDone }: DialogProps) {
  const agents = useData(listAgents, []);
  const [agentId, setAgentId] = useState('');
  /** The placeholders of the prompt that have no value, as the service has named them. */
  const [names, setNames] = useState<readonly string[]>([]);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const call = useAction(async () => {
    await ok(
      api.POST('/api/v1/agents/{agent_id}/call', {
        params: { path: { agent_id: agentId } },
        // The person must not hear a placeholder.
        body: { to_phone: phone, prompt_params: values, reject_missing_values: true },
      }),
    ).catch((error: unknown) => {
      setNames(missingValuesOf(error));
      throw error;
    });
    onDone();
    return `${phone} is being called`;
  });
  return (
    <Dialog title={`Call ${phone}`} onClose={onClose}>
      <Loaded of={agents}>
        {(list) => (
          <Form class="form" onSend={call.run}>
            <p>The agent calls immediately, regardless of campaign hours.</p>
            <Choice
              label="Agent"
              value={agentId}
              onChange={(id) => {
                setAgentId(id);
                setNames([]);
              }}
              options={[
                { value: '', text: 'Choose an agent' },
                ...list.map(({ id, name }) => ({ value: id, text: name })),
              ]}
            />
            {names.map((name) => (
              <TextField
                key={name}
                label={name}
                value={values[name] ?? ''}
                onInput={(value) => setValues({ ...values, [name]: value })}
                required
              />
            ))}
            <Fault text={call.fault} />
            <div class="dialog-actions">
              <Button onClick={onClose}>Close</Button>
              <Button kind="main" type="submit" icon="phone" busy={call.busy} disabled={agentId === ''}>
                Call
              </Button>
            </div>
          </Form>
        )}
      </Loaded>
    </Dialog>
  );
}

function missingValuesOf(error: unknown): string[] {
  const faults = error instanceof OutdialError ? error.faults : [];
  return faults.flatMap(({ loc: [, field, name] }) => (field === 'prompt_params' ? [String(name)] : []));
}
