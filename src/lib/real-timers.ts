/**
 * Timers of the process, as they were when this module was loaded: fake timers of a test that imports callwright first do not stop it.
 * In the bundle every module uses these (scripts/real-timers.js).
 */
export const {
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  setImmediate,
  clearImmediate,
  queueMicrotask,
} = globalThis
