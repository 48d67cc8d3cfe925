import { useLocation } from 'preact-iso/router';
import { type CampaignPage, type ListedCampaign, listCampaigns } from '../data/campaigns.ts';
import { useSession } from '../data/session.ts';
import { useData } from '../data/use-data.ts';
import { Badge, Button, ButtonLink, Empty, Head, Loaded, Meter } from '../ui/basics.tsx';
import { useTitle } from '../ui/use-title.ts';
import { shareDone, statusInWords } from '../words/campaign-status.ts';
import { count, ownTimeZone, wholeNumber } from '../words/dates.ts';

const refreshMs = 5_000;

export function Campaigns() {
  useTitle('Campaigns');
  const { query, route } = useLocation();
  const { may } = useSession();
  const page = Math.max(1, Number(query['page'] ?? 1) || 1);
  const list = useData<CampaignPage>(() => listCampaigns(page), [page], { everyMs: refreshMs });
  const isEmpty = list.now.state === 'loaded' && list.now.value.total === 0;
  const start = may('member') && (
    <ButtonLink href="/console/campaigns/new" kind="main" icon="plus">
      New campaign
    </ButtonLink>
  );
  return (
    <>
      <Head title="Campaigns" actions={isEmpty ? undefined : start} />
      <Loaded of={list} lines={6}>
        {({ campaigns, pages, total }) =>
          total === 0 ? (
            <Empty icon="campaigns" title="No campaign yet">
              <p>A campaign calls a list of people within the hours that you set.</p>
              {start}
            </Empty>
          ) : (
            <>
              <ul class="campaign-list">
                {campaigns.map((each) => (
                  <CampaignRow key={each.campaign.id} {...each} />
                ))}
              </ul>
              {pages > 1 && (
                <div class="pager">
                  <Button
                    icon="back"
                    disabled={page <= 1}
                    onClick={() => route(`/console/campaigns?page=${page - 1}`)}
                  >
                    Newer
                  </Button>
                  <span>
                    Page {page} of {pages}
                  </span>
                  <Button
                    icon="next"
                    disabled={page >= pages}
                    onClick={() => route(`/console/campaigns?page=${page + 1}`)}
                  >
                    Older
                  </Button>
                </div>
              )}
            </>
          )
        }
      </Loaded>
    </>
  );
}

function CampaignRow({ campaign, progress }: ListedCampaign) {
  const status = statusInWords(campaign, progress, { now: new Date(), timeZone: ownTimeZone() });
  const { total, reached } = progress.recipients;
  const done = shareDone(progress);
  return (
    <li>
      <a class="campaign-row" href={`/console/campaigns/${campaign.id}`}>
        <span class="campaign-name">
          <strong>{campaign.name}</strong>
          <Badge tone={status.tone}>{status.label}</Badge>
        </span>
        <span class="campaign-text">{status.text}</span>
        <span class="campaign-progress">
          <Meter share={done} label={`${campaign.name}: people done`} />
          <span class="campaign-numbers">
            <span>
              {wholeNumber(reached)} of {count(total, 'person').replace('persons', 'people')} reached
            </span>
            <span>{Math.round(done * 100)}%</span>
          </span>
        </span>
      </a>
    </li>
  );
}
