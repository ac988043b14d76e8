import { _, Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { RE2JS } from 're2js'
import { getErrorReason } from '../../lib/error.ts'
import { countNodes, TooMuchWork, type WorkBudget } from './work-budget.ts'

/** Errors of values; none if they are valid. */
type FindErrors = (values: unknown) => readonly ErrorObject[]

let patternEngine: typeof RE2JS | undefined

/** Loads the engine of patterns, once. A schema with patterns cannot be compiled before. */
export async function loadPatternEngine(): Promise<void> {
  patternEngine ??= (await import('re2js')).RE2JS
}

const maxPatternLength = 1000
const compileStepsPerNode = 250
/** Ajv itself, as nodes of a schema. */
const emptySchemaNodes = 10
const stepsPerInstruction = 20
/** Characters times instructions of a pattern that take as long as one step. */
const matchesPerStep = 20

/**
 * Compiles a JSON Schema (2020-12), or returns why it cannot be used. Patterns are RE2 and take linear time; anything slower than one
 * pass over the values uses the budget. Each schema has its own Ajv, because two may have the same `$id`. The meta-schema is not loaded:
 * preparing it takes fifty times as long, and invalid keywords are found without it.
 * @throws TooMuchWork, as the compiled function does
 */
export function compileSchema(
  schema: object,
  budget: WorkBudget,
): { readonly findErrors: FindErrors } | { readonly reason: string } {
  const nodes = countNodes(schema)
  const spendPass = (values: unknown) => budget.spend(nodes * countNodes(values))
  budget.spend((emptySchemaNodes + nodes) * compileStepsPerNode)
  try {
    const ajv = new Ajv2020({
      strict: false,
      allErrors: true,
      // Inherited names such as toString are not fields.
      ownProperties: true,
      // Inlining repeats the target's code for each reference.
      inlineRefs: false,
      logger: false,
      meta: false,
      validateSchema: false,
      code: { regExp: Object.assign((pattern: string) => compilePattern(pattern, budget), { code: '' }) },
    })
    addFormats.default(ajv, { keywords: false })
    ajv.addFormat('phone', isPhone)
    // Lenient: the format of JSON Schema requires seconds and a zone.
    ajv.addFormat('time', /^([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(z|[+-]\d{2}:?\d{2})?$/i)
    spendBefore(ajv, '$ref', spendPass)
    spendBefore(ajv, '$dynamicRef', spendPass)
    // Compares each pair of elements.
    spendBefore(ajv, 'uniqueItems', list => {
      if (Array.isArray(list)) budget.spend(list.length * countNodes(list))
    })
    // Some of the library's patterns take quadratic time.
    spendBefore(ajv, 'format', text => {
      if (typeof text === 'string') budget.spend(Math.ceil(text.length ** 2 / 1000))
    })
    const validate = ajv.compile(schema)
    return {
      findErrors(values) {
        spendPass(values)
        return validate(values) ? [] : (validate.errors ?? [])
      },
    }
  } catch (error) {
    if (error instanceof TooMuchWork) throw error
    return { reason: getErrorReason(error) }
  }
}

/** Calls `spend` with the value that a keyword is about to check. */
function spendBefore(ajv: Ajv2020, keyword: string, spend: (value: unknown) => void): void {
  const rule = ajv.RULES.all[keyword]
  if (typeof rule !== 'object' || !('code' in rule.definition)) throw new Error(`Ajv has no ${keyword}`)
  const { definition } = rule
  const { code } = definition
  definition.code = (context, type) => {
    const { gen, data } = context
    gen.code(_`${gen.scopeValue('func', { ref: spend, code: _`` })}(${data})`)
    code(context, type)
  }
}

function compilePattern(pattern: string, budget: WorkBudget) {
  if (pattern.length > maxPatternLength)
    throw new Error(`a pattern has more than ${maxPatternLength} characters`)
  if (patternEngine === undefined) throw new Error('the pattern engine is not loaded')
  const compiled = patternEngine.compile(patternEngine.translateRegExp(pattern))
  const size = compiled.programSize()
  budget.spend(size * stepsPerInstruction)
  return {
    test(text: string) {
      budget.spend(Math.ceil((size * text.length) / matchesPerStep))
      return compiled.test(text)
    },
    // Ajv takes patterns with the same text for the same.
    toString: () => pattern,
  }
}

/** 7 to 15 digits (E.164), written as people write them. */
function isPhone(text: string): boolean {
  const digits = text.replace(/\D/g, '').length
  return /^\+?[\d ().-]+$/.test(text) && digits >= 7 && digits <= 15
}
