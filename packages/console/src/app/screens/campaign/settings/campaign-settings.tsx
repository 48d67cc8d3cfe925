import { api, ok } from '../../../data/api.ts';
import type { ListedCampaign } from '../../../data/campaigns.ts';
import { useData } from '../../../data/use-data.ts';
import { Loaded } from '../../../ui/basics.tsx';
import { NameAndSchedule } from './name-and-schedule.tsx';
import { PaceAndRetries } from './pace-and-retries.tsx';

/** The settings of a campaign, editable for users with the right. */
export function CampaignSettings({ found, onChange }: { found: ListedCampaign; onChange: () => void }) {
  const { id } = found.campaign;
  const params = { path: { campaign_id: id } };
  const config = useData(async () => {
    const { data } = await ok(api.GET('/api/v1/campaigns/{campaign_id}/config', { params }));
    return data;
  }, [id]);
  return (
    <div class="stack">
      <NameAndSchedule campaign={found.campaign} onChange={onChange} />
      <Loaded of={config} lines={5}>
        {(known) => (
          <PaceAndRetries campaign={found.campaign} config={known} onSaved={(saved) => config.set(saved)} />
        )}
      </Loaded>
    </div>
  );
}
