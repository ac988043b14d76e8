// URLs of the project in static files, which come from package.json.
import manifest from '../package.json' with { type: 'json' }
import { repositoryPage } from '../src/lib/text/repository-page.ts'

const patterns = {
  page: /https:[^\s()]+(?=\/blob\/main\/)/g,
  hooks: /(?<=^ *- repo: )https:\S+/gm,
  action: /(?<=^ *- uses: )\S+(?=@v\d+$)/gm,
}

/** Files with URLs of the repository: of its pages, of the source of its pre-commit hooks, and of its action. */
export const filesWithUrls: Readonly<Record<string, readonly (keyof typeof patterns)[]>> = {
  '.github/ISSUE_TEMPLATE/bug.yml': ['page'],
  '.github/ISSUE_TEMPLATE/config.yml': ['page'],
  'docs/ci.md': ['hooks', 'action'],
}

/**
 * The text of a file with the URLs of this repository.
 * @throws Error if it has none of a kind that it should have
 */
export function withProjectUrls(
  file: string,
  text: string,
  repository: string = manifest.repository.url,
): string {
  const page = repositoryPage(repository)
  const urls = { page, hooks: page, action: new URL(page).pathname.slice(1) }
  return (filesWithUrls[file] ?? []).reduce((changed, kind) => {
    if (changed.search(patterns[kind]) === -1)
      throw new Error(`${file} has no URL that matches ${patterns[kind]} (scripts/project-urls.ts)`)
    return changed.replace(patterns[kind], urls[kind])
  }, text)
}
