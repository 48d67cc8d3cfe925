export * from './waiting-view.ts';
