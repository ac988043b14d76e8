/**
 * Timers captured when this module is loaded, so that fake timers installed later do not stop callyard. In the bundle every module
 * uses them (scripts/real-timers.js).
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
