export * from './add-recipients.ts';
export * from './blocked-campaigns.ts';
export * from './campaign-numbers.ts';
export * from './campaign-progress.ts';
export * from './delete-campaign.ts';
export { saveEstimate, takeDueEstimate } from './estimated-ends.ts';
export * from './find-campaign-config.ts';
export * from './find-campaign-for-operators.ts';
export * from './find-running-campaigns.ts';
export * from './find-warning-view.ts';
export * from './insert-campaign.ts';
export * from './is-long-campaign.ts';
export { numbersOfPage } from './numbers-of-page.ts';
export * from './organization-timezone.ts';
export { type CampaignRecord, findCampaign, listCampaigns } from './read-campaigns.ts';
export type * from './recipient-details.ts';
export type * from './recipient-list.ts';
export { ListReplacedError, recipientParamsText } from './recipient-params.ts';
export { moveCampaignZone } from './move-campaign-zone.ts';
export { callingKeysOf } from './recipient-list.ts';
export * from './read-snapshot.ts';
export * from './refresh-statistics.ts';
export * from './replace-recipients.ts';
export * from './retry-recipients.ts';
export * from './update-campaign.ts';
export * from './withdraw-recipient.ts';
export {
  findForecastLimits,
  findOutcomeRates,
  type ForecastLimits,
  groupForForecast,
} from './forecast-view.ts';
