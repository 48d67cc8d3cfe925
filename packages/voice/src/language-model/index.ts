export { chatEndpoint } from './chat-endpoint.ts';
export { createDialects, type Dialects } from './dialect.ts';
export * from './language-model.ts';
export * from '../models/model-failed-error.ts';
export { withFallbacks } from './with-fallbacks.ts';
