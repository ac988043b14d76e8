/** Renderings of a checked file for a target: as it is sent, hashed, shown, and recorded as a fingerprint. */
export {
  collectIds,
  type IdOf,
  type Rendering,
  renderResource,
  sentBody,
  type TargetIds,
} from './rendering.ts'
