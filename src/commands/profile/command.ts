import { Command, Option } from 'commander'
import type { Runner } from '../runner.ts'

export function profileCommand(run: Runner): Command {
  const profile = new Command('profile').description('keep base URLs and API keys under names')

  profile
    .command('add')
    .argument('<name>', 'name of the profile')
    .description('save a base URL and an API key; asks for what is not given')
    .option('--api-key-stdin', 'read the API key from stdin; it is never taken from the command line')
    .option(
      '--vocabulary <file>',
      'YAML or JSON file: placeholder of the interface → the word of this deployment',
    )
    .option('--force', 'replace a profile of that name without asking')
    .addHelpText(
      'after',
      '\nExamples:\n  $ callwright profile add work\n  $ pass show voice/key | callwright profile add ci \\\n      --base-url https://api.example.com --api-key-stdin',
    )
    .action((name, options, command) =>
      run(command, async context => (await import('./add.ts')).addProfile({ ...options, name }, context)),
    )

  profile
    .command('list')
    .description('show all profiles; * marks the one in use')
    .addOption(new Option('--names', 'only the names, one per line').hideHelp())
    .addHelpText('after', '\nExamples:\n  $ callwright profile list\n  $ callwright profile list --json')
    .action((options, command) =>
      run(command, async context => (await import('./list.ts')).listProfiles(options, context)),
    )

  profile
    .command('show')
    .argument('[name]', 'name of the profile; else the one in use')
    .description('show where requests go, with which key, and where each setting comes from')
    .addHelpText('after', '\nExamples:\n  $ callwright profile show\n  $ callwright profile show work --json')
    .action((name, _options, command) =>
      run(command, async context => (await import('./show.ts')).showProfile({ name }, context)),
    )

  profile
    .command('use')
    .argument('<name>', 'name of the profile')
    .description('put a profile in use')
    .addHelpText('after', '\nExamples:\n  $ callwright profile use work')
    .action((name, _options, command) =>
      run(command, async context => (await import('./use.ts')).useProfile({ name }, context)),
    )

  profile
    .command('remove')
    .argument('<name>', 'name of the profile')
    .description('forget a profile and its key')
    .option('--yes', 'do not ask')
    .addHelpText('after', '\nExamples:\n  $ callwright profile remove work --yes')
    .action((name, options, command) =>
      run(command, async context =>
        (await import('./remove.ts')).removeNamedProfile({ ...options, name }, context),
      ),
    )

  return profile
}
