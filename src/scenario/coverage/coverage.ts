import * as z from 'zod/mini'
import { nameOf } from '../../files/formats/address.ts'
import type { CheckedFile } from '../../files/source/index.ts'
import { comparePositions } from '../../files/text/index.ts'
import { addressOf } from '../../project/resources/index.ts'
import type { TestResult } from '../verdict.ts'
import {
  type CallsOfAssistant,
  type CoverableItem,
  createItem,
  listAssistantItems,
} from './assistant-items.ts'
import type { Coverage } from './coverage-schema.ts'

export interface CoveredProject {
  /** Absolute path. */
  readonly folder: string
  /** Files of all resources. */
  readonly files: readonly CheckedFile[]
}

/** Computes the coverage of projects by executed tests, passed or not. Files without coverable items are omitted. */
export function computeCoverage(
  projects: readonly CoveredProject[],
  results: readonly TestResult[],
): Coverage {
  const files = projects.flatMap(project => {
    const usage = collectUsage(project.folder, results)
    return project.files.flatMap(checked => fileCoverage(checked, project.folder, usage) ?? [])
  })
  return {
    files,
    covered: files.reduce((sum, { covered }) => sum + covered, 0),
    total: files.reduce((sum, { total }) => sum + total, 0),
  }
}

/** Collects what the calls of one project's tests exercised. */
function collectUsage(folder: string, results: readonly TestResult[]) {
  const ran = results.filter(({ test, attempts }) => test.project === folder && attempts.length > 0)
  const turns = ran.flatMap(({ attempts }) => attempts.flatMap(({ call }) => call.turns))
  const byAssistant = new Map<
    string,
    { tests: TestResult['test'][]; calls: CallsOfAssistant['calls'][number][] }
  >()
  for (const { test, attempts } of ran) {
    if (!('name' in test.assistant)) continue
    const assistantRuns = byAssistant.get(test.assistant.name) ?? { tests: [], calls: [] }
    byAssistant.set(test.assistant.name, assistantRuns)
    assistantRuns.tests.push(test)
    assistantRuns.calls.push(...attempts.map(({ call }) => call))
  }
  return {
    tools: new Set(turns.flatMap(({ tools }) => tools.map(({ name }) => name))),
    /** Questions of the entries that were used in replies. */
    questions: new Set(
      turns.flatMap(({ searches }) =>
        searches.flatMap(({ hits, used }) => (used ? (hits[0]?.entry.question ?? []) : [])),
      ),
    ),
    byAssistant,
  }
}

type ProjectUsage = ReturnType<typeof collectUsage>

function fileCoverage(
  checked: CheckedFile,
  folder: string,
  usage: ProjectUsage,
): Coverage['files'][number] | undefined {
  const { kind, source } = checked
  if (kind !== 'assistant' && kind !== 'tool' && kind !== 'knowledge-base') return undefined
  const items = listItems(kind, checked, folder, usage)
  if (items.length === 0) return undefined
  const uncovered = items.filter(({ isCovered }) => !isCovered)
  return {
    file: source.file,
    kind,
    covered: items.length - uncovered.length,
    total: items.length,
    /** Sorted by position. */
    uncovered: uncovered
      .map(({ kind, name, path }) => ({ kind, name, path, position: source.positionOf(path, 'value') }))
      .toSorted(comparePositions),
  }
}

function listItems(
  kind: Coverage['files'][number]['kind'],
  { value, source }: CheckedFile,
  folder: string,
  { tools, questions, byAssistant }: ProjectUsage,
): CoverableItem[] {
  if (kind === 'assistant')
    return listAssistantItems(
      value,
      byAssistant.get(nameOf(addressOf('assistant', source.path, folder))) ?? { tests: [], calls: [] },
    )
  if (kind === 'tool') {
    const { name } = toolShape.safeParse(value).data?.function ?? {}
    if (name === undefined) return []
    return [createItem('tool', name, ['function', 'name'], tools.has(name))]
  }
  const { faq = [] } = entriesShape.safeParse(value).data ?? {}
  return faq.map(({ question }, index) =>
    createItem('entry', question, ['faq', index, 'question'], questions.has(question)),
  )
}

const toolShape = z.looseObject({ function: z.looseObject({ name: z.string() }) })
const entriesShape = z.looseObject({ faq: z.array(z.looseObject({ question: z.string() })) })
