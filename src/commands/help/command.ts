import type { Command } from 'commander'
import { CliError } from '../../errors.ts'
import { didYouMean } from '../../interface/did-you-mean.ts'
import { CliCommand } from '../cli-command.ts'
import type { Runner } from '../runner.ts'
import { isTopic, topicNames, topics } from './topics.ts'

/** `help <command…>`, `help <topic>` and `help topics`. */
export function helpCommand(run: Runner): Command {
  return new CliCommand('help')
    .argument('[topic...]', 'A command, or a topic of callwright help topics')
    .description('Show the help of a command, or a topic')
    .summary('Show a help page; callwright help topics lists more')
    .examples('callwright help call start', 'callwright help topics')
    .action((words: string[], _options, command: Command) =>
      run(command, async ({ output }) => {
        const [name = '', ...rest] = words
        if (rest.length === 0 && name === 'topics') return output.result({ topics }, topicList)
        if (rest.length === 0 && isTopic(name)) {
          const { topicTexts } = await import('./topic-texts.ts')
          const text = topicTexts[name].trimEnd()
          return output.result({ topic: name, text }, () => text)
        }
        output.raw(findCommand(command.parent ?? command, words).helpInformation())
      }),
    )
}

function topicList(): string {
  const width = Math.max(...topicNames.map(name => name.length))
  return [
    'TOPICS',
    ...topicNames.map(name => `  ${name.padEnd(width)}  ${topics[name]}`),
    '',
    'Read one with callwright help <topic>, such as callwright help flags.',
  ].join('\n')
}

function findCommand(root: Command, words: readonly string[]): Command {
  return words.reduce((current, word) => {
    const next = current.commands.find(candidate => candidate.name() === word)
    if (next === undefined) {
      const names = current.commands.map(each => each.name())
      const meant = didYouMean(word, current === root ? [...names, ...topicNames, 'topics'] : names)
      throw new CliError('usage', `there is no command or topic ${JSON.stringify(words.join(' '))}`, {
        hint:
          meant === undefined
            ? 'callwright --help lists the commands, callwright help topics the topics'
            : `did you mean ${JSON.stringify(meant)}?`,
      })
    }
    return next
  }, root)
}
