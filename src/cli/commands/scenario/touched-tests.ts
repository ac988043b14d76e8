import { dirname, join, resolve } from 'node:path'
import { type Address, toAddress } from '../../../files/formats/address.ts'
import { fileKinds } from '../../../files/formats/kinds.ts'
import { type CheckedFile, projectFileName } from '../../../files/source/index.ts'
import { resourceKinds } from '../../../interface/words.ts'
import { stringifyJson } from '../../../lib/json.ts'
import type { SandboxProject } from '../../../library/apply-project.ts'
import { getKnowledgeBaseId } from '../../../project/faq/index.ts'
import { addressOf } from '../../../project/resources/index.ts'
import { toCassettePath } from '../../../scenario/cassette/index.ts'
import type { TestCase } from '../../../scenario/index.ts'
import type { ReadTests } from './read-tests.ts'

/** For each file (absolute) the files of the tests whose calls depend on it. */
export type TestsByFile = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Maps files to the tests that depend on them: the test file with its includes, rows and recorded responses, and the parts of its
 * assistant in the project. An assistant inside the test may refer to anything.
 */
export function testsByFile(
  { tests, files }: ReadTests,
  projectIn: (folder: string) => SandboxProject | undefined,
): TestsByFile {
  const pathsByFile = new Map<string, Set<string>>()
  const uses = new Map(files.map(file => [file.path, file.uses]))
  // Looked for once for all tests of an assistant.
  const ofAssistants = new Map<string, readonly string[]>()
  for (const { path, project: folder, assistant } of tests) {
    const own = [path, toCassettePath(path), ...(uses.get(path) ?? [])]
    const project = folder === undefined ? undefined : projectIn(folder)
    const key = JSON.stringify([folder, 'name' in assistant ? assistant.name : undefined])
    const ofProject = ofAssistants.get(key) ?? (project === undefined ? [] : filesOf(assistant, project))
    ofAssistants.set(key, ofProject)
    for (const file of [...own, ...ofProject]) {
      const existing = pathsByFile.get(file)
      if (existing === undefined) pathsByFile.set(file, new Set([path]))
      else existing.add(path)
    }
  }
  return pathsByFile
}

function filesOf(assistant: TestCase['assistant'], project: SandboxProject): readonly string[] {
  return [
    join(project.folder, projectFileName),
    ...resourcesOf(assistant, project).flatMap(({ source: { path }, references: { included } }) => [
      path,
      ...[...included.keys()].map(file => resolve(dirname(path), file)),
    ]),
  ]
}

function resourcesOf(assistant: TestCase['assistant'], project: SandboxProject): readonly CheckedFile[] {
  if ('inline' in assistant) return project.files
  const byAddress = new Map(project.files.flatMap(file => addressIn(project, file)))
  const checkedFiles = new Set<CheckedFile>()
  const add = (address: Address) => {
    const file = byAddress.get(address)
    if (file === undefined || checkedFiles.has(file)) return
    checkedFiles.add(file)
    for (const { kind, name } of file.references.resources) add(toAddress(kind, name))
  }
  add(toAddress('assistant', assistant.name))
  // An id may be written out instead of a reference.
  const bodies = stringifyJson([...checkedFiles].map(({ body }) => body))
  for (const file of project.files)
    if (
      file.kind === 'knowledge-base' &&
      bodies.includes(JSON.stringify(getKnowledgeBaseId(file.body)).slice(1, -1))
    )
      checkedFiles.add(file)
  return [...checkedFiles]
}

function addressIn({ folder }: SandboxProject, file: CheckedFile): [Address, CheckedFile][] {
  const kind = resourceKinds.find(candidate => fileKinds[candidate] === file.kind)
  return kind === undefined ? [] : [[addressOf(kind, file.source.path, folder), file]]
}

/** The file of an assistant of a project, by its name. */
export function assistantFileIn(project: SandboxProject, name: string): CheckedFile | undefined {
  const address = toAddress('assistant', name)
  return project.files.find(file => addressIn(project, file).some(([own]) => own === address))
}
