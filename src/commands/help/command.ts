import { Command } from 'commander'
import { CliError } from '../../errors.ts'
import type { Runner } from '../runner.ts'
import { findTopic, topicNames } from './topics.ts'

/** `help <command…>` and `help <topic>`. */
export function helpCommand(run: Runner): Command {
  return new Command('help')
    .argument('[topic...]', `a command, or one of ${topicNames.join(', ')}`)
    .description(`help on a command, or on ${topicNames.join(', ')}`)
    .action((words: string[], _options, command: Command) =>
      run(command, async ({ output }) => {
        const topic = words.length === 1 ? findTopic(words[0] ?? '') : undefined
        if (topic !== undefined) return output.result(topic, () => topic.text)
        output.raw(findCommand(command.parent ?? command, words).helpInformation())
      }),
    )
}

function findCommand(root: Command, words: readonly string[]): Command {
  return words.reduce((current, word) => {
    const next = current.commands.find(candidate => candidate.name() === word)
    if (next === undefined) {
      throw new CliError('usage', `there is no command or topic ${JSON.stringify(words.join(' '))}`, {
        hint: `commands: ${root.commands.map(each => each.name()).join(', ')}; topics: ${topicNames.join(', ')}`,
      })
    }
    return next
  }, root)
}
