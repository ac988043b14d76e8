# Completion of callyard for Windows PowerShell 5.1 and PowerShell 7.
#
# Install: add this line to your profile (its path is in $PROFILE)
#   callyard completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName 'callyard' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    Set-StrictMode -Off

    # The words before the one at the cursor.
    $before = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object {
        if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
    })
    $answer = @(callyard __complete "--at=$wordToComplete" '--' @before 2>$null)
    # The last line says what else is wanted; the others are offers, with a tab before their description.
    foreach ($line in @($answer | Select-Object -SkipLast 1)) {
        $value, $text = $line -split "`t", 2
        $quoted = $value
        # PowerShell takes curly single quotes for straight ones.
        if ($value -notmatch '^[\w./:=+-]+$') { $quoted = "'" + ($value -replace "['\u2018-\u201b]", '$&$&') + "'" }
        # A completion result must have a text.
        if (-not $text) { $text = $value }
        $type = if ($value.StartsWith('-')) { 'ParameterName' } else { 'ParameterValue' }
        [System.Management.Automation.CompletionResult]::new($quoted, $value, $type, $text)
    }
    if ($answer[-1] -notmatch '^:(files|folders)') { return }
    $prefix = ''
    $path = $wordToComplete
    if ($path -match '^(--[^=]+=)(.*)$') { $prefix, $path = $Matches[1], $Matches[2] }
    foreach ($result in [System.Management.Automation.CompletionCompleters]::CompleteFilename($path)) {
        if ($answer[-1] -like ':folders*' -and $result.ResultType -ne 'ProviderContainer') { continue }
        [System.Management.Automation.CompletionResult]::new($prefix + $result.CompletionText, $result.ListItemText, $result.ResultType, $result.ToolTip)
    }
}
