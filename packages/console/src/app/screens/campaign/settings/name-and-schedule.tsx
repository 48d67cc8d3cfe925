import { useState } from 'preact/hooks';
import { api, ok, type Schemas } from '../../../data/api.ts';
import { setStatus, type Summary } from '../../../data/campaigns.ts';
import { useSession } from '../../../data/session.ts';
import { useAction } from '../../../ui/use-action.ts';
import { Card } from '../../../ui/basics.tsx';
import { TextField } from '../../../ui/fields.tsx';
import { HoursAndDays } from '../../campaign-form/hours-and-days.tsx';
import type { ScheduleValues } from '../../campaign-form/values.ts';
import { SettingsForm } from '../../../ui/settings-form.tsx';

interface Values extends ScheduleValues {
  name: string;
}

const fields = ['name', 'start_time', 'end_time', 'start_date', 'end_date'] as const;

/** Only a paused campaign may be changed here, because its recipients are rescheduled. */
export function NameAndSchedule({ campaign, onChange }: { campaign: Summary; onChange: () => void }) {
  const { may } = useSession();
  const known = valuesOf(campaign);
  const [changed, setChanged] = useState<Partial<Values>>({});
  const values = { ...known, ...changed };
  const change = (some: Partial<Values>) => setChanged((before) => ({ ...before, ...some }));
  const { id, status } = campaign;
  const save = useAction(async () => {
    if (status === 'draft') await setStatus(id, 'paused');
    const answer = await ok(
      api.PUT('/api/v1/campaigns/{campaign_id}', {
        params: { path: { campaign_id: id } },
        body: changesOf(known, values),
        // The answer has every number of the campaign, perhaps a million.
        parseAs: 'stream',
      }),
    );
    await answer?.cancel();
    setChanged({});
    onChange();
    return 'Settings saved';
  }, fields);
  return (
    <Card title="Name and schedule">
      <SettingsForm
        save={save}
        isOpen={may('manager') && (status === 'paused' || status === 'draft')}
        isChanged={Object.keys(changesOf(known, values)).length > 0}
        hint={may('manager') ? hints[status] : undefined}
      >
        <TextField
          label="Name"
          value={values.name}
          onInput={(name) => change({ name })}
          required
          fault={save.faults['name']}
        />
        <HoursAndDays values={values} change={change} faults={save.faults} />
        <p class="hint">Hours and days are in the time zone {campaign.timezone}.</p>
      </SettingsForm>
    </Card>
  );
}

const hints: Partial<Record<Summary['status'], string>> = {
  draft: 'Saving turns this draft into a paused campaign. No calls are placed until you start it.',
  running: 'Pause the campaign to change its name, hours and days.',
  finished: 'The campaign has ended.',
  canceled: 'The campaign has ended.',
};

function valuesOf({ name, timezone, ...campaign }: Summary): Values {
  // The Swedish locale formats dates as ISO 8601.
  const day = (at: string) =>
    new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short' }).format(new Date(at));
  return {
    name,
    startTime: timeOf(campaign.start_time),
    endTime: timeOf(campaign.end_time),
    startDate: day(campaign.start_date),
    endDate: campaign.end_date === null ? '' : day(campaign.end_date),
  };
}

/** In the format of a time field, which does not accept 24:00. */
function timeOf(time: string): string {
  return time.replace(/^24:00/, '00:00').replace(/^(\d\d:\d\d):00$/, '$1');
}

/** Sends only changed fields: otherwise a first day would begin at its midnight. */
function changesOf(known: Values, values: Values): Schemas['UpdateCampaign'] {
  return {
    ...(values.name !== known.name && { name: values.name.trim() }),
    ...(values.startTime !== known.startTime && { start_time: values.startTime }),
    ...(values.endTime !== known.endTime && { end_time: values.endTime }),
    ...(values.startDate !== known.startDate && { start_date: values.startDate }),
    ...(values.endDate !== known.endDate && { end_date: values.endDate === '' ? null : values.endDate }),
  };
}
