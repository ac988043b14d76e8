import * as z from 'zod/mini'
import type { FieldPath } from '../../interface/finding.ts'
import type { CheckedFile, Position } from '../../source/index.ts'
import type { TestResult } from '../verdict.ts'
import { assistantItems } from './assistant-items.ts'
import type { CoverableItem, ItemKind } from './coverable-item.ts'
import { type CallsOfAssistant, type SeenInProject, seenInProject } from './seen.ts'

/** What of a project's files the calls of its tests went through. */
export interface Coverage {
  readonly files: readonly FileCoverage[]
  /** Of all files. */
  readonly covered: number
  readonly total: number
}

export interface FileCoverage {
  /** As people see the name. */
  readonly file: string
  readonly kind: 'assistant' | 'tool' | 'knowledge-base'
  readonly covered: number
  readonly total: number
  /** In the order of the file. */
  readonly uncovered: readonly UncoveredItem[]
}

export interface UncoveredItem {
  readonly kind: ItemKind
  /** The name of a tool or a variable, a question, a phrase, a target; empty where there is one of its kind. */
  readonly name: string
  readonly path: FieldPath
  readonly position: Position | undefined
}

export interface CoveredProject {
  /** Absolute. */
  readonly folder: string
  /** Of all resources. */
  readonly files: readonly CheckedFile[]
}

/** Coverage of these projects by the tests that were run, passed or not. Files without anything to cover are left out. */
export function coverageOf(projects: readonly CoveredProject[], results: readonly TestResult[]): Coverage {
  const files = projects.flatMap(project => {
    const seen = seenInProject(project.folder, results)
    return project.files.flatMap(checked => fileCoverage(checked, project.folder, seen) ?? [])
  })
  return {
    files,
    covered: files.reduce((sum, { covered }) => sum + covered, 0),
    total: files.reduce((sum, { total }) => sum + total, 0),
  }
}

function fileCoverage(checked: CheckedFile, folder: string, seen: SeenInProject): FileCoverage | undefined {
  const { kind, source, value } = checked
  if (kind !== 'assistant' && kind !== 'tool' && kind !== 'knowledge-base') return undefined
  const items = itemsOf(kind, value, seen, seen.callsOf(source.path, folder))
  if (items.length === 0) return undefined
  const uncovered = items.filter(({ isCovered }) => !isCovered)
  return {
    file: source.file,
    kind,
    covered: items.length - uncovered.length,
    total: items.length,
    uncovered: uncovered
      .map(({ kind, name, path }) => ({ kind, name, path, position: source.positionOf(path, 'value') }))
      .toSorted((one, other) => comparePositions(one.position, other.position)),
  }
}

function comparePositions(one: Position | undefined, other: Position | undefined): number {
  const lines = (one?.line ?? 0) - (other?.line ?? 0)
  return lines === 0 ? (one?.column ?? 0) - (other?.column ?? 0) : lines
}

function itemsOf(
  kind: FileCoverage['kind'],
  value: unknown,
  seen: SeenInProject,
  calls: CallsOfAssistant,
): CoverableItem[] {
  if (kind === 'assistant') return assistantItems(value, calls)
  return kind === 'tool' ? toolItems(value, seen) : entryItems(value, seen)
}

const toolShape = z.looseObject({ function: z.looseObject({ name: z.string() }) })

function toolItems(value: unknown, { tools }: SeenInProject): CoverableItem[] {
  const tool = toolShape.safeParse(value)
  if (!tool.success) return []
  const { name } = tool.data.function
  return [{ kind: 'tool', name, path: ['function', 'name'], isCovered: tools.has(name) }]
}

const entriesShape = z.looseObject({ faq: z.array(z.looseObject({ question: z.string() })) })

function entryItems(value: unknown, { questions }: SeenInProject): CoverableItem[] {
  const base = entriesShape.safeParse(value)
  if (!base.success) return []
  return base.data.faq.map(({ question }, index) => ({
    kind: 'entry',
    name: question,
    path: ['faq', index, 'question'],
    isCovered: questions.has(question),
  }))
}
