export { explainWaiting, type Waiting } from './explain-waiting.ts';
export { findWaiting, type CampaignWaiting } from './find-waiting.ts';
export { recipientWaiting } from './recipient-waiting.ts';
