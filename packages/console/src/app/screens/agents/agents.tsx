import { useLocation } from 'preact-iso/router';
import { useState } from 'preact/hooks';
import { listAgents } from '../../data/agents.ts';
import { api, ok } from '../../data/api.ts';
import { useSession } from '../../data/session.ts';
import { useAction } from '../../ui/use-action.ts';
import { useData } from '../../data/use-data.ts';
import { Card, Empty, Head, Loaded } from '../../ui/basics.tsx';
import { TextArea, TextField } from '../../ui/fields.tsx';
import { Form, Send } from '../../ui/form.tsx';
import { useTitle } from '../../ui/use-title.ts';

export function Agents() {
  useTitle('Agents');
  const { may } = useSession();
  const agents = useData(listAgents, []);
  return (
    <>
      <Head title="Agents" />
      <Loaded of={agents} lines={5}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon="agents" title="No agent yet">
              <p>An agent has a prompt, with placeholders for each person's values.</p>
            </Empty>
          ) : (
            <ul class="campaign-list">
              {list.map(({ id, name, latest_prompt: prompt }) => (
                <li key={id}>
                  <a class="campaign-row" href={`/console/agents/${id}`}>
                    <strong>{name}</strong>
                    <span class="campaign-text clipped">
                      {prompt?.prompt ?? 'No prompt yet, so it cannot make calls'}
                    </span>
                  </a>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {may('manager') && <NewAgent />}
    </>
  );
}

function NewAgent() {
  const { route } = useLocation();
  const [name, setName] = useState('');
  const [prompt, setPrompt] = useState('');
  const create = useAction(async () => {
    const { data } = await ok(
      api.POST('/api/v1/agents', { body: { name, ...(prompt.trim() !== '' && { prompt }) } }),
    );
    route(`/console/agents/${data.id}`);
    return `${name} was created`;
  });
  return (
    <div class="below">
      <Card title="New agent">
        <Form class="form" onSend={create.run}>
          <TextField label="Name" value={name} onInput={setName} placeholder="Anna" required />
          <TextArea
            label="Prompt"
            value={prompt}
            onInput={setPrompt}
            rows={5}
            hint="Write {{name}} as a placeholder for each person’s value."
          />
          <Send action={create} kind="main" icon="plus">
            Create
          </Send>
        </Form>
      </Card>
    </div>
  );
}
