import { truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { everyCase } from '../../../helpers/every-case.ts'
import { testProject } from '../project/test-project.ts'

const megabyte = 1024 ** 2
// Few and large: many small ones take a minute to parse.
const entries = 8

/** Entries of a file that is less than a kilobyte below a limit, which their ids exceed: this service makes them of the questions. */
function textOf(bytes: number): string {
  const name = 'Q'.repeat(110)
  const answer = 'a'.repeat(Math.floor(bytes / entries) - 150)
  return `faq:\n${Array.from({ length: entries }, (_, entry) => `  - question: ${name}${entry}\n    answer: ${answer}\n`).join('')}`
}

// Each parse of 50 MB takes seconds.
test.runIf(everyCase)('pushes a file again that exceeds the limit because of its ids', async () => {
  const project = await testProject({ 'faq.yaml': textOf(50 * megabyte - 400) })
  const before = Buffer.byteLength(await project.read('faq.yaml'))
  expect(before).toBeLessThan(50 * megabyte)
  const push = () => project.run('faq', 'push', 'faq.yaml', '--kb', 'kb1', '--batch-size', '1')
  expect(await push()).toMatchObject({ exitCode: 0 })
  const pushed = await project.read('faq.yaml')
  expect(Buffer.byteLength(pushed)).toBeGreaterThan(50 * megabyte)
  expect(await push()).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(`unchanged ${entries}`),
  })
  // The same size without any ids is refused.
  await project.write('faq.yaml', textOf(52 * megabyte))
  expect(await push()).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('larger than 50 MB') })
  await truncate(join(project.folder, 'faq.yaml'), 151 * megabyte)
  expect(await push()).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('larger than 150 MB') })
})
