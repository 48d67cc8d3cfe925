export * from './deliver-endpoint.ts';
export * from './give-way.ts';
export * from './message.ts';
export * from './publish-events.ts';
export * from './signature.ts';
export * from './webhook-client.ts';
