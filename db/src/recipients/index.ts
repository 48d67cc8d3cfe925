export * from './list-recipients.ts';
export type { RecipientFilters } from './recipient-filters.ts';
