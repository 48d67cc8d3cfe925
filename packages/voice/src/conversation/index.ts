export type { Conversation, ConversationStep, WrapUp } from './conversation.ts';
export { createConversation, type ConversationParts } from './create-conversation.ts';
