import { useMemo } from 'preact/hooks';
import type { ListedCampaign, Progress } from '../../data/campaigns.ts';
import { useCampaignCalls } from '../../data/use-campaign-calls.ts';
import { callSeries } from '../../plots/call-series.ts';
import type { CallSpans } from '../../plots/call-spans.ts';
import { Card } from '../../ui/basics.tsx';
import { LinePlot } from '../../ui/line-plot.tsx';
import { ShareBar } from '../../ui/share-bar.tsx';
import { cityOf, dateAndTime, wholeNumber, whenInWords, ownTimeZone } from '../../words/dates.ts';
import { stateOrder, stateWords } from '../../words/outcomes.ts';
import { useSession } from '../../data/session.ts';
import { CallsInProgress } from './calls-in-progress.tsx';
import { OutcomeBars } from './outcome-bars.tsx';
import { LeftOut } from './refused.tsx';

interface Props {
  found: ListedCampaign;
  onProgress: (progress: Progress) => void;
}

const plottedMinutes = 30;

export function Live({ found: { campaign, progress }, onProgress }: Props) {
  const { connected, ...calls } = useCampaignCalls(campaign.id, onProgress);
  const { may } = useSession();
  const isRunning = progress.status === 'running';
  const isBefore = (progress.status === 'draft' || progress.status === 'paused') && progress.dials === 0;
  return (
    <>
      <WhyItWaits progress={progress} timeZone={campaign.timezone} />
      {isBefore && may('member') && <LeftOut campaignId={campaign.id} />}
      <div class="grid">
        <Card title="People" aside={<span class="big-number">{wholeNumber(progress.recipients.total)}</span>}>
          <ShareBar
            label="People by state"
            shares={stateOrder.map((key) => ({
              key,
              text: stateWords[key] ?? key,
              number: progress.recipients[key],
            }))}
          />
        </Card>
        <Card
          title="Outcome of the last call"
          aside={<span class="muted">{wholeNumber(progress.dials)} calls</span>}
        >
          <OutcomeBars progress={progress} />
        </Card>
      </div>
      <Plots progress={progress} timeZone={campaign.timezone} spans={calls.spans} />
      <Card
        title="Calls in progress"
        aside={
          <span class="muted">
            {isRunning && !connected && 'Connecting… '}
            {progress.lines_in_use} of {progress.max_concurrent_calls} lines in use
          </span>
        }
        flush
      >
        <CallsInProgress calls={calls.inProgress} asOf={progress.as_of} />
      </Card>
    </>
  );
}

const saidAbove = new Set<string>([
  'window',
  'retry',
  'calls_per_second',
  'campaign_line',
  'calls_in_progress',
]);

function WhyItWaits({ progress, timeZone }: { progress: Progress; timeZone: string }) {
  const { waiting_detail: detail, waiting_for: reason } = progress;
  // Omits reasons that the header already shows.
  if (detail === null || reason === null || saidAbove.has(reason)) return null;
  const viewer = { now: new Date(progress.as_of), timeZone: ownTimeZone() };
  return (
    <aside
      class={`why ${reason === 'provider' || reason === 'no_worker' || reason === 'no_adapter' ? 'trouble' : ''}`}
    >
      <h2>Reason for waiting</h2>
      <p>{detail.message}</p>
      <p class="muted">{detail.remedy}</p>
      {detail.until !== null && (
        <p>Until {whenInWords(detail.until, { timeZone: detail.timezone ?? timeZone }, viewer)}.</p>
      )}
    </aside>
  );
}

function Plots({ progress, timeZone, spans }: { progress: Progress; timeZone: string; spans: CallSpans }) {
  const now = Date.parse(progress.as_of) / 1_000;
  const series = useMemo(
    () => callSeries(spans.values(), now, plottedMinutes),
    [spans, spans.size, progress.as_of],
  );
  const where = cityOf(timeZone);
  return (
    <div class="grid">
      <Card title="Calls per minute" aside={<span class="muted">last half hour, {where}</span>}>
        <LinePlot
          label="Calls per minute"
          kind="bars"
          times={series.minutes}
          values={series.callsPerMinute}
          timeZone={timeZone}
          summary={`${progress.calls_last_minute} in the last minute, ${Math.max(0, ...series.callsPerMinute)} at most`}
        />
      </Card>
      <Card
        title="Lines in use"
        aside={<span class="muted">as of {dateAndTime(progress.as_of, { timeZone })}</span>}
      >
        <LinePlot
          label="Lines in use"
          kind="steps"
          times={series.minutes}
          values={series.lines}
          timeZone={timeZone}
          summary={`${progress.lines_in_use} now, ${Math.max(0, ...series.lines)} at most`}
        />
      </Card>
    </div>
  );
}
