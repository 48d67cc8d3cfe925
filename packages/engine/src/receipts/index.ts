export { explainRecipient, type ExplainedRecipient } from './explain-recipient.ts';
export type { JudgedCondition } from './judged-conditions.ts';
export { readReceipt, type Receipt } from './read-receipt.ts';
