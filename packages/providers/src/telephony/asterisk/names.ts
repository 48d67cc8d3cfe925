import { randomBytes } from 'node:crypto';

/** Names in Asterisk. They are all derived from the call's id, which is also the id of its channel. So no process has to remember them. */
const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const callChannel = new RegExp(`^${uuid}$`);
const mediaChannel = new RegExp(`^(${uuid})-media$`);
const transferChannel = new RegExp(`^(${uuid})-transfer$`);
const recording = new RegExp(`^outdial-(${uuid})$`);
const endVariable = new RegExp(`^OUTDIAL_END_(${uuid})$`);

export const isCallId = (channelId: string): boolean => callChannel.test(channelId);

export const mediaChannelOf = (callId: string): string => `${callId}-media`;
export const callOfMediaChannel = (channelId: string): string | null =>
  mediaChannel.exec(channelId)?.[1] ?? null;

/** The channel that listens to both sides, for the recording. */
export const listeningChannelOf = (callId: string): string => `${callId}-record`;
export const transferChannelOf = (callId: string): string => `${callId}-transfer`;
export const callOfTransferChannel = (channelId: string): string | null =>
  transferChannel.exec(channelId)?.[1] ?? null;
export const holdSoundOf = (callId: string): string => `${callId}-hold`;
/** Set on the call's channel once the person is transferred: the call then outlives its media connection. */
export const transferredVariable = 'OUTDIAL_TRANSFERRED';
export const bridgeOf = (callId: string): string => `${callId}-bridge`;

export const recordingOf = (callId: string): string => `outdial-${callId}`;
export const callOfRecording = (name: string): string | null => recording.exec(name)?.[1] ?? null;
/** The far end of the call's channel, towards an incoming caller. */
export const callerEndOf = (callId: string): string => `${callId}-caller`;
/** The global variable that names the application for incoming calls. All processes that answer incoming calls set it in turn. */
export const inboundVariableOf = (provider: string): string => `OUTDIAL_INBOUND_${provider}`;

/** The location of a recording, as the engine stores it. */
export const recordingUrlOf = (callId: string): string => `asterisk-recording:${recordingOf(callId)}`;

/** The global variable in which the dialplan stores the end record of a call. */
export const endVariableOf = (callId: string): string => `OUTDIAL_END_${callId}`;
export const callOfEndVariable = (variable: string): string | null => endVariable.exec(variable)?.[1] ?? null;

/** Set if the engine hangs up the call. Global, because ARI sets a channel variable only while the channel is in an application. */
export const canceledVariableOf = (callId: string): string => `OUTDIAL_CANCELED_${callId}`;
/** Names the application that has adopted the calls of this one. */
export const adopterVariableOf = (application: string): string => `OUTDIAL_HEIR_${application}`;

/** The heartbeat variable of this application's process. */
export const aliveVariableOf = (application: string): string => `OUTDIAL_ALIVE_${application}`;
export const applicationOfAliveVariable = (variable: string): string | null =>
  variable.startsWith('OUTDIAL_ALIVE_') ? variable.slice('OUTDIAL_ALIVE_'.length) : null;

/** A new name for this process's own ARI application. */
export const newApplication = (provider: string): string =>
  `outdial-${provider}-${randomBytes(4).toString('hex')}`;
/** Whether the application belongs to a process of this row. */
export const isApplicationOf = (provider: string, application: string): boolean =>
  application.startsWith(`outdial-${provider}-`) &&
  /^[0-9a-f]{8}$/.test(application.slice(`outdial-${provider}-`.length));
