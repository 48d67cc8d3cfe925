import type { Route } from '../../http/define-route.ts';
import { createKnowledgeBaseRoute } from './create.ts';
import { deleteItemRoute } from './delete-item.ts';
import { deleteKnowledgeBaseRoute } from './delete.ts';
import { listItemsRoute } from './list-items.ts';
import { listKnowledgeBasesRoute } from './list.ts';
import { readItemRoute } from './read-item.ts';
import { readKnowledgeBaseRoute } from './read.ts';
import { searchKnowledgeBaseRoute } from './search.ts';
import { updateItemRoute } from './update-item.ts';
import { updateKnowledgeBaseRoute } from './update.ts';
import { uploadItemRoute } from './upload-item.ts';

export const knowledgeBaseRoutes: readonly Route[] = [
  createKnowledgeBaseRoute,
  listKnowledgeBasesRoute,
  readKnowledgeBaseRoute,
  updateKnowledgeBaseRoute,
  deleteKnowledgeBaseRoute,
  uploadItemRoute,
  listItemsRoute,
  readItemRoute,
  updateItemRoute,
  deleteItemRoute,
  searchKnowledgeBaseRoute,
];
