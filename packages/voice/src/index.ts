export { canTransfer } from './call/call-line.ts';
export * from './conversation/index.ts';
export { openConversation } from './open-conversation.ts';
export * from './language-model/index.ts';
export * from './simulation/index.ts';
export * from './tools/index.ts';
