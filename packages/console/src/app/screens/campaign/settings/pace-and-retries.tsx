import { useState } from 'preact/hooks';
import { api, ok, type Schemas } from '../../../data/api.ts';
import type { Summary } from '../../../data/campaigns.ts';
import { useSession } from '../../../data/session.ts';
import { useAction } from '../../../ui/use-action.ts';
import { Card } from '../../../ui/basics.tsx';
import { Check, TextField } from '../../../ui/fields.tsx';
import { SettingsForm } from '../../../ui/settings-form.tsx';
import { Retries } from '../../campaign-form/retries.tsx';
import type { RetryOutcome, RetryValues } from '../../campaign-form/values.ts';

type Config = Schemas['CampaignConfig'];

interface Values extends RetryValues {
  onWeekends: boolean;
  /** As typed; empty for no limit. */
  perSecond: string;
  attempts: string;
  priority: string;
}

const fields = [
  'call_back_attempts',
  'retry_delay_seconds',
  'max_concurrent_calls',
  'calls_per_second',
  'max_attempts_per_recipient',
  'priority',
] as const;

const limits = [
  {
    label: 'Calls per second',
    hint: 'No limit unless you set one.',
    value: 'perSecond',
    field: 'calls_per_second',
  },
  {
    label: 'Calls per person',
    hint: 'In total, over all days. No limit unless you set one.',
    value: 'attempts',
    field: 'max_attempts_per_recipient',
  },
  {
    label: 'Priority',
    hint: 'When there are not enough lines, campaigns with a higher priority go first.',
    value: 'priority',
    field: 'priority',
  },
] as const;

/** May be changed while the campaign runs. */
export function PaceAndRetries({
  campaign: { id, status },
  config,
  onSaved,
}: {
  campaign: Summary;
  config: Config;
  onSaved: (config: Config) => void;
}) {
  const { may } = useSession();
  const known = valuesOf(config);
  const [changed, setChanged] = useState<Partial<Values>>({});
  const values = { ...known, ...changed };
  const change = (some: Partial<Values>) => setChanged((before) => ({ ...before, ...some }));
  const save = useAction(async () => {
    const { data } = await ok(
      api.PUT('/api/v1/campaigns/{campaign_id}/config', {
        params: { path: { campaign_id: id } },
        body: changesOf(known, values),
      }),
    );
    setChanged({});
    onSaved(data);
    return 'Settings saved';
  }, fields);
  const isOver = status === 'finished' || status === 'canceled';
  return (
    <Card title="Call-backs and pace">
      <SettingsForm
        save={save}
        isOpen={may('manager') && !isOver}
        isChanged={Object.keys(changesOf(known, values)).length > 0}
        hint={may('manager') && isOver ? 'The campaign has ended.' : undefined}
      >
        <Retries values={values} change={change} faults={save.faults} />
        <Check
          label="Call on Saturdays and Sundays"
          checked={values.onWeekends}
          onChange={(onWeekends) => change({ onWeekends })}
        />
        <div class="row">
          {limits.map(({ label, hint, value, field }) => (
            <TextField
              key={field}
              label={label}
              type="number"
              value={values[value]}
              onInput={(typed) => change({ [value]: typed })}
              hint={hint}
              fault={save.faults[field]}
            />
          ))}
        </div>
      </SettingsForm>
    </Card>
  );
}

function valuesOf(config: Config): Values {
  return {
    callBacks: config.call_back_attempts,
    callBackMinutes: config.retry_delay_seconds / 60,
    retryOn: config.retry_on.filter((outcome): outcome is RetryOutcome => outcome !== 'completed'),
    queueAgain: config.queue_again,
    lines: config.max_concurrent_calls,
    onWeekends: config.call_on_weekend,
    perSecond: config.calls_per_second === null ? '' : String(config.calls_per_second),
    attempts: config.max_attempts_per_recipient === null ? '' : String(config.max_attempts_per_recipient),
    priority: String(config.priority),
  };
}

/** Sends only changed fields: the API has values that this form lacks. */
function changesOf(known: Values, values: Values): Schemas['SetCampaignConfig'] {
  const limit = (text: string) => (text === '' ? null : Number(text));
  return {
    ...(values.callBacks !== known.callBacks && { call_back_attempts: values.callBacks }),
    ...(values.callBackMinutes !== known.callBackMinutes && {
      retry_delay_seconds: values.callBackMinutes * 60,
    }),
    ...(String(values.retryOn) !== String(known.retryOn) && { retry_on: [...values.retryOn] }),
    ...(values.queueAgain !== known.queueAgain && { queue_again: values.queueAgain }),
    ...(values.lines !== known.lines && { max_concurrent_calls: values.lines }),
    ...(values.onWeekends !== known.onWeekends && { call_on_weekend: values.onWeekends }),
    ...(values.perSecond !== known.perSecond && { calls_per_second: limit(values.perSecond) }),
    ...(values.attempts !== known.attempts && { max_attempts_per_recipient: limit(values.attempts) }),
    ...(values.priority !== known.priority && { priority: Number(values.priority) }),
  };
}
