import { useLocation, useRoute } from 'preact-iso/router';
import { useState } from 'preact/hooks';
import { type ListedCampaign, readCampaign } from '../../data/campaigns.ts';
import { useData } from '../../data/use-data.ts';
import { Badge, Head, Loaded, Tabs } from '../../ui/basics.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { statusInWords } from '../../words/campaign-status.ts';
import { withCapital } from '../../words/with-capital.ts';
import { cityOf, dateOnly, hoursInWords, ownTimeZone } from '../../words/dates.ts';
import { CampaignActions } from './campaign-actions.tsx';
import { CampaignPeople } from './campaign-people.tsx';
import { Live } from './live.tsx';
import { Results } from './results.tsx';
import { api, ok } from '../../data/api.ts';
import { NameAndSchedule } from './settings/name-and-schedule.tsx';
import { PaceAndRetries } from './settings/pace-and-retries.tsx';

const lookMs = 10_000;

export function CampaignScreen() {
  const { params } = useRoute();
  const campaignId = params['id'] ?? '';
  const tab = params['tab'] ?? 'live';
  const { path } = useLocation();
  const campaign = useData(() => readCampaign(campaignId), [campaignId], { everyMs: lookMs });
  const base = `/console/campaigns/${campaignId}`;
  return (
    <Loaded of={campaign} lines={8}>
      {(found) => (
        <>
          <CampaignHead found={found} onChange={campaign.reload} />
          <Tabs
            label="This campaign"
            current={path}
            tabs={[
              { href: base, text: 'Live' },
              { href: `${base}/people`, text: 'People' },
              { href: `${base}/results`, text: 'Results' },
              { href: `${base}/settings`, text: 'Settings' },
            ]}
          />
          {tab === 'people' && <CampaignPeople key={campaignId} found={found} />}
          {tab === 'results' && <Results key={campaignId} found={found} />}
          {tab === 'settings' && (
            <CampaignSettings key={campaignId} found={found} onChange={campaign.reload} />
          )}
          {tab === 'live' && (
            <Live
              key={campaignId}
              found={found}
              onProgress={(progress) =>
                campaign.set({ campaign: { ...found.campaign, status: progress.status }, progress })
              }
            />
          )}
        </>
      )}
    </Loaded>
  );
}

function CampaignHead({ found, onChange }: { found: ListedCampaign; onChange: () => void }) {
  const { campaign, progress } = found;
  useTitle(campaign.name);
  const [language] = useState(() => navigator.language);
  const viewer = { now: new Date(progress.as_of), timeZone: ownTimeZone() };
  const status = statusInWords(campaign, progress, viewer);
  const place = { timeZone: campaign.timezone, language };
  const until = campaign.end_date === null ? '' : ` to ${dateOnly(campaign.end_date, place)}`;
  return (
    <Head
      title={campaign.name}
      back={{ href: '/console/campaigns', text: 'Campaigns' }}
      actions={<CampaignActions found={found} onChange={onChange} />}
    >
      <p class="line">
        <Badge tone={status.tone}>{status.label}</Badge>
        <span>{status.text}</span>
      </p>
      <p class="hint">
        {withCapital(hoursInWords(campaign.start_time, campaign.end_time))} in {cityOf(campaign.timezone)},
        from {dateOnly(campaign.start_date, place)}
        {until}
      </p>
    </Head>
  );
}

function CampaignSettings({ found, onChange }: { found: ListedCampaign; onChange: () => void }) {
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
