import { Command } from 'commander'
import type { TopicName } from './help-topics.ts'

/** A command whose help page shows examples, and names the topics that say more. */
export class CliCommand extends Command {
  readonly #examples: string[] = []
  readonly #topics: TopicName[] = []

  /** Command lines for the help page, one to three. A long one is broken before its flags and pipes. */
  examples(...lines: string[]): this {
    this.#examples.push(...lines)
    return this
  }

  /** Topics of `callwright help` that say more. Prose belongs there, not on the page of a command. */
  learnMore(...topics: TopicName[]): this {
    this.#topics.push(...topics)
    return this
  }

  get exampleLines(): readonly string[] {
    return this.#examples
  }

  get topics(): readonly TopicName[] {
    return this.#topics
  }

  override createCommand(name?: string): CliCommand {
    return new CliCommand(name)
  }
}
