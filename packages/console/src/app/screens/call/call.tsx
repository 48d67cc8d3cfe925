import { useRoute } from 'preact-iso/router';
import { useEffect, useRef, useState } from 'preact/hooks';
import { api, ok, type Schemas } from '../../data/api.ts';
import { attemptOf, type Call, campaignOf, eventsOf, isInProgress, readCall } from '../../data/calls.ts';
import { useSession } from '../../data/session.ts';
import { useAction } from '../../ui/use-action.ts';
import { useData } from '../../data/use-data.ts';
import { Badge, Button, Card, Fact, Fault, Head, Loaded } from '../../ui/basics.tsx';
import { Choice, TextArea, TextField } from '../../ui/fields.tsx';
import { Form, Send } from '../../ui/form.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { callTitle } from '../../data/call-number.ts';
import { dateAndTime, duration, timeOfDay } from '../../words/dates.ts';
import { withCapital } from '../../words/with-capital.ts';
import { callStatusWords, outcomeOf, outcomeText } from '../../words/outcomes.ts';
import { type Utterance, utteranceAt, utterancesOf } from '../../words/transcript.ts';
import { Player } from './player.tsx';
import { WhyCalled } from './why-called.tsx';

const lookMs = 2_000;

export function CallScreen() {
  const { params } = useRoute();
  const callId = params['id'] ?? '';
  const [live, setLive] = useState(false);
  const call = useData(
    async () => {
      const found = await readCall(callId);
      setLive(isInProgress(found));
      return found;
    },
    [callId],
    { everyMs: live ? lookMs : 0 },
  );
  return (
    <Loaded of={call} lines={8}>
      {(found) => <CallDetails key={callId} call={found} onChange={call.reload} />}
    </Loaded>
  );
}

function CallDetails({ call, onChange }: { call: Call; onChange: () => void }) {
  const { may, organization } = useSession();
  useTitle(callTitle(call));
  const outcome = outcomeOf(call);
  const campaignId = campaignOf(call);
  const place = { timeZone: organization.timezone };
  const hangUp = useAction(async () => {
    await ok(api.POST('/api/v1/calls/{call_id}/hang-up', { params: { path: { call_id: call.id ?? '' } } }));
    onChange();
    return 'Ending the call';
  });
  return (
    <>
      <Head
        title={callTitle(call)}
        back={
          campaignId === null
            ? { href: '/console/campaigns', text: 'Campaigns' }
            : { href: `/console/campaigns/${campaignId}`, text: 'The campaign' }
        }
        actions={
          isInProgress(call) && may('member') ? (
            <Button kind="danger" icon="stop" busy={hangUp.busy} onClick={() => hangUp.run()}>
              Hang up
            </Button>
          ) : undefined
        }
      >
        <p class="line">
          <Badge tone={isInProgress(call) ? 'live' : outcome === 'completed' ? 'done' : 'waiting'}>
            {outcome === null ? callStatusWords[call.status ?? 'init'] : outcomeText(outcome)}
          </Badge>
          {call.created_at !== null && <span>{dateAndTime(call.created_at, place)}</span>}
          {call.phone_number !== null && (
            <a href={`/console/people/${encodeURIComponent(call.phone_number)}`}>All calls to this number</a>
          )}
        </p>
        <Fault text={hangUp.fault} />
      </Head>
      <div class="call-grid">
        <Conversation call={call} />
        <div class="stack">
          <Facts call={call} />
          {call.provider === 'phone_outbound' && call.id !== null && (
            <WhyCalled callId={call.id} timeZone={place.timeZone} />
          )}
          <Annotations call={call} onChange={onChange} />
          <Events call={call} timeZone={place.timeZone} />
        </div>
      </div>
    </>
  );
}

function Conversation({ call }: { call: Call }) {
  const [share, setShare] = useState(0);
  const [seek, setSeek] = useState<{ share: number } | null>(null);
  const utterances = utterancesOf(call.transcript ?? '', call.duration ?? 0);
  return (
    <Card title="Conversation">
      {call.recording_url !== null && call.id !== null && (
        // The service's path, relative to the host of this page.
        <Player src={`/api/v1/calls/${call.id}/recording`} share={share} onShare={setShare} seek={seek} />
      )}
      {utterances.length === 0 ? (
        <p class="muted">
          {isInProgress(call) ? 'The transcript appears after the call.' : 'No transcript.'}
        </p>
      ) : (
        <Transcript
          utterances={utterances}
          current={share > 0 ? utteranceAt(utterances, share) : null}
          onChoose={call.recording_url === null ? null : (from) => setSeek({ share: from })}
        />
      )}
      {call.system_prompt !== null && (
        <details class="prompt-details">
          <summary>Prompt of the agent</summary>
          <p class="prompt-text">{call.system_prompt}</p>
        </details>
      )}
    </Card>
  );
}

/** Follows the playback: marks the current line and keeps it in view. Clicking a line plays from there. */
function Transcript(props: {
  utterances: readonly Utterance[];
  current: number | null;
  onChoose: ((from: number) => void) | null;
}) {
  const { utterances, current, onChoose } = props;
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    if (current === null) return;
    const line = list.current?.children[current];
    if (line instanceof HTMLElement && list.current !== null) {
      list.current.scrollTo({ top: line.offsetTop - list.current.offsetTop - 40, behavior: 'smooth' });
    }
  }, [current]);
  return (
    <ol class="transcript" ref={list} tabIndex={0} aria-label="Transcript">
      {utterances.map(({ speaker, text, from }, at) => (
        <li key={at} class={`${speaker === 'agent' ? 'agent' : 'other'} ${at === current ? 'current' : ''}`}>
          <span class="speaker">{speakerOf(speaker)}</span>
          {onChoose === null ? (
            <span>{text}</span>
          ) : (
            <button
              type="button"
              onClick={() => onChoose(from)}
              aria-current={at === current ? 'true' : undefined}
            >
              {text}
            </button>
          )}
        </li>
      ))}
    </ol>
  );
}

function speakerOf(speaker: string): string {
  if (speaker === 'agent') return 'Agent';
  return ['callee', 'user', 'person'].includes(speaker) ? 'Person' : speaker;
}

function Facts({ call }: { call: Call }) {
  return (
    <Card title="The call">
      <dl class="facts">
        <Fact name="Conversation" value={duration(call.duration ?? 0)} />
        <Fact name="Attempt" value={String(attemptOf(call))} />
        <Fact name="Cost" value={call.cost.toFixed(2)} />
        <Fact name="Carrier status" value={call.external_last_status ?? 'none'} />
        {call.created_by !== null && (
          <Fact name="By" value={`${call.created_by.first_name} ${call.created_by.last_name}`.trim()} />
        )}
      </dl>
      <Values title="Prompt values" values={call.prompt_params} />
      <Values title="Extracted values" values={call.call_extract} />
    </Card>
  );
}

function Values({ title, values }: { title: string; values: Record<string, unknown> | null }) {
  const entries = Object.entries(values ?? {});
  if (entries.length === 0) return null;
  return (
    <>
      <h3 class="values-title">{title}</h3>
      <dl class="facts">
        {entries.map(([name, value]) => (
          <Fact key={name} name={name} value={typeof value === 'string' ? value : JSON.stringify(value)} />
        ))}
      </dl>
    </>
  );
}

function Events({ call, timeZone }: { call: Call; timeZone: string }) {
  const events = eventsOf(call);
  if (events.length === 0) return null;
  return (
    <Card title="Events">
      <ol class="events">
        {events.map(({ type, at }, key) => (
          <li key={key}>
            <time dateTime={at}>{timeOfDay(at, { timeZone }, { seconds: true })}</time>
            <span>{withCapital(type.replaceAll('_', ' '))}</span>
          </li>
        ))}
      </ol>
    </Card>
  );
}

const qualities = [
  { value: '', text: 'Not rated' },
  ...['1', '2', '3', '4', '5'].map((value) => ({ value, text: `${value} of 5` })),
];

function Annotations({ call, onChange }: { call: Call; onChange: () => void }) {
  const { may } = useSession();
  const [tags, setTags] = useState((call.tags ?? []).map(({ name }) => name).join(', '));
  const [comments, setComments] = useState(call.comments ?? '');
  const [quality, setQuality] = useState(call.quality === null ? '' : String(call.quality));
  const [known, setKnown] = useState({ tags, comments, quality });
  const save = useAction(async () => {
    const body: Schemas['AnnotateCall'] = {
      ...(comments !== known.comments && { comments: comments.trim() === '' ? null : comments }),
      ...(quality !== known.quality && { quality: quality === '' ? null : Number(quality) }),
      ...(tags !== known.tags && {
        tags: tags
          .split(',')
          .map((tag) => tag.trim())
          .filter((tag) => tag !== ''),
      }),
    };
    await ok(api.PUT('/api/v1/calls/{call_id}', { params: { path: { call_id: call.id ?? '' } }, body }));
    setKnown({ tags, comments, quality });
    onChange();
    return 'Notes saved';
  });
  if (!may('member')) {
    return (
      <Card title="Notes">
        <p>{call.comments ?? 'No comment.'}</p>
        <p class="muted">{tags === '' ? 'No tags.' : tags}</p>
      </Card>
    );
  }
  return (
    <Card title="Notes">
      <Form class="form" onSend={save.run}>
        <TextField
          label="Tags"
          value={tags}
          onInput={setTags}
          placeholder="callback, billing"
          hint="Separated by commas."
        />
        <Choice label="Quality" value={quality} onChange={setQuality} options={qualities} />
        <TextArea label="Comment" value={comments} onInput={setComments} rows={3} />
        <Send action={save}>Save the notes</Send>
      </Form>
    </Card>
  );
}
