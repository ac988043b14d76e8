/** Reasons of actions that are blocked, replace a resource or have no file, and the choices that a person has. Pure. */
export type { Choice } from '../plan-schema.ts'
export { choicesFor } from './choices.ts'
export { reasonFor } from './reason.ts'
