import { allItems } from '@outdial/client';
import type { ListedCampaign, Progress } from '../../data/campaigns.ts';
import { useSession } from '../../data/session.ts';
import { useData } from '../../data/use-data.ts';
import { bestHours, type CallResults, countCall, emptyResults, hourClock } from '../../plots/call-results.ts';
import { Card, Empty, Fact, Loaded } from '../../ui/basics.tsx';
import { Columns } from '../../ui/columns.tsx';
import { Icon } from '../../ui/icon.tsx';
import { cityOf, count, wholeNumber } from '../../words/dates.ts';
import { OutcomeBars } from './outcome-bars.tsx';
import { Refused } from './refused.tsx';
import { outcomeOf } from '../../words/outcomes.ts';
import { api } from '../../data/api.ts';
import { attemptOf } from '../../data/calls.ts';

/** The results: a funnel from the list to the reached people, the best times, and downloads. */
export function Results({ found: { campaign, progress } }: { found: ListedCampaign }) {
  const { may } = useSession();
  const results = useData(
    () => readResults(campaign.id, campaign.timezone),
    [campaign.id, campaign.timezone],
  );
  return (
    <>
      <div class="grid">
        <Card title="From the list to a conversation">
          <Funnel progress={progress} />
        </Card>
        <Card title="Last call of each person">
          <OutcomeBars progress={progress} />
        </Card>
      </div>
      <Refused campaignId={campaign.id} />
      <Loaded of={results} lines={6}>
        {(counted) =>
          counted.calls === 0 ? (
            <Card title="When people were reached">
              <Empty icon="phone" title="No call has ended yet" />
            </Card>
          ) : (
            <ByTime counted={counted} timeZone={campaign.timezone} />
          )
        }
      </Loaded>
      {may('member') && (
        <Card title="Export">
          <p class="muted">Download all records, for a spreadsheet (CSV) or for programs (NDJSON).</p>
          <div class="line export">
            <Download campaignId={campaign.id} of="recipients" format="csv" text="People, CSV" />
            <Download campaignId={campaign.id} of="calls" format="csv" text="Calls, CSV" />
            <Download campaignId={campaign.id} of="recipients" format="ndjson" text="People, NDJSON" />
            <Download campaignId={campaign.id} of="calls" format="ndjson" text="Calls, NDJSON" />
          </div>
        </Card>
      )}
    </>
  );
}

/** The browser fetches it with the session's cookie, and streams it to the disk. */
function Download(props: { campaignId: string; of: string; format: string; text: string }) {
  const { campaignId, of, format, text } = props;
  return (
    <a
      class="button plain"
      href={`/api/v1/campaigns/${campaignId}/export?of=${of}&format=${format}${format === 'csv' ? '&bom=true' : ''}`}
      download={`${of}.${format}`}
    >
      <Icon name="download" />
      <span>{text}</span>
    </a>
  );
}

function Funnel({ progress: { recipients } }: { progress: Progress }) {
  const called = recipients.total - recipients.waiting - recipients.suppressed - recipients.withdrawn;
  const steps = [
    { key: 'waiting', text: 'On the list', number: recipients.total },
    { key: 'in_call', text: 'Called', number: Math.max(recipients.reached, called) },
    { key: 'reached', text: 'Reached', number: recipients.reached },
  ];
  return (
    <ol class="funnel">
      {steps.map(({ key, text, number }) => {
        const share = recipients.total === 0 ? 0 : number / recipients.total;
        return (
          <li key={key}>
            <span class="funnel-text">
              {text}
              <strong>{wholeNumber(number)}</strong>
              <small>{Math.round(share * 100)}%</small>
            </span>
            <span class="funnel-bar">
              <span class={`c-${key}`} style={{ width: `${share * 100}%` }} />
            </span>
          </li>
        );
      })}
    </ol>
  );
}

function ByTime({ counted, timeZone }: { counted: CallResults & { isCut: boolean }; timeZone: string }) {
  const best = bestHours(counted);
  const hours = counted.hours.map((each, hour) => ({
    ...each,
    text: String(hour).padStart(2, '0'),
    isMarked: hour % 3 === 0,
  }));
  const attempts = counted.attempts.map((each, at) => ({ ...each, text: `${at + 1}.`, isMarked: true }));
  return (
    <>
      <Card
        title="By hour"
        aside={<span class="muted">calls, and the part that was reached; in {cityOf(timeZone)}</span>}
      >
        <Columns label="Calls by hour of the day" columns={hours} />
        {best.length > 0 && (
          <p class="best">
            Best {best.length === 1 ? 'time' : 'times'}:{' '}
            {best
              .map(
                ({ hour, calls, reached }) =>
                  `${hour}–${hour + 1} h (${Math.round((reached / calls) * 100)}% reached)`,
              )
              .join(', ')}
          </p>
        )}
        {counted.isCut && <p class="hint">From the newest {wholeNumber(callsCounted)} calls.</p>}
      </Card>
      <div class="grid">
        <Card title="By attempt">
          <Columns label="Calls by attempt" columns={attempts} />
        </Card>
        <Card title="Total">
          <dl class="facts">
            <Fact big name="Calls" value={wholeNumber(counted.calls)} />
            <Fact big name="Conversation" value={count(Math.round(counted.minutes), 'minute')} />
            <Fact big name="Cost" value={counted.cost.toFixed(2)} />
          </dl>
        </Card>
      </div>
    </>
  );
}

/** Larger campaigns count only their newest calls, which the screen shows. */
const callsCounted = 20_000;
const callsOfPage = 1_000;

/** Counts the calls of a campaign while its pages are read, without storing them. Roles that may not export read pages too. */
async function readResults(campaignId: string, timeZone: string): Promise<CallResults & { isCut: boolean }> {
  const results = emptyResults();
  const hourOf = hourClock(timeZone);
  const calls = allItems((cursor) =>
    api.GET('/api/v1/campaigns/{campaign_id}/calls', {
      params: {
        path: { campaign_id: campaignId },
        query: { limit: callsOfPage, ...(cursor !== undefined && { cursor }) },
      },
    }),
  );
  let read = 0;
  for await (const call of calls) {
    if (read++ >= callsCounted) return { ...results, isCut: true };
    const { created_at: createdAt, duration, cost } = call;
    if (createdAt === null) continue;
    const ended = {
      createdAt,
      outcome: outcomeOf(call),
      attempt: attemptOf(call),
      seconds: duration ?? 0,
      cost,
    };
    countCall(results, ended, hourOf);
  }
  return { ...results, isCut: false };
}
