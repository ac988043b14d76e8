import { Ajv2020, type Options } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

/**
 * Ajv with formats and in strict mode: an unknown keyword or format throws. It compiles the meta-schema at its first schema, so tests share
 * one where the `$id` of their schemas differ; optimizing the compiled code would take longer than the few values of a test save.
 */
export function strictAjv(options: Options = {}): Ajv2020 {
  return addFormats.default(new Ajv2020({ strict: true, code: { optimize: false }, ...options }))
}
