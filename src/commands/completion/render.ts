import type { AnyCommand } from '../../cli/flags/flag.ts'
import { topicNames, topics } from '../../cli/help-topics.ts'
import { bashScript } from './bash.ts'
import type { Shell } from './completion.ts'
import { describeTree, type Tree } from './describe.ts'
import { fishScript } from './fish.ts'
import { powershellScript } from './powershell.ts'
import { zshScript } from './zsh.ts'

const scripts = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
} as const satisfies Record<Shell, (tree: Tree) => string>

/** The completion script of a whole command tree. */
export function completionScript(shell: Shell, root: AnyCommand): string {
  const described = topicNames.map(name => ({ name, description: topics[name] }))
  return scripts[shell](
    describeTree(root, [{ name: 'topics', description: 'List the topics' }, ...described]),
  )
}
