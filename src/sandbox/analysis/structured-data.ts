import { isObject } from '../../interface/is-object.ts'

export interface CheckedData {
  readonly data: Record<string, unknown>
  /** Why something was left out: one sentence each. */
  readonly problems: readonly string[]
}

/** The schema of interface.md 2.4: `properties` maps a field to its JSON Schema. */
export type DataSchema = Readonly<Record<string, unknown>> | undefined

/**
 * What of these values passes the schema: properties that it does not know are left out, those that do not pass are told.
 * A schema that is none lets nothing pass. Nothing is fetched.
 */
export async function checkData(
  schema: DataSchema,
  values: Readonly<Record<string, unknown>>,
): Promise<CheckedData> {
  const { Ajv } = await import('ajv')
  const { default: addFormats } = await import('ajv-formats')
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false, validateFormats: true })
  addFormats.default(ajv)
  ajv.addFormat('phone', /^\+?\d[\d ()-]{5,}\d$/)
  // As people say it; JSON Schema's own asks for seconds and a zone.
  ajv.addFormat('time', /^([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(z|[+-]\d{2}:?\d{2})?$/i)
  const { properties, ...rest } = schema ?? {}
  const known = isObject(properties) ? properties : {}
  const data: [string, unknown][] = []
  const problems: string[] = []
  for (const [name, value] of Object.entries(values)) {
    if (!Object.hasOwn(known, name) || value === undefined || value === null) continue
    const problem = findProblem(
      ajv,
      { ...rest, required: [], properties: { [name]: known[name] } },
      name,
      value,
    )
    if (problem === undefined) data.push([name, value])
    else problems.push(problem)
  }
  return { data: Object.fromEntries(data), problems }
}

function findProblem(
  ajv: InstanceType<typeof import('ajv').Ajv>,
  schema: object,
  name: string,
  value: unknown,
): string | undefined {
  try {
    const validate = ajv.compile(schema)
    if (validate(Object.fromEntries([[name, value]]))) return undefined
    const [error] = validate.errors ?? []
    return `the structured data’s ${name} does not pass its schema: ${error?.message ?? 'it is of another kind'}`
  } catch (error) {
    return `the structured data’s ${name} has a schema that cannot be used: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** The JSON object that stands in a model's answer, in a code fence or with words around it. */
export function findObject(answer: string): Readonly<Record<string, unknown>> | undefined {
  const start = answer.indexOf('{')
  const end = answer.lastIndexOf('}')
  if (start === -1 || end < start) return undefined
  try {
    const value: unknown = JSON.parse(answer.slice(start, end + 1))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
