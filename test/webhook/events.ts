export * from '../helpers/events.ts'
