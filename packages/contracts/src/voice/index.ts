export { agentConfig } from './agent-config.ts';
export { type AgentVoice, agentVoice, endpointsByPart, endpointsOf } from './agent-voice.ts';
export type { ExtractSchema } from './extract-schema.ts';
export {
  type KnownEndpoints,
  readAgentVoice,
  type VoiceFault,
  type VoiceReading,
} from './read-agent-voice.ts';
