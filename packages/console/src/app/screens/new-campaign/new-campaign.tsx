import { useLocation } from 'preact-iso/router';
import { useRef, useState } from 'preact/hooks';
import { useSession } from '../../data/session.ts';
import { useAction } from '../../ui/use-action.ts';
import { useData } from '../../data/use-data.ts';
import { Button, Card, Empty, Fault, Head, Loaded } from '../../ui/basics.tsx';
import { TextField } from '../../ui/fields.tsx';
import { Form } from '../../ui/form.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { listAgents } from '../../data/agents.ts';
import { AgentAndPrompt } from './agent-and-prompt.tsx';
import { type Draft, emptyDraft, whatIsMissing } from './draft.ts';
import { People } from './people.tsx';
import { Retries } from '../campaign-form/retries.tsx';
import { Schedule } from './schedule.tsx';
import { type CheckedList, sendDraft } from './send-draft.ts';

const back = { href: '/console/campaigns', text: 'Campaigns' };

/** From a spreadsheet to a campaign that runs, on one page. */
export function NewCampaign() {
  useTitle('New campaign');
  const session = useSession();
  const { route } = useLocation();
  const [draft, setDraft] = useState<Draft>(() => emptyDraft(session.organization.timezone));
  const [checked, setChecked] = useState<CheckedList | null>(null);
  const created = useRef<{ id: string | null }>({ id: null });
  const agents = useData(listAgents, []);
  const change = (some: Partial<Draft>) => {
    created.current = { id: null };
    setDraft((before) => ({ ...before, ...some }));
  };
  const send = useAction(async (start: boolean) => {
    const id = await sendDraft(draft, { start, created: created.current });
    route(`/console/campaigns/${id}`);
    return start ? 'The campaign is running' : 'The campaign was saved as a draft';
  });

  if (!session.may('member')) {
    return (
      <>
        <Head title="New campaign" back={back} />
        <Empty icon="block" title="Your role cannot create campaigns" />
      </>
    );
  }
  const missing =
    whatIsMissing(draft) ?? (checked?.taken === 0 ? 'The list has no number that can be called.' : null);
  const refusal = checked?.refusal ?? null;
  return (
    <>
      <Head title="New campaign" back={back} />
      <div class="stack">
        <People draft={draft} change={change} checked={checked} setChecked={setChecked} />
        {draft.sheet !== null && (
          <>
            <Loaded of={agents}>
              {(list) => <AgentAndPrompt draft={draft} change={change} agents={list} />}
            </Loaded>
            <Schedule draft={draft} change={change} />
            <Card title="Call-backs and pace">
              <div class="form">
                <Retries values={draft} change={change} />
              </div>
            </Card>
            <Card title="Name and start">
              <Form class="form" onSend={() => send.run(session.may('manager'))}>
                <TextField
                  label="Name of the campaign"
                  value={draft.name}
                  onInput={(name) => change({ name })}
                  placeholder="Spring reminders"
                />
                <Fault text={send.fault ?? refusal} />
                {missing !== null && <p class="hint">{missing}</p>}
                <div class="line">
                  {session.may('manager') && (
                    <Button
                      type="submit"
                      kind="main"
                      icon="play"
                      big
                      busy={send.busy}
                      disabled={missing !== null}
                    >
                      {checked === null || refusal !== null
                        ? 'Start calling'
                        : `Start calling ${checked.taken} people`}
                    </Button>
                  )}
                  <Button big busy={send.busy} disabled={missing !== null} onClick={() => send.run(false)}>
                    Save as a draft
                  </Button>
                </div>
                {!session.may('manager') && (
                  <p class="hint">A manager starts the campaign once it is saved.</p>
                )}
              </Form>
            </Card>
          </>
        )}
      </div>
    </>
  );
}
