import type { ComponentChildren } from 'preact';
import { api, ok } from '../../data/api.ts';
import { useData } from '../../data/use-data.ts';
import { Card, Fact, Loaded } from '../../ui/basics.tsx';
import { wholeNumber } from '../../words/dates.ts';

const skipped = {
  suppressed: 'On the suppression list',
  no_consent: 'Without the consent that a rule or the campaign asks for',
  on_scrub_list: 'On a scrub list',
  number_unchecked: 'Without a recent query of reassigned numbers that says no',
  no_calling_hours: 'In a place without calling hours, or only with hours outside the window',
  campaign_over: 'Not reached before the campaign ends',
} as const;

const withRules = (text: string, rules: readonly string[]) =>
  rules.length === 0 ? text : `${text} (${rules.join(', ')})`;

/** Whom a campaign that has not started will leave out, by its forecast. */
export function LeftOut({ campaignId }: { campaignId: string }) {
  const forecast = useData(async () => {
    const params = { path: { campaign_id: campaignId } };
    return (await ok(api.POST('/api/v1/campaigns/{campaign_id}/forecast', { params, body: {} }))).data;
  }, [campaignId]);
  return (
    <Loaded of={forecast} lines={3}>
      {(found) => (
        <Counted title="Who will not be called" none="Everyone can be called">
          {found.skipped.map(({ reason, rules, count }) => (
            <Fact
              key={`${reason} ${rules.join()}`}
              name={withRules(skipped[reason], rules)}
              value={wholeNumber(count)}
            />
          ))}
        </Counted>
      )}
    </Loaded>
  );
}

/** Whom the gates of a campaign have refused so far, by condition and rule. */
export function Refused({ campaignId }: { campaignId: string }) {
  const refusals = useData(async () => {
    const params = { path: { campaign_id: campaignId } };
    return (await ok(api.GET('/api/v1/campaigns/{campaign_id}/refusals', { params }))).data;
  }, [campaignId]);
  return (
    <Loaded of={refusals} lines={3}>
      {(found) => (
        <Counted title="Refused before a call" none="Nobody was refused">
          {found.refused.map(({ condition, text, rules, people }) => (
            <Fact
              key={`${condition} ${rules.join()}`}
              name={withRules(`Not so: ${text}`, rules)}
              value={wholeNumber(people)}
            />
          ))}
        </Counted>
      )}
    </Loaded>
  );
}

function Counted({ title, none, children }: { title: string; none: string; children: ComponentChildren[] }) {
  return (
    <Card title={title}>
      {children.length === 0 ? <p class="muted">{none}</p> : <dl class="facts">{children}</dl>}
    </Card>
  );
}
