import type { Route } from '../../http/define-route.ts';
import { addSuppression } from './add.ts';
import { importSuppressions } from './import.ts';
import { listSuppressions } from './list.ts';
import { removeSuppression } from './remove.ts';

export const suppressionRoutes: readonly Route[] = [
  listSuppressions,
  addSuppression,
  removeSuppression,
  importSuppressions,
];
