import type { Core } from '../core.ts'

export const escaping: Core = {
  about: 'hostile text made visible, for terminals and JSON',
  sources: ['src/lib/text/escape.ts'],
  tests: ['test/lib/text/escape.test.ts'],
  equivalent: [],
}
