import { diffWordsWithSpace } from 'diff';
import { useLocation, useRoute } from 'preact-iso/router';
import { useMemo, useState } from 'preact/hooks';
import { type Agent, readAgent, settingsOf, versionWith } from '../../data/agents.ts';
import { api, ok, type Schemas } from '../../data/api.ts';
import { useSession } from '../../data/session.ts';
import { useAction } from '../../ui/use-action.ts';
import { useData } from '../../data/use-data.ts';
import { useList } from '../../data/use-list.ts';
import { fillPrompt } from '../../prompts/fill-prompt.ts';
import { Button, Card, Head, Loaded } from '../../ui/basics.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { TextArea, TextField } from '../../ui/fields.tsx';
import { Form, Send } from '../../ui/form.tsx';
import { More } from '../../ui/more.tsx';
import { PromptText } from '../../ui/prompt-text.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { dateAndTime } from '../../words/dates.ts';
import { CallMeFirst } from '../new-campaign/call-me-first.tsx';
import { isTalker, Talk } from './talk.tsx';

type Version = Schemas['PromptVersion'];

export function AgentScreen() {
  const { params } = useRoute();
  const id = params['id'] ?? '';
  const { may } = useSession();
  const agent = useData(() => readAgent(id), [id]);
  const versions = useList<Version>(
    (after) =>
      api.GET('/api/v1/agents/{agent_id}/prompts', {
        params: { path: { agent_id: id }, query: { limit: 20, ...after } },
      }),
    [id],
  );
  function onChange(): void {
    agent.reload();
    versions.reload();
  }
  return (
    <Loaded of={agent} lines={6}>
      {(found) => (
        <>
          <AgentHead agent={found} />
          <div class="stack">
            <Prompt key={found.latest_prompt?.prompt ?? ''} agent={found} onChange={onChange} />
            {isTalker(found) && found.latest_prompt && may('member') && <Talk agentId={found.id} />}
            <Card title="Versions" flush>
              <Loaded of={versions}>
                {({ items, more }) => (
                  <>
                    <Versions versions={items} />
                    <More more={more} />
                  </>
                )}
              </Loaded>
            </Card>
            <Settings agent={found} onSaved={agent.set} />
          </div>
        </>
      )}
    </Loaded>
  );
}

function AgentHead({ agent }: { agent: Agent }) {
  useTitle(agent.name);
  const { may } = useSession();
  const { route } = useLocation();
  const [asking, setAsking] = useState(false);
  const remove = useAction(async () => {
    await ok(api.DELETE('/api/v1/agents/{agent_id}', { params: { path: { agent_id: agent.id } } }));
    route('/console/agents');
    return `${agent.name} was deleted`;
  });
  return (
    <Head
      title={agent.name}
      back={{ href: '/console/agents', text: 'Agents' }}
      actions={
        may('manager') && (
          <Button icon="trash" onClick={() => setAsking(true)}>
            Delete
          </Button>
        )
      }
    >
      {asking && (
        <Confirm
          title={`Delete ${agent.name}?`}
          text={remove.fault ?? 'It will make no more calls. The records of its calls keep its name.'}
          yes="Delete the agent"
          busy={remove.busy}
          onYes={() => remove.run()}
          onClose={() => setAsking(false)}
        />
      )}
    </Head>
  );
}

function Prompt({ agent, onChange }: { agent: Agent; onChange: () => void }) {
  const { may } = useSession();
  const before = agent.latest_prompt?.prompt ?? '';
  const [prompt, setPrompt] = useState(before);
  const [explanation, setExplanation] = useState('');
  const save = useAction(async () => {
    const { level = 1, mitigation = '', harmful_intents = [] } = agent.latest_prompt ?? {};
    await ok(
      api.POST('/api/v1/agents/{agent_id}/prompts', {
        params: { path: { agent_id: agent.id } },
        body: { prompt, explanation, level, mitigation, harmful_intents },
      }),
    );
    onChange();
    return 'New calls use this version';
  });
  if (!may('manager')) {
    return (
      <Card title="Prompt">
        <div class="preview">
          <PromptText pieces={fillPrompt(before === '' ? 'No prompt yet.' : before, {})} />
        </div>
      </Card>
    );
  }
  return (
    <Card title="Prompt">
      <Form class="form" onSend={save.run}>
        <TextArea
          label="New prompt"
          value={prompt}
          onInput={setPrompt}
          rows={8}
          hint="Write {{name}} as a placeholder for each person’s value. Saving creates a new version; past calls keep theirs."
        />
        {prompt !== before && (
          <>
            <Diff before={before} after={prompt} />
            <TextField label="Reason for the change" value={explanation} onInput={setExplanation} />
          </>
        )}
        <Send action={save} kind="main" disabled={prompt === before || prompt.trim() === ''}>
          Save a new version
        </Send>
      </Form>
      {before !== '' && may('member') && (
        <div class="test-call">
          <CallMeFirst agentId={agent.id} values={{}} />
        </div>
      )}
    </Card>
  );
}

/** Additions and deletions, marked without relying on colour. */
function Diff({ before, after }: { before: string; after: string }) {
  const parts = useMemo(() => diffWordsWithSpace(before, after), [before, after]);
  return (
    <div class="preview">
      <p class="prompt-text diff" aria-label="Changes">
        {parts.map(({ value, added, removed }, at) =>
          added ? <ins key={at}>{value}</ins> : removed ? <del key={at}>{value}</del> : value,
        )}
      </p>
    </div>
  );
}

function Versions({ versions }: { versions: readonly Version[] }) {
  const { organization } = useSession();
  if (versions.length === 0) return <p class="card-note">No version yet.</p>;
  return (
    <ol class="versions">
      {versions.map(({ created_at: at, prompt, explanation }, index) => (
        <li key={at}>
          <details open={index === 0 && versions.length > 1}>
            <summary>
              {dateAndTime(at, { timeZone: organization.timezone })}
              {index === 0 && <strong> in use</strong>}
              {explanation !== '' && <span class="muted">: {explanation}</span>}
            </summary>
            <Diff before={versions[index + 1]?.prompt ?? prompt} after={prompt} />
          </details>
        </li>
      ))}
    </ol>
  );
}

function Settings({ agent, onSaved }: { agent: Agent; onSaved: (agent: Agent) => void }) {
  const { may } = useSession();
  // Null until they are edited.
  const [name, setName] = useState<string | null>(null);
  const [config, setConfig] = useState<{ text: string; before: string } | null>(null);
  const text = config?.text ?? settingsOf(agent);
  const save = useAction(async () => {
    const read: unknown = JSON.parse(text);
    if (typeof read !== 'object' || read === null || Array.isArray(read)) {
      throw new Error('The settings should be a JSON object, such as {"voice": "calm"}');
    }
    const { data } = await ok(
      api.PUT('/api/v1/agents/{agent_id}', {
        params: {
          path: { agent_id: agent.id },
          ...(config !== null && { header: { 'If-Match': await versionWith(agent.id, config.before) } }),
        },
        body: { ...(name !== null && { name }), ...(config !== null && { config: { ...read } }) },
      }),
    );
    setName(null);
    setConfig(null);
    onSaved(data);
    return 'Settings saved';
  });
  return (
    <Card title="Settings">
      {may('manager') ? (
        <Form class="form" onSend={save.run}>
          <TextField label="Name" value={name ?? agent.name} onInput={setName} required />
          <TextArea
            label="Settings (JSON)"
            value={text}
            onInput={(input) => setConfig({ text: input, before: config?.before ?? settingsOf(agent) })}
            rows={6}
            mono
            hint="telephony.provider and telephony.from_phone determine how calls are placed; the rest is for the voice runtime."
          />
          <Send action={save}>Save the settings</Send>
        </Form>
      ) : (
        <pre class="mono">{text}</pre>
      )}
    </Card>
  );
}
