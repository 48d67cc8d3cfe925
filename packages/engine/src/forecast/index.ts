export { forecastCampaign, type Forecast } from './forecast.ts';
export { forecastView } from './forecast-view.ts';
export { estimateEnds } from './estimate-ends.ts';
