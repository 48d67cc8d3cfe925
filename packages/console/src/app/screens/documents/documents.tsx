import { useLocation } from 'preact-iso/router';
import { useState } from 'preact/hooks';
import { api, ok } from '../../data/api.ts';
import { useSession } from '../../data/session.ts';
import { useAction } from '../../ui/use-action.ts';
import { useData } from '../../data/use-data.ts';
import { Button, Card, Empty, Fault, Head, Loaded } from '../../ui/basics.tsx';
import { TextField } from '../../ui/fields.tsx';
import { Form } from '../../ui/form.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { dateOnly } from '../../words/dates.ts';

export function Documents() {
  useTitle('Documents');
  const { may, organization } = useSession();
  const bases = useData(async () => (await ok(api.GET('/api/v1/knowledge-base'))).data, []);
  return (
    <>
      <Head title="Documents" />
      <Loaded of={bases} lines={5}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon="documents" title="No knowledge base yet">
              <p>A knowledge base has the documents that agents search during a call.</p>
            </Empty>
          ) : (
            <ul class="campaign-list">
              {list.map(({ id, name, description, updated_at: at }) => (
                <li key={id}>
                  <a class="campaign-row" href={`/console/documents/${id}`}>
                    <strong>{name}</strong>
                    <span class="campaign-text">{description}</span>
                    <span class="muted row-aside">{dateOnly(at, { timeZone: organization.timezone })}</span>
                  </a>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {may('member') && <NewBase />}
    </>
  );
}

function NewBase() {
  const { route } = useLocation();
  const [name, setName] = useState('');
  const create = useAction(async () => {
    const { data } = await ok(api.POST('/api/v1/knowledge-base', { body: { name: name.trim() } }));
    route(`/console/documents/${data.id}`);
  });
  return (
    <div class="below">
      <Card title="New knowledge base">
        <Form class="line ends" onSend={create.run}>
          <TextField label="Name" value={name} onInput={setName} placeholder="Product manuals" required />
          <Button type="submit" kind="main" icon="plus" busy={create.busy}>
            Create
          </Button>
        </Form>
        <Fault text={create.fault} />
      </Card>
    </div>
  );
}
