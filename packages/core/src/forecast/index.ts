export { estimateCampaignEnd, forecastCampaign, type CampaignForecast } from './forecast-campaign.ts';
export { defaultRates, ownCallsAtLeast, type OutcomeRate, type OutcomeRates } from './outcome-rates.ts';
export type { Bottleneck, CallerIdAllowance, ForecastCase, ForecastGroup } from './forecast-case.ts';
