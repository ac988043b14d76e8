import type { Command } from 'commander'
import { CliCommand } from '../../cli/cli-command.ts'
import type { Runner } from '../../cli/runner.ts'

export function profileCommand(run: Runner): Command {
  const profile = new CliCommand('profile')
    .description('Save base URLs and API keys under names')
    .examples('callwright profile add work', 'callwright profile use work')

  profile
    .command('add')
    .argument('<name>', 'Name of the profile')
    .description('Save a base URL and an API key; ask for what is not given')
    .option('--api-key-stdin', 'Read the API key from stdin')
    .option('--vocabulary <file>', 'YAML or JSON file of the service’s own words')
    .option('--force', 'Replace a profile of that name without asking')
    .examples(
      'callwright profile add work',
      'pass show voice/key | callwright profile add ci --base-url https://api.example.com --api-key-stdin',
    )
    .learnMore('environment', 'files')
    .action((name, options, command) =>
      run(command, async context => (await import('./add.ts')).addProfile({ ...options, name }, context)),
    )

  profile
    .command('list')
    .description('List all profiles; * marks the one in use')
    .examples('callwright profile list', 'callwright profile list --json')
    .action((_options, command) =>
      run(command, async context => (await import('./list.ts')).listProfiles(context)),
    )

  profile
    .command('show')
    .argument('[name]', 'Name of the profile (default: the one in use)')
    .description('Show where requests go, and where each setting comes from')
    .examples('callwright profile show', 'callwright profile show work --json')
    .learnMore('environment')
    .action((name, _options, command) =>
      run(command, async context => (await import('./show.ts')).showProfile({ name }, context)),
    )

  profile
    .command('use')
    .argument('<name>', 'Name of the profile')
    .description('Use a profile from now on')
    .examples('callwright profile use work', 'callwright profile use sandbox')
    .action((name, _options, command) =>
      run(command, async context => (await import('./use.ts')).useProfile({ name }, context)),
    )

  profile
    .command('remove')
    .argument('<name>', 'Name of the profile')
    .description('Remove a profile and its key from this machine')
    .option('--yes', 'Do not ask')
    .examples('callwright profile remove work', 'callwright profile remove work --yes')
    .action((name, options, command) =>
      run(command, async context =>
        (await import('./remove.ts')).removeNamedProfile({ ...options, name }, context),
      ),
    )

  return profile
}
