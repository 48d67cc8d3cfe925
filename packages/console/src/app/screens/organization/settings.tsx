import { useMemo, useState } from 'preact/hooks';
import { api, ok, type Schemas } from '../../data/api.ts';
import { useSession } from '../../data/session.ts';
import { useAction } from '../../ui/use-action.ts';
import { useData } from '../../data/use-data.ts';
import { Card, Fact, Loaded } from '../../ui/basics.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Choice, TextField } from '../../ui/fields.tsx';
import { SettingsForm } from '../../ui/settings-form.tsx';
import { count, wholeNumber } from '../../words/dates.ts';

type Details = Schemas['Organization'];
type Kept = keyof Details['retention'];

const policies: ReadonlyArray<{ value: Details['calling_policy']; text: string }> = [
  { value: 'strict', text: 'Strict: rules of countries and regions' },
  { value: 'standard', text: 'Standard: rules of countries' },
  { value: 'none', text: 'None: only the campaigns’ own hours' },
];

const kept: ReadonlyArray<{ name: Kept; label: string }> = [
  { name: 'transcripts_days', label: 'Transcripts' },
  { name: 'recordings_days', label: 'Recordings' },
  { name: 'prompt_values_days', label: 'Prompt values' },
  { name: 'calls_days', label: 'Whole calls' },
];

const fields = ['name', 'timezone', 'calling_policy', ...kept.map(({ name }) => name)];

/** The settings of the whole organization. Admins change them; the operator's limits are shown below. */
export function OrganizationSettings() {
  const details = useData(async () => {
    const { data } = await ok(api.GET('/api/v1/organization'));
    return data;
  }, []);
  return (
    <Loaded of={details} lines={6}>
      {(known) => (
        <div class="stack">
          <Settings known={known} onSaved={details.set} />
          <SetByOperator details={known} />
        </div>
      )}
    </Loaded>
  );
}

function Settings({ known, onSaved }: { known: Details; onSaved: (saved: Details) => void }) {
  const { may, refresh } = useSession();
  const zones = useMemo(() => Intl.supportedValuesOf('timeZone'), []);
  const [changed, setChanged] = useState<Schemas['UpdateOrganization']>({});
  const [days, setDays] = useState<Partial<Record<Kept, string>>>({});
  const [asking, setAsking] = useState(false);
  const retention = Object.fromEntries(
    Object.entries(days).map(([name, text]) => [name, text === '' ? null : Number(text)]),
  ) as Partial<Details['retention']>;
  const changedDays = differing(known.retention, retention);
  const body: Schemas['UpdateOrganization'] = {
    ...differing(known, changed),
    ...(Object.keys(changedDays).length > 0 && { retention: changedDays }),
  };
  const send = useAction(async () => {
    setAsking(false);
    const { data } = await ok(api.PUT('/api/v1/organization', { body }));
    setChanged({});
    setDays({});
    onSaved(data);
    refresh();
    return 'The settings are saved';
  }, fields);
  const deletes = kept.some(({ name }) => isSooner(body.retention?.[name], known.retention[name]));
  const values = { ...known, ...changed };
  const change = (some: Schemas['UpdateOrganization']) => setChanged((before) => ({ ...before, ...some }));
  return (
    <Card title="Settings">
      <SettingsForm
        save={{ ...send, run: () => (deletes ? setAsking(true) : send.run()) }}
        isOpen={may('admin')}
        isChanged={Object.keys(body).length > 0}
      >
        <div class="row">
          <TextField
            label="Name"
            value={values.name}
            onInput={(name) => change({ name })}
            required
            fault={send.faults['name']}
          />
          <TextField
            label="Time zone"
            value={values.timezone}
            onInput={(timezone) => change({ timezone })}
            list={zones}
            hint="For campaigns without their own time zone, and for the days in the usage."
            fault={send.faults['timezone']}
          />
          <Choice
            label="Calling hours"
            value={values.calling_policy}
            onChange={(policy) => change({ calling_policy: policy })}
            options={policies}
            hint="The rules that are enforced for each call, in addition to the campaign's hours."
            fault={send.faults['calling_policy']}
          />
        </div>
        <p class="legend">Days until deletion; leave empty to keep</p>
        <div class="row">
          {kept.map(({ name, label }) => (
            <TextField
              key={name}
              label={label}
              type="number"
              value={days[name] ?? textOf(known.retention[name])}
              onInput={(text) => setDays((before) => ({ ...before, [name]: text }))}
              fault={send.faults[name]}
            />
          ))}
        </div>
      </SettingsForm>
      {asking && (
        <Confirm
          title="Delete older data?"
          text="Data older than the new number of days is deleted within an hour. It cannot be restored."
          yes="Save and delete"
          busy={send.busy}
          onYes={() => send.run()}
          onClose={() => setAsking(false)}
        />
      )}
    </Card>
  );
}

function textOf(days: number | null): string {
  return days === null ? '' : String(days);
}

function isSooner(days: number | null | undefined, before: number | null): boolean {
  return days != null && (before === null || days < before);
}

/** Only the changed fields. */
function differing<Fields extends object>(known: object, fields: Fields): Partial<Fields> {
  const before = new Map<string, unknown>(Object.entries(known));
  // Some of the fields keep their types.
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => before.get(name) !== value),
  ) as Partial<Fields>;
}

/** The installation's limits, which may explain why calls wait. */
function SetByOperator({
  details: { limits, allowed_countries: countries, person_caps: caps },
}: {
  details: Details;
}) {
  const limit = (number: number | null) => (number === null ? 'no limit' : wholeNumber(number));
  const rows: ReadonlyArray<readonly [string, string]> = [
    ['Concurrent calls', limit(limits.max_lines)],
    ['Campaigns', limit(limits.max_campaigns)],
    ['People in all campaigns', limit(limits.max_recipients)],
    ['Calls per day', limit(limits.max_calls_per_day)],
    ['Cost per day', limit(limits.max_spend_per_day)],
    ['Countries', countries === null ? 'all' : countries.join(', ')],
    ['Calls per person', caps.calls.length === 0 ? 'no limit' : caps.calls.map(capInWords).join(', ')],
  ];
  return (
    <Card title="Set by the operator">
      <dl class="facts">
        {rows.map(([name, value]) => (
          <Fact key={name} name={name} value={value} />
        ))}
      </dl>
    </Card>
  );
}

function capInWords({ calls, hours }: { calls: number; hours: number }): string {
  return `${wholeNumber(calls)} in ${hours % 24 === 0 ? count(hours / 24, 'day') : count(hours, 'hour')}`;
}
