import { useLocation, useRoute } from 'preact-iso/router';
import { useState } from 'preact/hooks';
import { api, ok, type Schemas } from '../../data/api.ts';
import { useSession } from '../../data/session.ts';
import { upload } from '../../data/upload.ts';
import { useAction } from '../../ui/use-action.ts';
import { useData } from '../../data/use-data.ts';
import { Badge, Button, Card, Empty, Fault, Head, Loaded, Meter, Table } from '../../ui/basics.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { DropZone } from '../../ui/drop-zone.tsx';
import { TextField } from '../../ui/fields.tsx';
import { Form } from '../../ui/form.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { dateAndTime } from '../../words/dates.ts';
import { messageOf } from '../../words/errors.ts';
import { highlightPieces } from '../../words/highlight.ts';

type Item = Schemas['KnowledgeBaseItem'];

const lookMs = 2_000;
const accept = '.pdf,.txt,application/pdf,text/plain';

/** One knowledge base: its documents, and a question that shows what an agent would find. */
export function KnowledgeBase() {
  const { params } = useRoute();
  const id = params['id'] ?? '';
  const path = { kb_id: id };
  const [busy, setBusy] = useState(false);
  const base = useData(
    async () => (await ok(api.GET('/api/v1/knowledge-base/{kb_id}', { params: { path } }))).data,
    [id],
  );
  const items = useData(
    async () => {
      const { data } = await ok(api.GET('/api/v1/knowledge-base/{kb_id}/items', { params: { path } }));
      setBusy(data.some(({ status }) => status === 'pending' || status === 'processing'));
      return data;
    },
    [id],
    { everyMs: busy ? lookMs : 0 },
  );
  return (
    <Loaded of={base}>
      {({ name, description }) => (
        <>
          <BaseHead id={id} name={name} description={description} />
          <div class="stack">
            <Ask id={id} />
            <Loaded of={items}>{(list) => <Items id={id} items={list} onChange={items.reload} />}</Loaded>
          </div>
        </>
      )}
    </Loaded>
  );
}

function BaseHead({ id, name, description }: { id: string; name: string; description: string }) {
  useTitle(name);
  const { may } = useSession();
  const { route } = useLocation();
  const [asking, setAsking] = useState(false);
  const remove = useAction(async () => {
    await ok(api.DELETE('/api/v1/knowledge-base/{kb_id}', { params: { path: { kb_id: id } } }));
    route('/console/documents');
    return `${name} was deleted`;
  });
  return (
    <Head
      title={name}
      back={{ href: '/console/documents', text: 'Documents' }}
      actions={
        may('member') && (
          <Button icon="trash" onClick={() => setAsking(true)}>
            Delete
          </Button>
        )
      }
    >
      {description !== '' && <p class="muted">{description}</p>}
      <Fault text={remove.fault} />
      {asking && (
        <Confirm
          title={`Delete ${name}?`}
          text="All its documents will be deleted, and agents will no longer find them."
          yes="Delete the knowledge base"
          busy={remove.busy}
          onYes={() => remove.run()}
          onClose={() => setAsking(false)}
        />
      )}
    </Head>
  );
}

interface Sending {
  name: string;
  share: number;
  fault: string | null;
}

function Items({ id, items, onChange }: { id: string; items: readonly Item[]; onChange: () => void }) {
  const { may } = useSession();
  const [sending, setSending] = useState<readonly Sending[]>([]);

  /** Uploads one file at a time, because parallel uploads would share a slow connection. */
  async function send(files: readonly File[], replaced: Item | null): Promise<void> {
    for (const file of files) {
      const note = (change: Partial<Sending>) =>
        setSending((list) => list.map((each) => (each.name === file.name ? { ...each, ...change } : each)));
      setSending((list) => [
        ...list.filter(({ name }) => name !== file.name),
        { name: file.name, share: 0, fault: null },
      ]);
      const path = `/api/v1/knowledge-base/${id}/items${replaced === null ? '' : `/${replaced.id}`}`;
      try {
        await upload(replaced === null ? 'POST' : 'PUT', path, file, (share) => note({ share }));
        setSending((list) => list.filter(({ name }) => name !== file.name));
      } catch (error) {
        note({ fault: messageOf(error) });
      }
      onChange();
    }
  }

  return (
    <Card title="Documents" flush>
      {may('member') && (
        <div class="card-body">
          <DropZone
            label="Drop documents here, or choose them"
            hint="PDF or text files. Agents can search them once they have been read."
            accept={accept}
            multiple
            onFiles={(files) => void send(files, null)}
          />
          {sending.map(({ name, share, fault }) => (
            <div key={name} class="sending" role="status">
              <span>{name}</span>
              {fault === null ? <Meter share={share} label={`Uploading ${name}`} /> : <Fault text={fault} />}
            </div>
          ))}
        </div>
      )}
      {items.length === 0 ? (
        <Empty icon="documents" title="No document yet" />
      ) : (
        <Table caption="Documents" head={['Name', 'State', 'Added', '']}>
          {items.map((item) => (
            <ItemRow
              key={item.id}
              id={id}
              item={item}
              onChange={onChange}
              onReplace={(file) => void send([file], item)}
            />
          ))}
        </Table>
      )}
    </Card>
  );
}

const tones = { ready: 'live', failed: 'trouble' } as const;
const words: Readonly<Record<string, string>> = {
  pending: 'Waiting',
  processing: 'Reading',
  ready: 'Ready',
  failed: 'Failed',
};

function ItemRow({
  id,
  item,
  onChange,
  onReplace,
}: {
  id: string;
  item: Item;
  onChange: () => void;
  onReplace: (file: File) => void;
}) {
  const { may, organization } = useSession();
  const [asking, setAsking] = useState(false);
  const remove = useAction(async () => {
    await ok(
      api.DELETE('/api/v1/knowledge-base/{kb_id}/items/{item_id}', {
        params: { path: { kb_id: id, item_id: item.id } },
      }),
    );
    setAsking(false);
    onChange();
    return `${item.name} was removed`;
  });
  const error = 'error' in item && typeof item.error === 'string' ? item.error : null;
  return (
    <tr>
      <td>
        {item.name} <small>{item.file_type}</small>
      </td>
      <td>
        <Badge tone={item.status in tones ? tones[item.status as keyof typeof tones] : 'waiting'}>
          {words[item.status] ?? item.status}
        </Badge>
        {error !== null && <p class="hint">{error}</p>}
      </td>
      <td class="when">{dateAndTime(item.created_at, { timeZone: organization.timezone })}</td>
      <td class="tight">
        {may('member') && (
          <span class="line">
            <label class="button quiet file-button">
              Replace<span class="hidden"> {item.name}</span>
              <input
                type="file"
                accept={accept}
                onChange={(event) => {
                  const [file] = event.currentTarget.files ?? [];
                  if (file !== undefined) onReplace(file);
                  event.currentTarget.value = '';
                }}
              />
            </label>
            <Button kind="quiet" label={`Remove ${item.name}`} onClick={() => setAsking(true)}>
              Remove
            </Button>
          </span>
        )}
        <Fault text={remove.fault} />
        {asking && (
          <Confirm
            title={`Remove ${item.name}?`}
            text="Agents will no longer find it."
            yes="Remove the document"
            busy={remove.busy}
            onYes={() => remove.run()}
            onClose={() => setAsking(false)}
          />
        )}
      </td>
    </tr>
  );
}

/** A question, and the passages that an agent would get for it. */
function Ask({ id }: { id: string }) {
  const [question, setQuestion] = useState('');
  const [passages, setPassages] = useState<ReadonlyArray<Schemas['Passage']> | null>(null);
  const ask = useAction(async () => {
    const { data } = await ok(
      api.GET('/api/v1/knowledge-base/{kb_id}/search', {
        params: { path: { kb_id: id }, query: { q: question, limit: 5 } },
      }),
    );
    setPassages(data);
  });
  return (
    <Card title="Ask">
      <Form class="line ends" onSend={ask.run}>
        <TextField
          label="A question, as a caller would ask it"
          type="search"
          value={question}
          onInput={setQuestion}
          required
        />
        <Button type="submit" icon="search" busy={ask.busy}>
          Ask
        </Button>
      </Form>
      <Fault text={ask.fault} />
      <div role="status">
        {passages?.length === 0 && (
          <p class="muted ask-none">No passage in the documents matches this question.</p>
        )}
        {passages !== null && passages.length > 0 && (
          <ol class="passages">
            {passages.map(({ item_id: item, position, item_name: name, page, highlight }) => (
              <li key={`${item} ${position}`}>
                <p class="hint">
                  {name}, page {page}
                </p>
                <p>
                  {highlightPieces(highlight).map(({ text, isFound }, at) =>
                    isFound ? <mark key={at}>{text}</mark> : text,
                  )}
                </p>
              </li>
            ))}
          </ol>
        )}
      </div>
    </Card>
  );
}
