import { dirname, join, relative, resolve, sep } from 'node:path'
import { kinds } from '../../interface/kinds.ts'
import { resourceKinds } from '../../interface/words.ts'
import { stringifyJson } from '../../lib/json.ts'
import type { SandboxProject } from '../../library/apply-project.ts'
import { type Address, addressOf, fileKinds, knowledgeBaseIdOf } from '../../project/index.ts'
import { cassetteNameOf, type TestCase } from '../../scenario/index.ts'
import { type CheckedFile, projectFileName } from '../../source/index.ts'
import type { ReadTests } from './read-tests.ts'

/** For each file (absolute) the files of the tests whose calls depend on it. */
export type TestsByFile = ReadonlyMap<string, ReadonlySet<string>>

/**
 * On what tests depend: their own file with its includes, rows and recorded answers, and of the project what their assistant is made of.
 * An assistant in the test itself may refer to anything there.
 */
export function testsByFile(
  { tests, files }: Pick<ReadTests, 'tests' | 'files'>,
  projectIn: (folder: string) => SandboxProject | undefined,
): TestsByFile {
  const found = new Map<string, Set<string>>()
  const uses = new Map(files.map(file => [file.path, file.uses]))
  const ofAssistants = new Map<SandboxProject, Map<string | undefined, readonly string[]>>()
  for (const test of tests) {
    const { path, project: folder } = test
    const own = [path, cassetteNameOf(path), ...(uses.get(path) ?? [])]
    const project = folder === undefined ? undefined : projectIn(folder)
    for (const file of [...own, ...(project === undefined ? [] : filesOf(test, project, ofAssistants))]) {
      const there = found.get(file)
      if (there === undefined) found.set(file, new Set([path]))
      else there.add(path)
    }
  }
  return found
}

/** Looked for once for all tests of an assistant. */
function filesOf(
  { assistant }: TestCase,
  project: SandboxProject,
  known: Map<SandboxProject, Map<string | undefined, readonly string[]>>,
): readonly string[] {
  const ofProject = known.get(project) ?? new Map<string | undefined, readonly string[]>()
  known.set(project, ofProject)
  const name = 'name' in assistant ? assistant.name : undefined
  const files = ofProject.get(name) ?? [
    join(project.folder, projectFileName),
    ...resourcesOf(assistant, project).flatMap(({ source: { path }, references: { included } }) => [
      path,
      ...[...included.keys()].map(file => resolve(dirname(path), file)),
    ]),
  ]
  ofProject.set(name, files)
  return files
}

function resourcesOf(assistant: TestCase['assistant'], project: SandboxProject): readonly CheckedFile[] {
  if ('inline' in assistant) return project.files
  const byAddress = new Map(project.files.flatMap(file => addressIn(project, file)))
  const found = new Set<CheckedFile>()
  const add = (address: Address) => {
    const file = byAddress.get(address)
    if (file === undefined || found.has(file)) return
    found.add(file)
    for (const { kind, name } of file.references.resources) add(addressOf(kind, name))
  }
  add(addressOf('assistant', assistant.name))
  // An id may be written out instead of a reference.
  const bodies = stringifyJson([...found].map(({ body }) => body))
  for (const file of project.files)
    if (
      file.kind === 'knowledge-base' &&
      bodies.includes(JSON.stringify(knowledgeBaseIdOf(file.body)).slice(1, -1))
    )
      found.add(file)
  return [...found]
}

function addressIn({ folder }: SandboxProject, file: CheckedFile): [Address, CheckedFile][] {
  const kind = resourceKinds.find(each => fileKinds[each] === file.kind)
  if (kind === undefined) return []
  const inside = relative(join(folder, kinds[fileKinds[kind]].folder), file.source.path).split(sep).join('/')
  return [[addressOf(kind, inside.replace(/\.[^./]+$/, '')), file]]
}

/** The file of an assistant of a project, by its name. */
export function assistantFileIn(project: SandboxProject, name: string): CheckedFile | undefined {
  const address = addressOf('assistant', name)
  return project.files.find(file => addressIn(project, file).some(([own]) => own === address))
}
