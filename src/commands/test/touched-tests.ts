import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { kinds } from '../../interface/kinds.ts'
import { resourceKinds } from '../../interface/words.ts'
import { stringifyJson } from '../../lib/json.ts'
import type { SandboxProject } from '../../library/apply-project.ts'
import { type Address, addressOf, fileKinds, knowledgeBaseIdOf } from '../../project/index.ts'
import type { TestCase } from '../../scenario/index.ts'
import { type CheckedFile, projectFileName } from '../../source/index.ts'
import type { ReadTests } from './read-tests.ts'

/**
 * The files on which the call of a test depends, absolute: its own with its includes, rows and recorded answers, and of its project those
 * of its assistant. An assistant in the test itself may refer to any of them.
 */
export function filesOfTest(
  test: TestCase,
  { files }: Pick<ReadTests, 'files'>,
  project: SandboxProject | undefined,
): Set<string> {
  const found = new Set([test.path, cassetteOf(test)])
  for (const file of files) if (file.path === test.path) for (const used of file.uses) found.add(used)
  if (test.project !== undefined) found.add(join(test.project, projectFileName))
  for (const { source, references } of project === undefined ? [] : resourcesOf(test, project)) {
    found.add(source.path)
    for (const name of references.included.keys()) found.add(resolve(dirname(source.path), name))
  }
  return found
}

/** Recorded answers stand beside the test. */
function cassetteOf({ path }: TestCase): string {
  return join(dirname(path), `${basename(path).replace(/(\.test)?\.[^.]+$/i, '')}.cassette.ndjson`)
}

function resourcesOf({ assistant }: TestCase, project: SandboxProject): readonly CheckedFile[] {
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
  const inside = relative(join(folder, kinds[fileKinds[kind]].folder), file.source.path)
  return [
    [
      addressOf(
        kind,
        inside
          .split(sep)
          .join('/')
          .replace(/\.[^./]+$/, ''),
      ),
      file,
    ],
  ]
}

/** The file of an assistant of a project, by its name. */
export function assistantFileIn(project: SandboxProject, name: string): CheckedFile | undefined {
  const address = addressOf('assistant', name)
  return project.files.find(file => addressIn(project, file).some(([own]) => own === address))
}
