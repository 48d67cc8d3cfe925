import { useEffect, useState } from 'preact/hooks';
import { api, ok, type Schemas } from '../../data/api.ts';
import { useSession } from '../../data/session.ts';
import { useAction } from '../../ui/use-action.ts';
import { useList } from '../../data/use-list.ts';
import { Badge, Button, Card, Empty, Fault, Loaded } from '../../ui/basics.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields.tsx';
import { Form } from '../../ui/form.tsx';
import { ListTable } from '../../ui/list-table.tsx';
import { More } from '../../ui/more.tsx';
import { Secret } from '../../ui/secret.tsx';
import { dateAndTime } from '../../words/dates.ts';
import { withCapital } from '../../words/with-capital.ts';

const tones = { delivered: 'live', failed: 'trouble', pending: 'waiting' } as const;

type Endpoint = Schemas['WebhookEndpoint'];

export function Webhooks() {
  const endpoints = useList<Endpoint>(
    (after) =>
      api.GET('/api/v1/webhook-endpoints', {
        params: { query: { limit: 50, ...after } },
      }),
    [],
  );
  return (
    <div class="stack">
      <NewEndpoint onMade={endpoints.reload} />
      <Loaded of={endpoints} lines={4}>
        {({ items, more }) =>
          items.length === 0 ? (
            <Empty icon="again" title="No endpoint yet">
              <p>Outdial sends events to your address when calls end and campaigns finish.</p>
            </Empty>
          ) : (
            <>
              {items.map((endpoint) => (
                <EndpointCard key={endpoint.id} endpoint={endpoint} onChange={endpoints.reload} />
              ))}
              <More more={more} />
            </>
          )
        }
      </Loaded>
    </div>
  );
}

function NewEndpoint({ onMade }: { onMade: () => void }) {
  const [url, setUrl] = useState('');
  const [secret, setSecret] = useState<string | null>(null);
  const make = useAction(async () => {
    const { data } = await ok(
      api.POST('/api/v1/webhook-endpoints', { body: { url, events: ['*'], description: '', enabled: true } }),
    );
    setSecret(data.secret);
    setUrl('');
    onMade();
  });
  return (
    <Card title="New endpoint">
      <Form class="form" onSend={make.run}>
        <div class="line ends">
          <TextField
            label="Address"
            type="url"
            value={url}
            onInput={setUrl}
            placeholder="https://example.com/outdial"
            required
          />
          <Button type="submit" kind="main" icon="plus" busy={make.busy}>
            Add
          </Button>
        </div>
        <Fault text={make.fault} />
        {secret !== null && <Secret label="Secret for verifying signatures" value={secret} />}
      </Form>
    </Card>
  );
}

const deliveriesShown = 10;
const looksAtMost = 10;
const lookMs = 2_000;

/** Looks again every two seconds while something is open, ten times at most; the returned function starts over at once. */
function useLooks(isOpen: boolean, look: () => void): () => void {
  const [looks, setLooks] = useState(0);
  useEffect(() => {
    if (!isOpen || looks >= looksAtMost) return undefined;
    const timer = setTimeout(() => {
      setLooks((count) => count + 1);
      look();
    }, lookMs);
    return () => clearTimeout(timer);
  }, [isOpen, looks]);
  return () => {
    setLooks(0);
    look();
  };
}

function EndpointCard({ endpoint, onChange }: { endpoint: Endpoint; onChange: () => void }) {
  const { organization } = useSession();
  const path = { endpoint_id: endpoint.id };
  const deliveries = useList<Schemas['WebhookDelivery']>(
    (after) =>
      api.GET('/api/v1/webhook-endpoints/{endpoint_id}/deliveries', {
        params: { path, query: { limit: deliveriesShown, ...after } },
      }),
    [endpoint.id],
  );
  const isOpen =
    deliveries.now.state === 'loaded' &&
    deliveries.now.value.items.length <= deliveriesShown &&
    deliveries.now.value.items.some(({ status }) => status === 'pending');
  const lookAgain = useLooks(isOpen, deliveries.reload);
  const [asking, setAsking] = useState(false);
  const act = useAction(async (what: 'test' | 'toggle' | 'delete') => {
    if (what === 'test') {
      await ok(api.POST('/api/v1/webhook-endpoints/{endpoint_id}/test', { params: { path } }));
    }
    if (what === 'toggle') {
      const body = { enabled: !endpoint.enabled };
      await ok(api.PUT('/api/v1/webhook-endpoints/{endpoint_id}', { params: { path }, body }));
    }
    if (what === 'delete') {
      await ok(api.DELETE('/api/v1/webhook-endpoints/{endpoint_id}', { params: { path } }));
    }
    setAsking(false);
    if (what === 'test') lookAgain();
    else onChange();
    return { test: 'Test event sent', toggle: 'Saved', delete: 'The endpoint was deleted' }[what];
  });
  const again = useAction(async (deliveryId: string) => {
    const params = { path: { delivery_id: deliveryId } };
    await ok(api.POST('/api/v1/webhook-deliveries/{delivery_id}/redeliver', { params }));
    lookAgain();
    return 'The event is being sent again';
  });
  return (
    <Card
      flush
      title={<span class="url">{endpoint.url}</span>}
      aside={
        <span class="line">
          <Badge tone={endpoint.enabled ? 'live' : 'trouble'}>
            {endpoint.enabled ? 'Enabled' : 'Disabled'}
          </Badge>
          <Button kind="quiet" busy={act.busy} onClick={() => act.run('test')}>
            Send a test
          </Button>
          <Button kind="quiet" busy={act.busy} onClick={() => act.run('toggle')}>
            {endpoint.enabled ? 'Disable' : 'Enable'}
          </Button>
          <Button kind="quiet" icon="trash" onClick={() => setAsking(true)}>
            Delete
          </Button>
        </span>
      }
    >
      <Fault text={act.fault ?? again.fault} />
      {asking && (
        <Confirm
          title="Delete the endpoint?"
          text={`No more events will be sent to ${endpoint.url}, and the record of its deliveries will be deleted.`}
          yes="Delete the endpoint"
          busy={act.busy}
          onYes={() => act.run('delete')}
          onClose={() => setAsking(false)}
        />
      )}
      <ListTable
        of={deliveries}
        lines={3}
        caption={`Deliveries to ${endpoint.url}`}
        head={['When', 'Event', 'State', 'Answer', '']}
        empty={<p class="card-note">No deliveries yet.</p>}
      >
        {(delivery) => (
          <tr key={delivery.id}>
            <td class="when">{dateAndTime(delivery.created_at, { timeZone: organization.timezone })}</td>
            <td class="mono">{delivery.event_type}</td>
            <td>
              <Badge tone={tones[delivery.status]}>{withCapital(delivery.status)}</Badge>
            </td>
            <td>{delivery.error ?? delivery.response_status ?? ''}</td>
            <td class="tight">
              {delivery.status !== 'pending' && (
                <Button kind="quiet" busy={again.busy} onClick={() => again.run(delivery.id)}>
                  Send again
                </Button>
              )}
            </td>
          </tr>
        )}
      </ListTable>
    </Card>
  );
}
