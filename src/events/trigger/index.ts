/** Sample webhook events for a server under development: those of the interface, with fields assigned, and odd ones. */
export type { Assignment } from './assign.ts'
export type { TriggeredDelivery } from './delivery-schema.ts'
export { type Path, parsePath } from './field-path.ts'
export { type OddShape, oddShapeNames, oddShapes, type Trigger, triggers } from './odd-shapes.ts'
export type { TriggeredEvent } from './trigger-events.ts'

export const loadTriggerEvents = () => import('./trigger-events.ts')
