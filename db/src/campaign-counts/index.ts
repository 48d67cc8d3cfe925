export { recipientStates, type PublicRecipientState } from './count-columns.ts';
export * from './fold-counts.ts';
export * from './prove-counts.ts';
