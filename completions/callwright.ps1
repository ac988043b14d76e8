# Completion of callwright for PowerShell. Generated; change the commands instead, then: npm run completions
#
# Install: add this line to your profile (its path is in $PROFILE)
#   callwright completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName 'callwright' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    Set-StrictMode -Off

    # Accepted by every command.
    $globals = @(
        @{ Names = @('--profile'); Text = 'profile to use'; Kind = 'profile' }
        @{ Names = @('--base-url'); Text = 'base URL of the service'; Kind = 'text' }
        @{ Names = @('--json'); Text = 'print JSON on stdout and nothing else' }
        @{ Names = @('--quiet'); Text = 'print no progress and no notes' }
        @{ Names = @('--debug'); Text = 'log requests and answers to stderr, without secrets' }
        @{ Names = @('--no-input'); Text = 'never ask; fail and name the flag instead' }
        @{ Names = @('--no-color'); Text = 'print without colour' }
        @{ Names = @('--timeout'); Text = 'for one request, such as 500ms, 30s, 2m'; Kind = 'text' }
        @{ Names = @('-h', '--help'); Text = 'print this help' }
    )
    $commands = @{
        '' = @{
            Subcommands = @(
                @{ Name = 'demo'; Text = 'watch an assistant made from YAML hold a call, all on this machine' }
                @{ Name = 'init'; Text = 'write a starter project: an assistant, a tool, FAQ entries, schemas for editors, a CI example' }
                @{ Name = 'plan'; Text = 'show what apply would change: sends nothing, needs no key' }
                @{ Name = 'apply'; Text = 'make the service hold what the files of the project say' }
                @{ Name = 'assistant'; Text = 'create assistants' }
                @{ Name = 'tool'; Text = 'create and update the function tools that assistants call' }
                @{ Name = 'faq'; Text = 'keep the questions and answers of a knowledge base in a file' }
                @{ Name = 'validate'; Text = 'check resource files without the service: files, folders and glob patterns' }
                @{ Name = 'schema'; Text = 'print the JSON Schema (2020-12) of a kind of file, for editors and other tools' }
                @{ Name = 'call'; Text = 'place phone calls' }
                @{ Name = 'webhook'; Text = 'receive what the service sends during calls; keep it, send it, show it' }
                @{ Name = 'sandbox'; Text = 'run the whole service on this machine' }
                @{ Name = 'profile'; Text = 'keep base URLs and API keys under names' }
                @{ Name = 'api'; Text = 'send one request with the key of the profile, for endpoints that have no command' }
                @{ Name = 'completion'; Text = 'print the script that completes commands, flags, profiles and files in your shell' }
                @{ Name = 'help'; Text = 'help on a command, or on exit-codes, environment, sandbox' }
            )
            Options = @(
                @{ Names = @('-V', '--version'); Text = 'print the version' }
            )
        }
        'demo' = @{
            Options = @(
                @{ Names = @('--pace'); Text = '1 is real time, 4 four times faster, 0 does not wait'; Kind = 'text' }
            )
        }
        'init' = @{
            Arguments = @(
                @{ Kind = 'folder'; Repeats = $false }
            )
        }
        'plan' = @{
            Options = @(
                @{ Names = @('--target'); Text = 'section of the lockfile (default: the name of the profile)'; Kind = 'text' }
                @{ Names = @('--new-target'); Text = 'begin a second target at a base URL that the lockfile knows' }
                @{ Names = @('--out'); Text = 'also write the plan to a file, for callwright apply <file>'; Kind = 'file' }
                @{ Names = @('--exit-code'); Text = 'end with 7 when changes are pending' }
                @{ Names = @('--allow-unknown'); Text = 'accept fields that the interface does not know' }
            )
        }
        'apply' = @{
            Options = @(
                @{ Names = @('--yes'); Text = 'do not ask; needed where nobody can be asked' }
                @{ Names = @('--target'); Text = 'section of the lockfile (default: the name of the profile)'; Kind = 'text' }
                @{ Names = @('--new-target'); Text = 'begin a second target at a base URL that the lockfile knows' }
                @{ Names = @('--parallelism'); Text = 'most resources at once (default: 4)'; Kind = 'text' }
                @{ Names = @('--adopt'); Text = 'take a tool or assistant that exists as this file’’s; repeatable'; Kind = 'text' }
                @{ Names = @('--forget'); Text = 'take a resource, or its unanswered creation, as not there; repeatable'; Kind = 'text' }
                @{ Names = @('--junit'); Text = 'also write a JUnit report'; Kind = 'file' }
                @{ Names = @('--allow-unknown'); Text = 'send fields that the interface does not know as they are' }
            )
            Arguments = @(
                @{ Kind = 'text'; Repeats = $false }
            )
        }
        'assistant' = @{
            Subcommands = @(
                @{ Name = 'create'; Text = 'create an assistant from a file, or by answering questions' }
            )
        }
        'assistant create' = @{
            Options = @(
                @{ Names = @('--target'); Text = 'section of the lockfile (default: the name of the profile)'; Kind = 'text' }
                @{ Names = @('--allow-unknown'); Text = 'send fields that the interface does not know as they are' }
            )
            Arguments = @(
                @{ Kind = 'file'; Repeats = $false }
            )
        }
        'tool' = @{
            Subcommands = @(
                @{ Name = 'create'; Text = 'create a tool from a file' }
                @{ Name = 'update'; Text = 'change the fields of a tool that the file holds' }
            )
        }
        'tool create' = @{
            Options = @(
                @{ Names = @('--target'); Text = 'section of the lockfile (default: the name of the profile)'; Kind = 'text' }
                @{ Names = @('--allow-unknown'); Text = 'send fields that the interface does not know as they are' }
            )
            Arguments = @(
                @{ Kind = 'file'; Repeats = $false }
            )
        }
        'tool update' = @{
            Options = @(
                @{ Names = @('--target'); Text = 'section of the lockfile (default: the name of the profile)'; Kind = 'text' }
                @{ Names = @('--allow-unknown'); Text = 'send fields that the interface does not know as they are' }
            )
            Arguments = @(
                @{ Kind = 'text'; Repeats = $false }
                @{ Kind = 'file'; Repeats = $false }
            )
        }
        'faq' = @{
            Subcommands = @(
                @{ Name = 'push'; Text = 'insert new entries, update changed ones, and write new ids back into the file' }
            )
        }
        'faq push' = @{
            Options = @(
                @{ Names = @('--kb'); Text = 'id or name of the knowledge base, instead of knowledgeBaseId in the file'; Kind = 'text' }
                @{ Names = @('--target'); Text = 'section of the lockfile (default: the name of the profile)'; Kind = 'text' }
                @{ Names = @('--dry-run'); Text = 'print what would be sent; send and write nothing' }
                @{ Names = @('--batch-size'); Text = 'most entries in one request (default: 100)'; Kind = 'text' }
                @{ Names = @('--resend-unknown'); Text = 'send entries again whose answer was lost in an earlier push' }
                @{ Names = @('--allow-unknown'); Text = 'send fields that the interface does not know as they are' }
            )
            Arguments = @(
                @{ Kind = 'file'; Repeats = $false }
            )
        }
        'validate' = @{
            Options = @(
                @{ Names = @('--kind'); Text = 'kind of the files, when no folder tells it'; Kind = 'choices'; Choices = @('assistant', 'inline-assistant', 'tool', 'tool-update', 'knowledge-base', 'overrides', 'call-start', 'call-connect', 'project') }
                @{ Names = @('--allow-unknown'); Text = 'accept fields that the interface does not know' }
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
                @{ Name = 'start'; Text = 'call a user from an assistant number' }
                @{ Name = 'connect'; Text = 'place a call by phone number id and customer' }
                @{ Name = 'chat'; Text = 'be the caller yourself, in text: hold a call on a sandbox of its own' }
            )
        }
        'call start' = @{
            Options = @(
                @{ Names = @('--from'); Text = 'number of the assistant, as +12025550100'; Kind = 'text' }
                @{ Names = @('--to'); Text = 'number of the user, as +12025550123'; Kind = 'text' }
                @{ Names = @('--assistant'); Text = 'inline assistant: YAML or JSON file; wins over --assistant-id'; Kind = 'file' }
                @{ Names = @('--assistant-id'); Text = 'an existing assistant; without either, the default assistant of the number'; Kind = 'text' }
                @{ Names = @('--var'); Text = 'dynamic variable, replaces {{name}} (repeatable)'; Kind = 'text' }
                @{ Names = @('--metadata'); Text = 'your own data; JSON is sent as JSON (repeatable)'; Kind = 'text' }
                @{ Names = @('--overrides'); Text = 'YAML or JSON file with assistant overrides'; Kind = 'file' }
                @{ Names = @('--target'); Text = 'section of the lockfile (default: the name of the profile)'; Kind = 'text' }
                @{ Names = @('--allow-any-number'); Text = 'do not check numbers as E.164' }
                @{ Names = @('--allow-unknown'); Text = 'send fields that the interface does not know as they are' }
                @{ Names = @('--dry-run'); Text = 'print the request and send nothing' }
                @{ Names = @('--follow'); Text = 'show what is said until the call ends, by a listener of its own' }
                @{ Names = @('--port'); Text = 'port to listen on (default: a free one)'; Kind = 'text' }
                @{ Names = @('--tunnel'); Text = 'start a tunnel program, and find the public URL in its output'; Kind = 'text' }
                @{ Names = @('--tunnel-url'); Text = 'regular expression of the public URL in that output'; Kind = 'text' }
                @{ Names = @('--public-url'); Text = 'where the service reaches this listener already'; Kind = 'text' }
                @{ Names = @('--compact'); Text = 'print each message on one line, cut at the width' }
                @{ Names = @('--timestamps'); Text = 'print when it was said in front of each line'; Kind = 'choices'; Choices = @('relative', 'local', 'iso', 'none') }
            )
        }
        'call connect' = @{
            Options = @(
                @{ Names = @('--phone-number-id'); Text = 'id of the phone number used for the call'; Kind = 'text' }
                @{ Names = @('--to'); Text = 'number of the customer, as +12025550123'; Kind = 'text' }
                @{ Names = @('--customer-name'); Text = 'name of the customer'; Kind = 'text' }
                @{ Names = @('--direction'); Text = 'who starts the call'; Kind = 'choices'; Choices = @('inbound', 'outbound') }
                @{ Names = @('--assistant'); Text = 'inline assistant: YAML or JSON file; wins over --assistant-id'; Kind = 'file' }
                @{ Names = @('--assistant-id'); Text = 'an existing assistant; without either, the default assistant of the number'; Kind = 'text' }
                @{ Names = @('--var'); Text = 'dynamic variable, replaces {{name}} (repeatable)'; Kind = 'text' }
                @{ Names = @('--metadata'); Text = 'your own data; JSON is sent as JSON (repeatable)'; Kind = 'text' }
                @{ Names = @('--overrides'); Text = 'YAML or JSON file with assistant overrides'; Kind = 'file' }
                @{ Names = @('--target'); Text = 'section of the lockfile (default: the name of the profile)'; Kind = 'text' }
                @{ Names = @('--allow-any-number'); Text = 'do not check numbers as E.164' }
                @{ Names = @('--allow-unknown'); Text = 'send fields that the interface does not know as they are' }
                @{ Names = @('--dry-run'); Text = 'print the request and send nothing' }
                @{ Names = @('--follow'); Text = 'show what is said until the call ends, by a listener of its own' }
                @{ Names = @('--port'); Text = 'port to listen on (default: a free one)'; Kind = 'text' }
                @{ Names = @('--tunnel'); Text = 'start a tunnel program, and find the public URL in its output'; Kind = 'text' }
                @{ Names = @('--tunnel-url'); Text = 'regular expression of the public URL in that output'; Kind = 'text' }
                @{ Names = @('--public-url'); Text = 'where the service reaches this listener already'; Kind = 'text' }
                @{ Names = @('--compact'); Text = 'print each message on one line, cut at the width' }
                @{ Names = @('--timestamps'); Text = 'print when it was said in front of each line'; Kind = 'choices'; Choices = @('relative', 'local', 'iso', 'none') }
            )
        }
        'call chat' = @{
            Options = @(
                @{ Names = @('--assistant-id'); Text = 'an assistant of the records that sandbox start keeps, with its tools and FAQ'; Kind = 'text' }
                @{ Names = @('--var'); Text = 'dynamic variable, replaces {{name}} (repeatable)'; Kind = 'text' }
                @{ Names = @('--overrides'); Text = 'YAML or JSON file with assistant overrides'; Kind = 'file' }
                @{ Names = @('--caller'); Text = 'lines that the caller says first, one per line'; Kind = 'file' }
                @{ Names = @('--save'); Text = 'write the transcript to a new file: .json, .ndjson, or else text'; Kind = 'file' }
                @{ Names = @('--data'); Text = 'records of a sandbox to take FAQ, tools and assistants from; read only'; Kind = 'file' }
                @{ Names = @('--webhooks'); Text = 'send the webhooks that the assistant’’s assistantServer asks for' }
                @{ Names = @('--allow-unknown'); Text = 'send fields that the interface does not know as they are' }
                @{ Names = @('--llm-url'); Text = 'OpenAI-compatible server that replies for the assistant; without it replies come from the FAQ'; Kind = 'text' }
                @{ Names = @('--llm-model'); Text = 'model of that server, instead of the assistant''s own'; Kind = 'text' }
            )
            Arguments = @(
                @{ Kind = 'text'; Repeats = $false }
            )
        }
        'webhook' = @{
            Subcommands = @(
                @{ Name = 'tail'; Text = 'listen for webhook events and print each message once, status changes and the analysis' }
                @{ Name = 'replay'; Text = 'send the events of a recording to a server again, or print them as tail does' }
                @{ Name = 'trigger'; Text = 'send sample events, a whole call’’s, or odd ones, to a server under development' }
                @{ Name = 'show'; Text = 'print a recorded call as text, Markdown, JSON or an HTML page that stands alone' }
            )
        }
        'webhook tail' = @{
            Options = @(
                @{ Names = @('--host'); Text = 'address to listen on'; Kind = 'text' }
                @{ Names = @('--port'); Text = 'port to listen on; 0 picks a free one'; Kind = 'text' }
                @{ Names = @('--path'); Text = 'path that events are sent to'; Kind = 'text' }
                @{ Names = @('--require-header'); Text = 'take only requests with this header: ''name: value'''; Kind = 'text' }
                @{ Names = @('--allow-host'); Text = 'take requests addressed to this host too (repeatable)'; Kind = 'text' }
                @{ Names = @('--max-body'); Text = 'largest body taken'; Kind = 'text' }
                @{ Names = @('--until'); Text = 'end after the first call that finished'; Kind = 'choices'; Choices = @('finished') }
                @{ Names = @('--tunnel'); Text = 'start a tunnel program, and find the public URL in its output'; Kind = 'text' }
                @{ Names = @('--tunnel-url'); Text = 'regular expression of the public URL in that output'; Kind = 'text' }
                @{ Names = @('--public-url'); Text = 'where the service reaches this listener already'; Kind = 'text' }
                @{ Names = @('--call'); Text = 'show only this call (repeatable)'; Kind = 'text' }
                @{ Names = @('--type'); Text = 'show only events of this type, as status-update (repeatable)'; Kind = 'text' }
                @{ Names = @('--role'); Text = 'show only messages of this role (repeatable)'; Kind = 'choices'; Choices = @('user', 'assistant') }
                @{ Names = @('--status'); Text = 'show only changes to this status (repeatable)'; Kind = 'choices'; Choices = @('queued', 'ongoing', 'finished') }
                @{ Names = @('--compact'); Text = 'print each message on one line, cut at the width' }
                @{ Names = @('--timestamps'); Text = 'print when it was said in front of each line'; Kind = 'choices'; Choices = @('relative', 'local', 'iso', 'none') }
                @{ Names = @('--ui'); Text = 'show the calls on a page in the browser too' }
                @{ Names = @('--record'); Text = 'append every event to this file, for webhook replay and webhook show'; Kind = 'file' }
                @{ Names = @('--rotate'); Text = 'put the recording aside before it grows larger than this'; Kind = 'text' }
                @{ Names = @('--forward'); Text = 'send each event, or those of one type, to this server too (repeatable)' }
                @{ Names = @('--forward-header'); Text = 'send this header with them: ''name: value'' (repeatable)'; Kind = 'text' }
                @{ Names = @('--forward-only-new'); Text = 'forward only events that carry something unseen' }
                @{ Names = @('--forward-retries'); Text = 'try an event that failed again so many times, at most 100 (default: 0)'; Kind = 'text' }
                @{ Names = @('--resume'); Text = 'first deliver what an earlier tail accepted and did not deliver' }
                @{ Names = @('--drain'); Text = 'how long the end waits for what is under way'; Kind = 'text' }
                @{ Names = @('--exec'); Text = 'run this for each unseen message, its JSON on stdin'; Kind = 'text' }
                @{ Names = @('--exec-shell'); Text = 'let the shell read the command of --exec' }
                @{ Names = @('--exec-at-once'); Text = 'how many run side by side (4 unless given)'; Kind = 'text' }
                @{ Names = @('--exec-timeout'); Text = 'end one that takes longer (60s unless given)'; Kind = 'text' }
            )
        }
        'webhook replay' = @{
            Options = @(
                @{ Names = @('--to'); Text = 'address of the server; without it the transcript is printed'; Kind = 'text' }
                @{ Names = @('--speed'); Text = 'times as fast as recorded, or max (default: 1 with --to, else max)'; Kind = 'text' }
                @{ Names = @('--call'); Text = 'only the events of this call (repeatable)'; Kind = 'text' }
                @{ Names = @('--type'); Text = 'only events of this type, as status-update (repeatable)'; Kind = 'text' }
                @{ Names = @('--from'); Text = 'only what arrived then or later'; Kind = 'text' }
                @{ Names = @('--until'); Text = 'only what arrived then or earlier'; Kind = 'text' }
                @{ Names = @('--header'); Text = 'send this header too: ''name: value'' (repeatable)'; Kind = 'text' }
                @{ Names = @('--role'); Text = 'show only messages of this role (repeatable)'; Kind = 'choices'; Choices = @('user', 'assistant') }
                @{ Names = @('--status'); Text = 'show only changes to this status (repeatable)'; Kind = 'choices'; Choices = @('queued', 'ongoing', 'finished') }
                @{ Names = @('--compact'); Text = 'print each message on one line, cut at the width' }
                @{ Names = @('--timestamps'); Text = 'print when it was said in front of each line'; Kind = 'choices'; Choices = @('relative', 'local', 'iso', 'none') }
            )
            Arguments = @(
                @{ Kind = 'file'; Repeats = $false }
            )
        }
        'webhook trigger' = @{
            Options = @(
                @{ Names = @('--to'); Text = 'address of the server'; Kind = 'text' }
                @{ Names = @('--set'); Text = 'change a field of the message, as call.id=CC-1 (repeatable)'; Kind = 'text' }
                @{ Names = @('--unset'); Text = 'leave a field of the message out, as call (repeatable)'; Kind = 'text' }
                @{ Names = @('--allow-unknown'); Text = 'let --set add fields that the interface does not have' }
                @{ Names = @('--messages'); Text = 'messages of the conversation (default: 6)'; Kind = 'text' }
                @{ Names = @('--status'); Text = 'status of the call (default: queued, or ongoing in a conversation)'; Kind = 'choices'; Choices = @('queued', 'ongoing', 'finished') }
                @{ Names = @('--call'); Text = 'id of the call; without it a new one each time'; Kind = 'text' }
                @{ Names = @('--shape'); Text = 'send only this odd shape (repeatable)'; Kind = 'text' }
                @{ Names = @('--header'); Text = 'send this header too: ''name: value'' (repeatable)'; Kind = 'text' }
                @{ Names = @('--dry-run'); Text = 'print the events and send nothing' }
            )
            Arguments = @(
                @{ Kind = 'choices'; Choices = @('status-update', 'conversation-update', 'call', 'odd'); Repeats = $false }
            )
        }
        'webhook show' = @{
            Options = @(
                @{ Names = @('--call'); Text = 'the call to print; - for the events that name none'; Kind = 'text' }
                @{ Names = @('--all'); Text = 'print every call of the recording' }
                @{ Names = @('--format'); Text = 'what to make of it (default: by the name of --out, else text)'; Kind = 'choices'; Choices = @('text', 'markdown', 'json', 'html') }
                @{ Names = @('--out'); Text = 'write it to a new file, which only you can read'; Kind = 'file' }
                @{ Names = @('--force'); Text = 'let --out replace a file' }
            )
            Arguments = @(
                @{ Kind = 'file'; Repeats = $false }
            )
        }
        'sandbox' = @{
            Subcommands = @(
                @{ Name = 'start'; Text = 'start the service, save it as the profile sandbox, and log what happens' }
            )
        }
        'sandbox start' = @{
            Options = @(
                @{ Names = @('--host'); Text = 'loopback address to listen on'; Kind = 'text' }
                @{ Names = @('--port'); Text = 'port to listen on; 0 picks a free one'; Kind = 'text' }
                @{ Names = @('--pace'); Text = 'how many times faster than real time; 0 does not wait at all'; Kind = 'text' }
                @{ Names = @('--data'); Text = 'where records are kept; without it in the configuration folder'; Kind = 'file' }
                @{ Names = @('--memory'); Text = 'keep nothing' }
                @{ Names = @('--numbers'); Text = 'phone numbers: a YAML or JSON list of { id, number, assistantId }'; Kind = 'file' }
                @{ Names = @('--caller'); Text = 'where the caller''s lines come from: a script, or the call''s control URL (live)'; Kind = 'choices'; Choices = @('script', 'live') }
                @{ Names = @('--llm-url'); Text = 'OpenAI-compatible server that replies for the assistant; without it replies come from the FAQ'; Kind = 'text' }
                @{ Names = @('--llm-model'); Text = 'model of that server, instead of the assistant''s own'; Kind = 'text' }
                @{ Names = @('--fault'); Text = 'faults of webhooks: duplicate, reorder, delay, drop, disconnect, each with =probability (repeatable)'; Kind = 'text' }
                @{ Names = @('--fault-http'); Text = 'faults of the API: 429, 500, hang, reset, each with =probability (repeatable)'; Kind = 'text' }
                @{ Names = @('--seed'); Text = 'the same seed gives the same ids and faults; without it a new one'; Kind = 'text' }
            )
        }
        'profile' = @{
            Subcommands = @(
                @{ Name = 'add'; Text = 'save a base URL and an API key; asks for what is not given' }
                @{ Name = 'list'; Text = 'show all profiles; * marks the one in use' }
                @{ Name = 'show'; Text = 'show where requests go, with which key, and where each setting comes from' }
                @{ Name = 'use'; Text = 'put a profile in use' }
                @{ Name = 'remove'; Text = 'forget a profile and its key' }
            )
        }
        'profile add' = @{
            Options = @(
                @{ Names = @('--api-key-stdin'); Text = 'read the API key from stdin; it is never taken from the command line' }
                @{ Names = @('--vocabulary'); Text = 'YAML or JSON file: placeholder of the interface → the word of this deployment'; Kind = 'file' }
                @{ Names = @('--force'); Text = 'replace a profile of that name without asking' }
            )
            Arguments = @(
                @{ Kind = 'text'; Repeats = $false }
            )
        }
        'profile list' = @{
        }
        'profile show' = @{
            Arguments = @(
                @{ Kind = 'profile'; Repeats = $false }
            )
        }
        'profile use' = @{
            Arguments = @(
                @{ Kind = 'profile'; Repeats = $false }
            )
        }
        'profile remove' = @{
            Options = @(
                @{ Names = @('--yes'); Text = 'do not ask' }
            )
            Arguments = @(
                @{ Kind = 'profile'; Repeats = $false }
            )
        }
        'api' = @{
            Options = @(
                @{ Names = @('--data'); Text = 'body: JSON, @file, or @- for stdin'; Kind = 'text' }
                @{ Names = @('-i', '--include'); Text = 'show the status and headers of the answer too' }
            )
            Arguments = @(
                @{ Kind = 'text'; Repeats = $false }
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
                @{ Name = 'demo'; Text = 'watch an assistant made from YAML hold a call, all on this machine' }
                @{ Name = 'init'; Text = 'write a starter project: an assistant, a tool, FAQ entries, schemas for editors, a CI example' }
                @{ Name = 'plan'; Text = 'show what apply would change: sends nothing, needs no key' }
                @{ Name = 'apply'; Text = 'make the service hold what the files of the project say' }
                @{ Name = 'assistant'; Text = 'create assistants' }
                @{ Name = 'tool'; Text = 'create and update the function tools that assistants call' }
                @{ Name = 'faq'; Text = 'keep the questions and answers of a knowledge base in a file' }
                @{ Name = 'validate'; Text = 'check resource files without the service: files, folders and glob patterns' }
                @{ Name = 'schema'; Text = 'print the JSON Schema (2020-12) of a kind of file, for editors and other tools' }
                @{ Name = 'call'; Text = 'place phone calls' }
                @{ Name = 'webhook'; Text = 'receive what the service sends during calls; keep it, send it, show it' }
                @{ Name = 'sandbox'; Text = 'run the whole service on this machine' }
                @{ Name = 'profile'; Text = 'keep base URLs and API keys under names' }
                @{ Name = 'api'; Text = 'send one request with the key of the profile, for endpoints that have no command' }
                @{ Name = 'completion'; Text = 'print the script that completes commands, flags, profiles and files in your shell' }
                @{ Name = 'exit-codes'; Text = 'a topic of the help' }
                @{ Name = 'environment'; Text = 'a topic of the help' }
                @{ Name = 'sandbox'; Text = 'a topic of the help' }
            )
        }
        'help assistant' = @{
            Subcommands = @(
                @{ Name = 'create'; Text = 'create an assistant from a file, or by answering questions' }
            )
        }
        'help tool' = @{
            Subcommands = @(
                @{ Name = 'create'; Text = 'create a tool from a file' }
                @{ Name = 'update'; Text = 'change the fields of a tool that the file holds' }
            )
        }
        'help faq' = @{
            Subcommands = @(
                @{ Name = 'push'; Text = 'insert new entries, update changed ones, and write new ids back into the file' }
            )
        }
        'help call' = @{
            Subcommands = @(
                @{ Name = 'start'; Text = 'call a user from an assistant number' }
                @{ Name = 'connect'; Text = 'place a call by phone number id and customer' }
                @{ Name = 'chat'; Text = 'be the caller yourself, in text: hold a call on a sandbox of its own' }
            )
        }
        'help webhook' = @{
            Subcommands = @(
                @{ Name = 'tail'; Text = 'listen for webhook events and print each message once, status changes and the analysis' }
                @{ Name = 'replay'; Text = 'send the events of a recording to a server again, or print them as tail does' }
                @{ Name = 'trigger'; Text = 'send sample events, a whole call’’s, or odd ones, to a server under development' }
                @{ Name = 'show'; Text = 'print a recorded call as text, Markdown, JSON or an HTML page that stands alone' }
            )
        }
        'help sandbox' = @{
            Subcommands = @(
                @{ Name = 'start'; Text = 'start the service, save it as the profile sandbox, and log what happens' }
            )
        }
        'help profile' = @{
            Subcommands = @(
                @{ Name = 'add'; Text = 'save a base URL and an API key; asks for what is not given' }
                @{ Name = 'list'; Text = 'show all profiles; * marks the one in use' }
                @{ Name = 'show'; Text = 'show where requests go, with which key, and where each setting comes from' }
                @{ Name = 'use'; Text = 'put a profile in use' }
                @{ Name = 'remove'; Text = 'forget a profile and its key' }
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
    if ($target.Kind -eq 'file' -or $target.Kind -eq 'folder') {
        foreach ($result in [System.Management.Automation.CompletionCompleters]::CompleteFilename($current)) {
            if ($target.Kind -eq 'folder' -and $result.ResultType -ne 'ProviderContainer') { continue }
            [System.Management.Automation.CompletionResult]::new($prefix + $result.CompletionText, $result.ListItemText, $result.ResultType, $result.ToolTip)
        }
        return
    }
    $values = @($target.Choices)
    if ($target.Kind -eq 'profile') { $values = @(callwright profile list --names 2>$null) }
    foreach ($value in $values) {
        if ($value -and $value.StartsWith($current)) {
            $quoted = $value
            if ($value -notmatch '^[\w./:+-]+$') { $quoted = "'" + $value.Replace("'", "''") + "'" }
            [System.Management.Automation.CompletionResult]::new($prefix + $quoted, $value, 'ParameterValue', $value)
        }
    }
}
