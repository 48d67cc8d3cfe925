import { apiKey, viewOf } from '@outdial/contracts';

export const apiKeyView = viewOf(apiKey);
