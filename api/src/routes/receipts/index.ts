import type { Route } from '../../http/define-route.ts';
import { explainRecipient } from './explain.ts';
import { readReceipt } from './read.ts';

export const receiptRoutes: readonly Route[] = [readReceipt, explainRecipient];
