import type { Route } from '../../http/define-route.ts';
import { addCallerId } from './add.ts';
import { listCallerIds } from './list.ts';
import { removeCallerId } from './remove.ts';
import { updateCallerId } from './update.ts';

export const callerIdRoutes: readonly Route[] = [listCallerIds, addCallerId, updateCallerId, removeCallerId];
