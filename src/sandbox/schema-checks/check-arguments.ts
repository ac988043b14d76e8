import { compileSchema } from './compile-schema.ts'

export interface ArgumentsQuestion {
  /** A tool's function.parameters. */
  readonly schema: Readonly<Record<string, unknown>>
  readonly values: unknown
}

/** Why these arguments do not pass the tool's parameters; undefined when they do. */
export function checkArguments({ schema, values }: ArgumentsQuestion): string | undefined {
  const { $async: _, $schema: __, ...rest } = schema
  const compiled = compileSchema(rest)
  if ('reason' in compiled) return `its function.parameters cannot be used: ${compiled.reason}`
  if (compiled.validate(values)) return undefined
  const [error] = compiled.validate.errors ?? []
  const at = error?.instancePath.slice(1).replaceAll('/', '.') ?? ''
  return `no arguments could be made for it: ${at === '' ? 'they' : at} ${error?.message ?? 'do not pass'}`
}
