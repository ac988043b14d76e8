import type { AnyCommand } from '../../shell/flags/flag.ts'
import type { TopicName } from '../../shell/help-topics.ts'
import { commandHelp, itemLines } from './command-help.ts'
import topicTexts from './topics?texts'

/** Section of a guide that a topic is from, and the sections that no topic prints. */
export { guides as topicGuides, sections as guideSections } from './topics?texts'

/** Text of a topic in 80 columns. */
export function topicText(name: TopicName, root: AnyCommand): string {
  return topicTexts[name].replace('{flags}', () => {
    const helper = Object.assign(root.createHelp(), { helpWidth: 80 })
    const items = commandHelp(root, helper).flags.flatMap(group => group.items)
    return itemLines(items, helper).join('\n')
  })
}
