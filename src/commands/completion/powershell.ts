import type { CommandDescription, OptionDescription, Tree } from './describe.ts'
import type { Value } from './values.ts'

/** The completion script for Windows PowerShell 5.1 and PowerShell 7. */
export function powershellScript({ program, globals, commands }: Tree): string {
  return `# Completion of ${program} for PowerShell. Generated; change the commands instead, then: npm run completions
#
# Install: add this line to your profile (its path is in $PROFILE)
#   ${program} completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName ${quote(program)} -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    Set-StrictMode -Off

    # Accepted by every command.
    $globals = @(
${globals.map(option => `        ${optionTable(option)}`).join('\n')}
    )
    $commands = @{
${commands.map(commandTable).join('\n')}
    }

    # The words before the one at the cursor.
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object {
        if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
    })
    $path = ''
    $position = 1
    $literal = $false
    $pending = $null
    foreach ($word in $words) {
        $command = $commands[$path]
        if ($null -ne $pending) { $pending = $null; continue }
        if (-not $literal -and $word.Length -gt 1 -and $word.StartsWith('-')) {
            if ($word -eq '--') { $literal = $true; continue }
            if ($word.Contains('=')) { continue }
            $option = @($command.Options) + $globals | Where-Object { $_.Names -ccontains $word } | Select-Object -First 1
            if ($option -and $option.Kind) { $pending = $option }
            continue
        }
        $next = "$path $word".Trim()
        if ($position -eq 1 -and @($command.Subcommands | ForEach-Object { $_.Name }) -ccontains $word) { $path = $next }
        else { $position++ }
    }

    $command = $commands[$path]
    $options = @(@($command.Options) + $globals | Where-Object { $_ })
    $prefix = ''
    $current = $wordToComplete
    $target = $null
    if ($null -ne $pending) {
        $target = $pending
    }
    elseif (-not $literal -and $current -match '^(--[^=]+)=(.*)$') {
        $flag = $Matches[1]
        $prefix = "$flag="
        $current = $Matches[2]
        $target = $options | Where-Object { $_.Names -ccontains $flag } | Select-Object -First 1
        if ($null -eq $target) { return }
    }
    elseif ($literal -or -not $current.StartsWith('-')) {
        if ($position -eq 1 -and $command.Subcommands) {
            foreach ($subcommand in $command.Subcommands) {
                if ($subcommand.Name.StartsWith($current)) {
                    [System.Management.Automation.CompletionResult]::new($subcommand.Name, $subcommand.Name, 'ParameterValue', $subcommand.Text)
                }
            }
            return
        }
        $places = @($command.Arguments | Where-Object { $_ })
        if ($position -le $places.Count) { $target = $places[$position - 1] }
        elseif ($places.Count -gt 0 -and $places[-1].Repeats) { $target = $places[-1] }
        elseif ($literal) { return }
    }

    if ($null -eq $target) {
        foreach ($option in $options) {
            foreach ($name in $option.Names) {
                if ($name.StartsWith($current)) {
                    [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterName', $option.Text)
                }
            }
        }
        return
    }
    $values = @($target.Choices)
    if ($target.Source) { $values = @(${program} __complete $target.Source '--' "$current" 2>$null) }
    foreach ($line in $values) {
        if (-not $line) { continue }
        $value, $text = $line -split "\`t", 2
        if (-not $value.StartsWith($current)) { continue }
        $quoted = $value
        if ($value -notmatch '^[\\w./:+-]+$') { $quoted = "'" + $value.Replace("'", "''") + "'" }
        if (-not $text) { $text = $value }
        [System.Management.Automation.CompletionResult]::new($prefix + $quoted, $value, 'ParameterValue', $text)
    }
    if ($target.Kind -eq 'file' -or $target.Kind -eq 'folder') {
        foreach ($result in [System.Management.Automation.CompletionCompleters]::CompleteFilename($current)) {
            if ($target.Kind -eq 'folder' -and $result.ResultType -ne 'ProviderContainer') { continue }
            [System.Management.Automation.CompletionResult]::new($prefix + $result.CompletionText, $result.ListItemText, $result.ResultType, $result.ToolTip)
        }
    }
}
`
}

function commandTable({ path, subcommands, options, arguments: places }: CommandDescription): string {
  const rows = [
    ...table(
      'Subcommands',
      subcommands.map(
        ({ name, description }) => `@{ Name = ${quote(name)}; Text = ${quote(description || name)} }`,
      ),
    ),
    ...table('Options', options.map(optionTable)),
    ...table(
      'Arguments',
      places.map(({ repeats, value }) => `@{ ${valueFields(value)}; Repeats = $${repeats} }`),
    ),
  ]
  return [`        ${quote(path.join(' '))} = @{`, ...rows, '        }'].join('\n')
}

function table(name: string, rows: readonly string[]): string[] {
  if (rows.length === 0) return []
  return [`            ${name} = @(`, ...rows.map(row => `                ${row}`), '            )']
}

function optionTable({ names, description, value }: OptionDescription): string {
  const fields = [
    `Names = @(${names.map(quote).join(', ')})`,
    // A completion result must have a text.
    `Text = ${quote(description || names.join(', '))}`,
    ...(value === undefined ? [] : [valueFields(value)]),
  ]
  return `@{ ${fields.join('; ')} }`
}

function valueFields(value: Value): string {
  if (value.kind === 'choices') return `Kind = 'choices'; Choices = @(${value.choices.map(quote).join(', ')})`
  if (value.kind === 'dynamic') {
    return `Kind = ${quote(value.files ? 'file' : 'dynamic')}; Source = ${quote(value.source)}`
  }
  return `Kind = ${quote(value.kind)}`
}

/** PowerShell takes curly single quotes for straight ones. */
function quote(text: string): string {
  return `'${text.replace(/['‘’‚‛]/g, '$&$&')}'`
}
