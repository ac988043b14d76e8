import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { reasonOf } from '../../lib/error.ts'

/**
 * Makes the check of a JSON Schema (2020-12), or says why it cannot be used. Each schema has its own checker: two may have the
 * same `$id`. Without the schema of schemas, whose preparation takes fifty times as long; a keyword that is none is found all the
 * same. A check may run for ever, as a pattern such as (a+)+$ does: only the worker imports this.
 */
export function compileSchema(
  schema: object,
): { readonly validate: ValidateFunction } | { readonly reason: string } {
  try {
    const ajv = new Ajv2020({
      strict: false,
      allErrors: true,
      // A field named toString is not there because every object has one.
      ownProperties: true,
      logger: false,
      meta: false,
      validateSchema: false,
    })
    addFormats.default(ajv, { keywords: false })
    ajv.addFormat('phone', isPhone)
    // As people say it; JSON Schema's own asks for seconds and a zone.
    ajv.addFormat('time', /^([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(z|[+-]\d{2}:?\d{2})?$/i)
    return { validate: ajv.compile(schema) }
  } catch (error) {
    return { reason: reasonOf(error) }
  }
}

/** 7 to 15 digits (E.164), written as people write them. */
function isPhone(text: string): boolean {
  const digits = text.replace(/\D/g, '').length
  return /^\+?[\d ().-]+$/.test(text) && digits >= 7 && digits <= 15
}
