# Completion of callwright for PowerShell. Generated; change the commands instead, then: npm run completions
#
# Install: add this line to your profile (its path is in $PROFILE)
#   callwright completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName 'callwright' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    Set-StrictMode -Off

    # Accepted by every command.
    $globals = @(
        @{ Names = @('--profile'); Text = 'Use this profile'; Kind = 'dynamic'; Source = 'profile' }
        @{ Names = @('--base-url'); Text = 'Send requests here'; Kind = 'text' }
        @{ Names = @('--json'); Text = 'Print JSON on stdout and nothing else' }
        @{ Names = @('--quiet'); Text = 'Print no progress and no notes' }
        @{ Names = @('--debug'); Text = 'Log requests and answers to stderr, without secrets' }
        @{ Names = @('--no-input'); Text = 'Never ask: fail, and name the flag to give instead' }
        @{ Names = @('--no-color'); Text = 'Print without colour' }
        @{ Names = @('--timeout'); Text = 'Limit for one request, such as 500ms, 30s or 2m'; Kind = 'text' }
        @{ Names = @('-h', '--help'); Text = 'Show this help' }
    )
    $commands = @{
        '' = @{
            Subcommands = @(
                @{ Name = 'demo'; Text = 'Watch an assistant hold a call, all on this machine' }
                @{ Name = 'init'; Text = 'Write a starter project: assistant, tool, FAQ, schemas, CI' }
                @{ Name = 'plan'; Text = 'Show what apply would change; send nothing' }
                @{ Name = 'apply'; Text = 'Bring the service up to date with the files of a project' }
                @{ Name = 'assistant'; Text = 'Create assistants' }
                @{ Name = 'tool'; Text = 'Create and update the function tools that assistants call' }
                @{ Name = 'faq'; Text = 'Send the FAQ entries of a file to a knowledge base' }
                @{ Name = 'validate'; Text = 'Check resource files offline' }
                @{ Name = 'schema'; Text = 'Print the JSON Schema of a kind of file' }
                @{ Name = 'call'; Text = 'Place phone calls, or hold one in text' }
                @{ Name = 'webhook'; Text = 'Receive, keep and send again what the service sends' }
                @{ Name = 'sandbox'; Text = 'Run the whole service on this machine' }
                @{ Name = 'profile'; Text = 'Save base URLs and API keys under names' }
                @{ Name = 'api'; Text = 'Send one request with the key of the profile' }
                @{ Name = 'completion'; Text = 'Print the script that completes callwright in your shell' }
                @{ Name = 'help'; Text = 'Show help on a command or topic; help topics lists them' }
            )
            Options = @(
                @{ Names = @('-V', '--version'); Text = 'Print the version' }
            )
        }
        'demo' = @{
            Options = @(
                @{ Names = @('--pace'); Text = 'Speed; 1 is real time, 0 does not wait'; Kind = 'text' }
            )
        }
        'init' = @{
            Arguments = @(
                @{ Kind = 'folder'; Repeats = $false }
            )
        }
        'plan' = @{
            Options = @(
                @{ Names = @('--target'); Text = 'Section of the lockfile (default: the profile)'; Kind = 'dynamic'; Source = 'target' }
                @{ Names = @('--new-target'); Text = 'Start a second target at a known base URL' }
                @{ Names = @('--out'); Text = 'Save the plan, for callwright apply <file>'; Kind = 'file' }
                @{ Names = @('--exit-code'); Text = 'End 7 when changes are pending (8: something is blocked)' }
                @{ Names = @('--allow-unknown'); Text = 'Accept fields that the interface does not know' }
                @{ Names = @('--allow-outside'); Text = 'Let ${file:…} lead out of the project' }
                @{ Names = @('--junit'); Text = 'Write a JUnit report too'; Kind = 'file' }
                @{ Names = @('--sarif'); Text = 'Write the findings as SARIF too'; Kind = 'file' }
            )
        }
        'apply' = @{
            Options = @(
                @{ Names = @('--yes'); Text = 'Do not ask' }
                @{ Names = @('--target'); Text = 'Section of the lockfile (default: the profile)'; Kind = 'dynamic'; Source = 'target' }
                @{ Names = @('--new-target'); Text = 'Start a second target at a known base URL' }
                @{ Names = @('--parallelism'); Text = 'Resources at a time (default: 4)'; Kind = 'text' }
                @{ Names = @('--adopt'); Text = 'Take over an existing resource (repeatable)'; Kind = 'dynamic'; Source = 'adopt' }
                @{ Names = @('--forget'); Text = 'Forget a resource that does not exist (repeatable)'; Kind = 'dynamic'; Source = 'forget' }
                @{ Names = @('--junit'); Text = 'Write a JUnit report too'; Kind = 'file' }
                @{ Names = @('--allow-unknown'); Text = 'Send fields that the interface does not know' }
                @{ Names = @('--allow-outside'); Text = 'Let ${file:…} lead out of the project' }
            )
            Arguments = @(
                @{ Kind = 'file'; Repeats = $false }
            )
        }
        'assistant' = @{
            Subcommands = @(
                @{ Name = 'create'; Text = 'Create an assistant from a file, or by answering questions' }
            )
        }
        'assistant create' = @{
            Options = @(
                @{ Names = @('--target'); Text = 'Section of the lockfile (default: the profile)'; Kind = 'dynamic'; Source = 'target' }
                @{ Names = @('--again'); Text = 'Create another one of a file that the target has already' }
                @{ Names = @('--allow-unknown'); Text = 'Send fields that the interface does not know' }
                @{ Names = @('--allow-outside'); Text = 'Let ${file:…} lead out of the project' }
            )
            Arguments = @(
                @{ Kind = 'file'; Repeats = $false }
            )
        }
        'tool' = @{
            Subcommands = @(
                @{ Name = 'create'; Text = 'Create a tool from a file' }
                @{ Name = 'update'; Text = 'Update the fields of a tool that a file holds' }
            )
        }
        'tool create' = @{
            Options = @(
                @{ Names = @('--target'); Text = 'Section of the lockfile (default: the profile)'; Kind = 'dynamic'; Source = 'target' }
                @{ Names = @('--again'); Text = 'Create another one of a file that the target has already' }
                @{ Names = @('--allow-unknown'); Text = 'Send fields that the interface does not know' }
                @{ Names = @('--allow-outside'); Text = 'Let ${file:…} lead out of the project' }
            )
            Arguments = @(
                @{ Kind = 'file'; Repeats = $false }
            )
        }
        'tool update' = @{
            Options = @(
                @{ Names = @('--target'); Text = 'Section of the lockfile (default: the profile)'; Kind = 'dynamic'; Source = 'target' }
                @{ Names = @('--allow-unknown'); Text = 'Send fields that the interface does not know' }
                @{ Names = @('--allow-outside'); Text = 'Let ${file:…} lead out of the project' }
            )
            Arguments = @(
                @{ Kind = 'dynamic'; Source = 'tool'; Repeats = $false }
                @{ Kind = 'file'; Repeats = $false }
            )
        }
        'faq' = @{
            Subcommands = @(
                @{ Name = 'push'; Text = 'Insert new FAQ entries, update changed ones, write new ids into the file' }
            )
        }
        'faq push' = @{
            Options = @(
                @{ Names = @('--kb'); Text = 'Id or name, instead of knowledgeBaseId in the file'; Kind = 'dynamic'; Source = 'kb' }
                @{ Names = @('--target'); Text = 'Section of the lockfile (default: the profile)'; Kind = 'dynamic'; Source = 'target' }
                @{ Names = @('--dry-run'); Text = 'Print what would be sent; send and write nothing' }
                @{ Names = @('--batch-size'); Text = 'Entries per request (default: 100)'; Kind = 'text' }
                @{ Names = @('--adopt-batch'); Text = 'Take these ids for entries whose answer was lost (- for stdin)'; Kind = 'file' }
                @{ Names = @('--resend-unknown'); Text = 'Send entries again whose answer was lost' }
                @{ Names = @('--allow-unknown'); Text = 'Send fields that the interface does not know' }
                @{ Names = @('--allow-outside'); Text = 'Let ${file:…} lead out of the project' }
            )
            Arguments = @(
                @{ Kind = 'file'; Repeats = $false }
            )
        }
        'validate' = @{
            Options = @(
                @{ Names = @('--kind'); Text = 'Kind of the files'; Kind = 'choices'; Choices = @('assistant', 'inline-assistant', 'tool', 'tool-update', 'knowledge-base', 'overrides', 'call-start', 'call-connect', 'project') }
                @{ Names = @('--allow-unknown'); Text = 'Accept fields that the interface does not know' }
                @{ Names = @('--allow-outside'); Text = 'Let ${file:…} lead out of the project' }
                @{ Names = @('--junit'); Text = 'Write a JUnit report too'; Kind = 'file' }
                @{ Names = @('--sarif'); Text = 'Write the findings as SARIF too'; Kind = 'file' }
            )
            Arguments = @(
                @{ Kind = 'file'; Repeats = $true }
            )
        }
        'schema' = @{
            Arguments = @(
                @{ Kind = 'choices'; Choices = @('assistant', 'inline-assistant', 'tool', 'tool-update', 'knowledge-base', 'overrides', 'call-start', 'call-connect', 'project'); Repeats = $false }
            )
        }
        'call' = @{
            Subcommands = @(
                @{ Name = 'start'; Text = 'Call a user from an assistant number' }
                @{ Name = 'connect'; Text = 'Call a customer by phone number id' }
                @{ Name = 'chat'; Text = 'Hold a call in text, as the caller' }
            )
        }
        'call start' = @{
            Options = @(
                @{ Names = @('--from'); Text = 'Number of the assistant, as +12025550100'; Kind = 'text' }
                @{ Names = @('--to'); Text = 'Number of the user, as +12025550123'; Kind = 'text' }
                @{ Names = @('--assistant'); Text = 'A file, sent inline; or a deployed assistant’’s name or id'; Kind = 'file'; Source = 'assistant' }
                @{ Names = @('--assistant-id'); Text = 'A deployed assistant (default: that of the number)'; Kind = 'dynamic'; Source = 'assistant-id' }
                @{ Names = @('--var'); Text = 'Value for {{name}} in the texts (repeatable)'; Kind = 'text' }
                @{ Names = @('--metadata'); Text = 'Your own data, JSON or text (repeatable)'; Kind = 'text' }
                @{ Names = @('--overrides'); Text = 'YAML or JSON file of assistant overrides'; Kind = 'file' }
                @{ Names = @('--target'); Text = 'Section of the lockfile (default: the profile)'; Kind = 'dynamic'; Source = 'target' }
                @{ Names = @('--allow-any-number'); Text = 'Do not check that numbers are E.164' }
                @{ Names = @('--allow-unknown'); Text = 'Send fields that the interface does not know' }
                @{ Names = @('--allow-outside'); Text = 'Let ${file:…} lead out of the project' }
                @{ Names = @('--yes'); Text = 'Do not ask before a phone rings' }
                @{ Names = @('--dry-run'); Text = 'Print the request and send nothing' }
                @{ Names = @('--show-secrets'); Text = 'Print values from the environment with --dry-run' }
                @{ Names = @('--follow'); Text = 'Show what is said until the call ends' }
                @{ Names = @('--port'); Text = 'Port to listen on (default: a free one)'; Kind = 'text' }
                @{ Names = @('--tunnel'); Text = 'Start a tunnel program for a public URL'; Kind = 'text' }
                @{ Names = @('--tunnel-url'); Text = 'Pattern of the public URL in its output'; Kind = 'text' }
                @{ Names = @('--public-url'); Text = 'URL at which the service reaches this listener'; Kind = 'text' }
                @{ Names = @('--compact'); Text = 'Print each message on one line, cut at the width' }
                @{ Names = @('--timestamps'); Text = 'Print times'; Kind = 'choices'; Choices = @('relative', 'local', 'iso', 'none') }
            )
        }
        'call connect' = @{
            Options = @(
                @{ Names = @('--phone-number-id'); Text = 'Id of the phone number that calls'; Kind = 'text' }
                @{ Names = @('--to'); Text = 'Number of the customer, as +12025550123'; Kind = 'text' }
                @{ Names = @('--customer-name'); Text = 'Name of the customer'; Kind = 'text' }
                @{ Names = @('--direction'); Text = 'Direction of the call'; Kind = 'choices'; Choices = @('inbound', 'outbound') }
                @{ Names = @('--assistant'); Text = 'A file, sent inline; or a deployed assistant’’s name or id'; Kind = 'file'; Source = 'assistant' }
                @{ Names = @('--assistant-id'); Text = 'A deployed assistant (default: that of the number)'; Kind = 'dynamic'; Source = 'assistant-id' }
                @{ Names = @('--var'); Text = 'Value for {{name}} in the texts (repeatable)'; Kind = 'text' }
                @{ Names = @('--metadata'); Text = 'Your own data, JSON or text (repeatable)'; Kind = 'text' }
                @{ Names = @('--overrides'); Text = 'YAML or JSON file of assistant overrides'; Kind = 'file' }
                @{ Names = @('--target'); Text = 'Section of the lockfile (default: the profile)'; Kind = 'dynamic'; Source = 'target' }
                @{ Names = @('--allow-any-number'); Text = 'Do not check that numbers are E.164' }
                @{ Names = @('--allow-unknown'); Text = 'Send fields that the interface does not know' }
                @{ Names = @('--allow-outside'); Text = 'Let ${file:…} lead out of the project' }
                @{ Names = @('--yes'); Text = 'Do not ask before a phone rings' }
                @{ Names = @('--dry-run'); Text = 'Print the request and send nothing' }
                @{ Names = @('--show-secrets'); Text = 'Print values from the environment with --dry-run' }
                @{ Names = @('--follow'); Text = 'Show what is said until the call ends' }
                @{ Names = @('--port'); Text = 'Port to listen on (default: a free one)'; Kind = 'text' }
                @{ Names = @('--tunnel'); Text = 'Start a tunnel program for a public URL'; Kind = 'text' }
                @{ Names = @('--tunnel-url'); Text = 'Pattern of the public URL in its output'; Kind = 'text' }
                @{ Names = @('--public-url'); Text = 'URL at which the service reaches this listener'; Kind = 'text' }
                @{ Names = @('--compact'); Text = 'Print each message on one line, cut at the width' }
                @{ Names = @('--timestamps'); Text = 'Print times'; Kind = 'choices'; Choices = @('relative', 'local', 'iso', 'none') }
            )
        }
        'call chat' = @{
            Options = @(
                @{ Names = @('--assistant-id'); Text = 'Assistant of the records of sandbox start'; Kind = 'dynamic'; Source = 'assistant-id' }
                @{ Names = @('--var'); Text = 'Value for {{name}} in the texts (repeatable)'; Kind = 'text' }
                @{ Names = @('--overrides'); Text = 'YAML or JSON file of assistant overrides'; Kind = 'file' }
                @{ Names = @('--caller'); Text = 'Lines that the caller says first, one per line'; Kind = 'file' }
                @{ Names = @('--save'); Text = 'Save the transcript to a new file: .json, .ndjson or text'; Kind = 'file' }
                @{ Names = @('--data'); Text = 'Take FAQ, tools and assistants from these records'; Kind = 'file' }
                @{ Names = @('--webhooks'); Text = 'Send the webhooks that the assistant asks for' }
                @{ Names = @('--seed'); Text = 'Fix the ids of the call'; Kind = 'text' }
                @{ Names = @('--allow-unknown'); Text = 'Send fields that the interface does not know' }
                @{ Names = @('--allow-outside'); Text = 'Let ${file:…} lead out of the project' }
                @{ Names = @('--llm-url'); Text = 'OpenAI-compatible server for replies (default: FAQ)'; Kind = 'text' }
                @{ Names = @('--llm-model'); Text = 'Model of that server, instead of the assistant''s own'; Kind = 'text' }
            )
            Arguments = @(
                @{ Kind = 'file'; Source = 'assistant'; Repeats = $false }
            )
        }
        'webhook' = @{
            Subcommands = @(
                @{ Name = 'tail'; Text = 'Listen for webhook events, and print each message once' }
                @{ Name = 'replay'; Text = 'Print a recording, or send its events to a server again' }
                @{ Name = 'trigger'; Text = 'Send sample events, a whole call’’s, or odd ones, to a server' }
                @{ Name = 'show'; Text = 'List recorded calls, or print one as text, Markdown, JSON or HTML' }
            )
        }
        'webhook tail' = @{
            Options = @(
                @{ Names = @('--host'); Text = 'Address to listen on'; Kind = 'text' }
                @{ Names = @('--port'); Text = 'Port to listen on; 0 for a free one'; Kind = 'text' }
                @{ Names = @('--path'); Text = 'Path that events are sent to'; Kind = 'text' }
                @{ Names = @('--require-header'); Text = 'Accept only requests with this ''name: value'''; Kind = 'text' }
                @{ Names = @('--allow-host'); Text = 'Accept requests to this host too (repeatable)'; Kind = 'text' }
                @{ Names = @('--max-body'); Text = 'Largest body to accept'; Kind = 'text' }
                @{ Names = @('--until'); Text = 'End after the first call that finished'; Kind = 'choices'; Choices = @('finished') }
                @{ Names = @('--tunnel'); Text = 'Start a tunnel program for a public URL'; Kind = 'text' }
                @{ Names = @('--tunnel-url'); Text = 'Pattern of the public URL in its output'; Kind = 'text' }
                @{ Names = @('--public-url'); Text = 'URL at which the service reaches this listener'; Kind = 'text' }
                @{ Names = @('--call'); Text = 'Show only this call (repeatable)'; Kind = 'text' }
                @{ Names = @('--type'); Text = 'Show only events of this type (repeatable)'; Kind = 'text' }
                @{ Names = @('--role'); Text = 'Show only this role (repeatable)'; Kind = 'choices'; Choices = @('user', 'assistant') }
                @{ Names = @('--status'); Text = 'Show only this status (repeatable)'; Kind = 'choices'; Choices = @('queued', 'ongoing', 'finished') }
                @{ Names = @('--compact'); Text = 'Print each message on one line, cut at the width' }
                @{ Names = @('--timestamps'); Text = 'Print times'; Kind = 'choices'; Choices = @('relative', 'local', 'iso', 'none') }
                @{ Names = @('--ui'); Text = 'Show the calls on a page in the browser too' }
                @{ Names = @('--record'); Text = 'Append every event to this file'; Kind = 'file' }
                @{ Names = @('--rotate'); Text = 'Rename the recording before it grows larger'; Kind = 'text' }
                @{ Names = @('--forward'); Text = 'Send events to this server too (repeatable)'; Kind = 'dynamic'; Source = 'forward' }
                @{ Names = @('--forward-header'); Text = 'Send this ''name: value'' with them (repeatable)'; Kind = 'text' }
                @{ Names = @('--forward-only-new'); Text = 'Forward only events that carry something new' }
                @{ Names = @('--forward-retries'); Text = 'Send an event that failed again (default: 0)'; Kind = 'text' }
                @{ Names = @('--resume'); Text = 'Deliver first what an earlier tail left' }
                @{ Names = @('--drain'); Text = 'Wait at the end for deliveries'; Kind = 'text' }
                @{ Names = @('--exec'); Text = 'Run this for each new message, its JSON on stdin'; Kind = 'text' }
                @{ Names = @('--exec-shell'); Text = 'Let the shell read the command of --exec' }
                @{ Names = @('--exec-at-once'); Text = 'Programs at a time (default: 4)'; Kind = 'text' }
                @{ Names = @('--exec-timeout'); Text = 'End a program that takes longer (default: 60s)'; Kind = 'text' }
            )
        }
        'webhook replay' = @{
            Options = @(
                @{ Names = @('--to'); Text = 'Server to send to (default: print)'; Kind = 'text' }
                @{ Names = @('--speed'); Text = 'Times as fast, or max (default: 1 with --to, else max)'; Kind = 'text' }
                @{ Names = @('--call'); Text = 'Only the events of this call (repeatable)'; Kind = 'text' }
                @{ Names = @('--type'); Text = 'Only events of this type (repeatable)'; Kind = 'text' }
                @{ Names = @('--from'); Text = 'Only events from this time on, as 2m'; Kind = 'text' }
                @{ Names = @('--until'); Text = 'Only events up to this time'; Kind = 'text' }
                @{ Names = @('--header'); Text = 'Send this ''name: value'' too (repeatable)'; Kind = 'text' }
                @{ Names = @('--role'); Text = 'Show only this role (repeatable)'; Kind = 'choices'; Choices = @('user', 'assistant') }
                @{ Names = @('--status'); Text = 'Show only this status (repeatable)'; Kind = 'choices'; Choices = @('queued', 'ongoing', 'finished') }
                @{ Names = @('--compact'); Text = 'Print each message on one line, cut at the width' }
                @{ Names = @('--timestamps'); Text = 'Print times'; Kind = 'choices'; Choices = @('relative', 'local', 'iso', 'none') }
            )
            Arguments = @(
                @{ Kind = 'file'; Repeats = $false }
            )
        }
        'webhook trigger' = @{
            Options = @(
                @{ Names = @('--to'); Text = 'Address of the server'; Kind = 'text' }
                @{ Names = @('--set'); Text = 'Change a field, as call.id=CC-1 (repeatable)'; Kind = 'text' }
                @{ Names = @('--unset'); Text = 'Leave a field out, as call (repeatable)'; Kind = 'text' }
                @{ Names = @('--allow-unknown'); Text = 'Let --set add fields that the interface does not have' }
                @{ Names = @('--messages'); Text = 'Messages of the conversation (default: 6)'; Kind = 'text' }
                @{ Names = @('--status'); Text = 'Status of the call (default: by the event)'; Kind = 'choices'; Choices = @('queued', 'ongoing', 'finished') }
                @{ Names = @('--call'); Text = 'Id of the call (default: a new one)'; Kind = 'text' }
                @{ Names = @('--shape'); Text = 'Send only this odd shape (repeatable)'; Kind = 'text' }
                @{ Names = @('--header'); Text = 'Send this ''name: value'' too (repeatable)'; Kind = 'text' }
                @{ Names = @('--dry-run'); Text = 'Print the events and send nothing' }
            )
            Arguments = @(
                @{ Kind = 'choices'; Choices = @('status-update', 'conversation-update', 'call', 'odd'); Repeats = $false }
            )
        }
        'webhook show' = @{
            Options = @(
                @{ Names = @('--call'); Text = 'Call to print, by a beginning of its id'; Kind = 'text' }
                @{ Names = @('--last'); Text = 'Print the call that began last' }
                @{ Names = @('--all'); Text = 'Print every call of the recording' }
                @{ Names = @('--format'); Text = 'Format (default: by the name of --out, else text)'; Kind = 'choices'; Choices = @('text', 'markdown', 'json', 'html') }
                @{ Names = @('--out'); Text = 'Write to a new file, which only you can read'; Kind = 'file' }
                @{ Names = @('--force'); Text = 'Let --out replace a file' }
            )
            Arguments = @(
                @{ Kind = 'file'; Repeats = $false }
            )
        }
        'sandbox' = @{
            Subcommands = @(
                @{ Name = 'start'; Text = 'Start the service, save it as a profile, and log what happens' }
            )
        }
        'sandbox start' = @{
            Options = @(
                @{ Names = @('--host'); Text = 'Loopback address to listen on'; Kind = 'text' }
                @{ Names = @('--port'); Text = 'Port to listen on; 0 picks a free one'; Kind = 'text' }
                @{ Names = @('--pace'); Text = 'Speed; 1 is real time, 0 does not wait'; Kind = 'text' }
                @{ Names = @('--data'); Text = 'Keep records here (default: the configuration folder)'; Kind = 'file' }
                @{ Names = @('--memory'); Text = 'Keep no records' }
                @{ Names = @('--save-profile'); Text = 'Profile while it runs (default: sandbox)'; Kind = 'text' }
                @{ Names = @('--numbers'); Text = 'List of { id, number, assistantId, phoneVendor }'; Kind = 'file' }
                @{ Names = @('--caller'); Text = 'Where the caller''s lines come from'; Kind = 'choices'; Choices = @('script', 'live') }
                @{ Names = @('--llm-url'); Text = 'OpenAI-compatible server for replies (default: FAQ)'; Kind = 'text' }
                @{ Names = @('--llm-model'); Text = 'Model of that server, instead of the assistant''s own'; Kind = 'text' }
                @{ Names = @('--fault'); Text = 'Inject faults into webhooks, as drop=0.1 (repeatable)'; Kind = 'dynamic'; Source = 'fault' }
                @{ Names = @('--fault-http'); Text = 'Inject faults into requests, as 429=0.3 (repeatable)'; Kind = 'dynamic'; Source = 'fault-http' }
                @{ Names = @('--seed'); Text = 'Repeat the ids and faults of a run with this seed'; Kind = 'text' }
            )
        }
        'profile' = @{
            Subcommands = @(
                @{ Name = 'add'; Text = 'Save a base URL and an API key; ask for what is not given' }
                @{ Name = 'list'; Text = 'List all profiles; * marks the one in use' }
                @{ Name = 'show'; Text = 'Show where requests go, and where each setting comes from' }
                @{ Name = 'use'; Text = 'Use a profile from now on' }
                @{ Name = 'remove'; Text = 'Remove a profile and its key from this machine' }
            )
        }
        'profile add' = @{
            Options = @(
                @{ Names = @('--api-key-stdin'); Text = 'Read the API key from stdin' }
                @{ Names = @('--vocabulary'); Text = 'YAML or JSON file of the service’’s own words'; Kind = 'file' }
                @{ Names = @('--force'); Text = 'Replace a profile of that name without asking' }
            )
            Arguments = @(
                @{ Kind = 'text'; Repeats = $false }
            )
        }
        'profile list' = @{
        }
        'profile show' = @{
            Arguments = @(
                @{ Kind = 'dynamic'; Source = 'profile'; Repeats = $false }
            )
        }
        'profile use' = @{
            Arguments = @(
                @{ Kind = 'dynamic'; Source = 'profile'; Repeats = $false }
            )
        }
        'profile remove' = @{
            Options = @(
                @{ Names = @('--yes'); Text = 'Do not ask' }
            )
            Arguments = @(
                @{ Kind = 'dynamic'; Source = 'profile'; Repeats = $false }
            )
        }
        'api' = @{
            Options = @(
                @{ Names = @('--data'); Text = 'Body: JSON, @file, or @- for stdin'; Kind = 'text' }
                @{ Names = @('-i', '--include'); Text = 'Print the status and headers of the answer too' }
            )
            Arguments = @(
                @{ Kind = 'choices'; Choices = @('GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'); Repeats = $false }
                @{ Kind = 'text'; Repeats = $false }
            )
        }
        'completion' = @{
            Arguments = @(
                @{ Kind = 'choices'; Choices = @('bash', 'zsh', 'fish', 'powershell'); Repeats = $false }
            )
        }
        'help' = @{
            Subcommands = @(
                @{ Name = 'demo'; Text = 'Watch an assistant hold a call, all on this machine' }
                @{ Name = 'init'; Text = 'Write a starter project: assistant, tool, FAQ, schemas, CI' }
                @{ Name = 'plan'; Text = 'Show what apply would change; send nothing' }
                @{ Name = 'apply'; Text = 'Bring the service up to date with the files of a project' }
                @{ Name = 'assistant'; Text = 'Create assistants' }
                @{ Name = 'tool'; Text = 'Create and update the function tools that assistants call' }
                @{ Name = 'faq'; Text = 'Send the FAQ entries of a file to a knowledge base' }
                @{ Name = 'validate'; Text = 'Check resource files offline' }
                @{ Name = 'schema'; Text = 'Print the JSON Schema of a kind of file' }
                @{ Name = 'call'; Text = 'Place phone calls, or hold one in text' }
                @{ Name = 'webhook'; Text = 'Receive, keep and send again what the service sends' }
                @{ Name = 'sandbox'; Text = 'Run the whole service on this machine' }
                @{ Name = 'profile'; Text = 'Save base URLs and API keys under names' }
                @{ Name = 'api'; Text = 'Send one request with the key of the profile' }
                @{ Name = 'completion'; Text = 'Print the script that completes callwright in your shell' }
                @{ Name = 'topics'; Text = 'List the topics' }
                @{ Name = 'flags'; Text = 'Flags that every command takes' }
                @{ Name = 'exit-codes'; Text = 'What a script sees when a command ends' }
                @{ Name = 'environment'; Text = 'Environment variables, and what wins over what' }
                @{ Name = 'files'; Text = 'Resource files, references, the vocabulary' }
                @{ Name = 'projects'; Text = 'Plan, apply, the lockfile, targets' }
                @{ Name = 'faq-push'; Text = 'A batch whose answer was lost, and its ids' }
                @{ Name = 'shells'; Text = 'Completions in bash, zsh, fish and PowerShell' }
                @{ Name = 'chat'; Text = 'Commands, scripts and saved transcripts of call chat' }
                @{ Name = 'follow'; Text = 'What --follow needs, prints and ends with' }
                @{ Name = 'tunnels'; Text = 'How the service reaches a listener here' }
                @{ Name = 'filters'; Text = 'Which events are shown, and how' }
                @{ Name = 'recording'; Text = 'What --record and --ui keep and show' }
                @{ Name = 'forwarding'; Text = 'How --forward passes events on' }
                @{ Name = 'exec'; Text = 'How --exec runs a program for each message' }
                @{ Name = 'replay'; Text = 'How a recording is read, paced and sent' }
                @{ Name = 'trigger'; Text = 'How events are made up, and what is printed' }
                @{ Name = 'odd-events'; Text = 'The events that webhook trigger odd sends' }
                @{ Name = 'transcripts'; Text = 'What webhook show prints, and its JSON' }
                @{ Name = 'sandbox-replies'; Text = 'Who answers, tools and analysis' }
                @{ Name = 'sandbox-fields'; Text = 'What the other fields of an assistant do' }
                @{ Name = 'sandbox-faults'; Text = 'Faults that the sandbox makes on request' }
            )
        }
        'help assistant' = @{
            Subcommands = @(
                @{ Name = 'create'; Text = 'Create an assistant from a file, or by answering questions' }
            )
        }
        'help tool' = @{
            Subcommands = @(
                @{ Name = 'create'; Text = 'Create a tool from a file' }
                @{ Name = 'update'; Text = 'Update the fields of a tool that a file holds' }
            )
        }
        'help faq' = @{
            Subcommands = @(
                @{ Name = 'push'; Text = 'Insert new FAQ entries, update changed ones, write new ids into the file' }
            )
        }
        'help call' = @{
            Subcommands = @(
                @{ Name = 'start'; Text = 'Call a user from an assistant number' }
                @{ Name = 'connect'; Text = 'Call a customer by phone number id' }
                @{ Name = 'chat'; Text = 'Hold a call in text, as the caller' }
            )
        }
        'help webhook' = @{
            Subcommands = @(
                @{ Name = 'tail'; Text = 'Listen for webhook events, and print each message once' }
                @{ Name = 'replay'; Text = 'Print a recording, or send its events to a server again' }
                @{ Name = 'trigger'; Text = 'Send sample events, a whole call’’s, or odd ones, to a server' }
                @{ Name = 'show'; Text = 'List recorded calls, or print one as text, Markdown, JSON or HTML' }
            )
        }
        'help sandbox' = @{
            Subcommands = @(
                @{ Name = 'start'; Text = 'Start the service, save it as a profile, and log what happens' }
            )
        }
        'help profile' = @{
            Subcommands = @(
                @{ Name = 'add'; Text = 'Save a base URL and an API key; ask for what is not given' }
                @{ Name = 'list'; Text = 'List all profiles; * marks the one in use' }
                @{ Name = 'show'; Text = 'Show where requests go, and where each setting comes from' }
                @{ Name = 'use'; Text = 'Use a profile from now on' }
                @{ Name = 'remove'; Text = 'Remove a profile and its key from this machine' }
            )
        }
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
    if ($target.Source) { $values = @(callwright __complete $target.Source '--' "$current" 2>$null) }
    foreach ($line in $values) {
        if (-not $line) { continue }
        $value, $text = $line -split "`t", 2
        if (-not $value.StartsWith($current)) { continue }
        $quoted = $value
        if ($value -notmatch '^[\w./:+-]+$') { $quoted = "'" + $value.Replace("'", "''") + "'" }
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
