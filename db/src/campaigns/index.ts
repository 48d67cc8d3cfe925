export * from './campaign-numbers.ts';
export * from './insert-campaign.ts';
export * from './organization-timezone.ts';
export * from './read-campaigns.ts';
export type * from './recipient-list.ts';
export { zonesOf } from './recipient-list.ts';
export * from './read-snapshot.ts';
export * from './replace-recipients.ts';
export * from './update-campaign.ts';
