import type { Route } from '../../http/define-route.ts';
import { importScrubList } from './import.ts';
import { listScrubLists } from './list.ts';
import { removeScrubList } from './remove.ts';

export const scrubListRoutes: readonly Route[] = [listScrubLists, importScrubList, removeScrubList];
