import type { Context } from '../../cli/context.ts'

/** Milliseconds that somebody's receiver has for one event: `--timeout`, or 30 s. */
export function eventTimeout({ options }: Pick<Context, 'options'>): number {
  return options.timeout ?? 30_000
}
