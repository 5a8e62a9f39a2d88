# Completion of twofold for PowerShell. Put this line into the file $PROFILE:
#   twofold completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName twofold -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $line = $commandAst.ToString()
    $length = $cursorPosition - $commandAst.Extent.StartOffset
    if ($length -lt $line.Length) { $line = $line.Substring(0, $length) }
    else { $line = $line.PadRight($length) }
    $env:TWOFOLD_COMPLETE = 'powershell'
    $env:TWOFOLD_LINE = $line
    $env:TWOFOLD_WORD = $wordToComplete
    try { $found = @(& $commandAst.GetCommandName() 2>$null) }
    finally { $env:TWOFOLD_COMPLETE = $env:TWOFOLD_LINE = $env:TWOFOLD_WORD = $null }
    $found | Select-Object -Skip 1 | ForEach-Object {
        $value, $help = $_ -split "`t", 2
        if (-not $help) { $help = $value }
        [System.Management.Automation.CompletionResult]::new(
            $value, $value, 'ParameterValue', $help)
    }
}
