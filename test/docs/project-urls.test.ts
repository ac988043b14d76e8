import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { filesWithUrls, withProjectUrls } from '../../scripts/project-urls.ts'
import { repositoryPage } from '../../src/lib/text/repository-page.ts'
import { filesOf, textOf } from './markdown.ts'

const page = repositoryPage(manifest.repository.url)
const urls = [page, manifest.homepage, manifest.bugs.url]

test.each(Object.keys(filesWithUrls))(
  '%s has the URLs of package.json, and those of another repository after a move',
  async file => {
    const text = await textOf(file)
    expect(withProjectUrls(file, text) === text, `${file} is stale; run: npm run docs`).toBe(true)
    const moved = withProjectUrls(file, text, 'git+https://git.example.org/field/callyard.git')
    expect(moved).toContain('https://git.example.org/field/callyard')
    expect(urls.filter(url => moved.includes(url))).toEqual([])
    expect(moved).not.toContain(`uses: ${new URL(page).pathname.slice(1)}@`)
    expect(() => withProjectUrls(file, 'no URL')).toThrow(`${file} has no URL`)
  },
)

test('no other file repeats a URL of package.json', async () => {
  const files = await filesOf(
    '*.{md,yml,yaml,txt,json}',
    'Dockerfile',
    '{.github,bin,completions,docs,examples,scripts,skills,src}/**/*.*',
  )
  expect(files.length).toBeGreaterThan(500)
  const known = ['package.json', ...Object.keys(filesWithUrls)]
  for (const file of files.filter(file => !known.includes(file))) {
    const text = await textOf(file)
    expect(
      urls.filter(url => text.includes(url)),
      file,
    ).toEqual([])
  }
})
