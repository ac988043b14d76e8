import { openWorld, type World } from '../../sandbox/index.ts'
import type { TestCase } from '../test-case.ts'
import type { RunOptions } from './run-options.ts'

/** A world that holds the resources of a project; the worlds of its tests begin with its records. */
export interface Template {
  readonly world: World
  /** Ids by address. */
  readonly ids: ReadonlyMap<string, string>
}

export interface Templates {
  of(test: TestCase): Template
  close(): Promise<void>
}

/** Opens each project of these tests once. @throws what opening and applying a project throw */
export async function openTemplates(
  tests: readonly TestCase[],
  { openProject, clock }: Pick<RunOptions, 'openProject' | 'clock'>,
): Promise<Templates> {
  const opened = new Map<string | undefined, Template>()
  const close = async () => {
    await Promise.all(Array.from(opened.values(), ({ world }) => world.close()))
  }
  const open = async (folder: string | undefined) => {
    const project = folder === undefined ? undefined : await openProject(folder)
    const world = await openWorld({ ...sameEverywhere, clock, vocabulary: project?.vocabulary })
    const template = { world, ids: new Map<string, string>() }
    opened.set(folder, template)
    opened.set(folder, { world, ids: (await project?.applyTo(world)) ?? template.ids })
  }
  const folders = new Set(tests.map(({ project }) => project))
  const openings = await Promise.allSettled([...folders].map(open))
  const failed = openings.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') {
    await close()
    throw failed.reason
  }
  return {
    of({ project }) {
      const template = opened.get(project)
      if (template === undefined) throw new Error('the project of the test is not open')
      return template
    },
    close,
  }
}

/** What every world of a test run has: nothing of the machine, and no address that leads anywhere. */
export const sameEverywhere = { pace: 0, seed: 0, baseUrl: () => 'https://example.com' } as const
