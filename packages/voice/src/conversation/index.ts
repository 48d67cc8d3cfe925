export type { Conversation, ConversationStep, WrapUp } from './conversation.ts';
export type { ConversationCall, ConversationDeps, OpenedConversation } from './conversation-call.ts';
export { createConversation, type ConversationParts } from './create-conversation.ts';
export { modelOf } from './model-of-agent.ts';
