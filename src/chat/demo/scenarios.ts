/** The inputs of the builtin agent's tools in scenarios. */
export type ToolInputs = {
  shell: { command: string; unsandboxed?: boolean; reason?: string }
  read_file: { path: string }
  write_file: { path: string; content: string }
  list_files: { pattern?: string }
  search: { pattern: string }
  ask_user: { message: string; fields: Field[] }
}
export type Field = { name: string; type: string; options?: string[]; required?: boolean }
export type ToolName = keyof ToolInputs
export type BuiltinCall = { [Name in ToolName]: { call: Name; input: ToolInputs[Name] } }[ToolName]

/** The next action of a scenario. `isOnePiece`: the text is written in one piece. */
export type ScenarioAction =
  | { say: string; isOnePiece?: boolean }
  | { think: string }
  | BuiltinCall
  /** A call of a tool of an MCP server, by the name that the server gives it. */
  | { use: string; input: object }
  | { waitMs: number }
  | { fail: string; status: number }

/** The user's last prompt, the number of model messages after it, and the results of the last tool calls. */
export type ScenarioInput = { prompt: string; step: number; results: string[] }

type Scenario = { keyword: RegExp; play: (input: ScenarioInput) => Iterable<ScenarioAction> }

/**
 * Returns the texts and tool calls of the next model message. The first keyword in the prompt selects the scenario.
 * The demo model and the agent's offline script use it; docs/agents.md lists the keywords.
 */
export function scenarioActions(input: ScenarioInput): Iterable<ScenarioAction> {
  const scenario = scenarios.find(({ keyword }) => keyword.test(input.prompt))
  return scenario?.play(input) ?? [{ say: `You said: ${input.prompt}` }]
}

const usePattern = /\buse\s+(\w+)\s*(\{.*\})/s

const scenarios: Scenario[] = [
  { keyword: /\bhaiku\b/i, play: haiku },
  { keyword: usePattern, play: use },
  { keyword: /\bescalate\b/i, play: escalate },
  { keyword: /\b(run|shell)\b/i, play: shell },
  { keyword: /\b(question|ask)\b/i, play: question },
  { keyword: /\bparallel\b/i, play: parallel },
  { keyword: /\blist\b/i, play: list },
  { keyword: /\bwrite\b/i, play: write },
  { keyword: /\bread\b/i, play: read },
  { keyword: /\b(reason|think)\b/i, play: reason },
  { keyword: /\bsilence\b/i, play: silence },
  { keyword: /\berror\b/i, play: error },
  { keyword: /\bflood\b/i, play: flood },
  { keyword: /\bstream\b/i, play: stream },
]

const numbersIn = (text: string) => (text.match(/\d+/g) ?? []).map(Number)
const isRefusal = (result: string) => result.includes('did not allow')

function* haiku({ step, results }: ScenarioInput): Generator<ScenarioAction> {
  if (step === 0) {
    yield { say: 'I will look at the files first.' }
    yield { call: 'shell', input: { command: 'ls -la' } }
  } else if (step === 1) {
    const isShellRefused = results.some((result) => isRefusal(result) || result.startsWith('Error'))
    const isSandboxMissing = results.some((result) => result.includes('the sandbox is not available'))
    if (isSandboxMissing) yield { say: noSandboxText }
    else yield { say: isShellRefused ? 'Without the shell, then.' : 'Now the haiku.' }
    yield { call: 'write_file', input: { path: 'haiku.txt', content: isShellRefused ? finishedPoem : firstPoem } }
  } else {
    yield { say: `Done. ${results.join(' ')}` }
  }
}

const noSandboxText = 'Without the shell, then: the sandbox is not available, and commands are not run without it.'
const firstPoem = 'Names in a column,\neach one a door left ajar:\nlight from other rooms.\n'
const finishedPoem = 'A door that stays shut:\nbehind it the files sleep on,\nunread, unbothered.\n'

/** Reads a file that the sandbox hides, first inside the sandbox, then outside. */
function* escalate({ step, results }: ScenarioInput): Generator<ScenarioAction> {
  const command = 'cat /etc/hostname'
  if (step === 0) {
    yield { say: 'I try it in the sandbox.' }
    yield { call: 'shell', input: { command } }
  } else if (step === 1) {
    yield { say: 'That needs a way out of the sandbox.' }
    yield { call: 'shell', input: { command, unsandboxed: true, reason: 'The file is outside the workspace.' } }
  } else {
    yield { say: results.some(isRefusal) ? 'So I leave it.' : `It says: ${results.join('\n')}` }
  }
}

/** Runs each command in backticks, or else the text after a colon. */
function* shell({ prompt, step, results }: ScenarioInput): Generator<ScenarioAction> {
  if (step > 0) return yield { say: results.join('\n') }
  const quoted = [...prompt.matchAll(/`([^`]+)`/g)].map(([, command]) => command!)
  const textAfterColon = prompt.slice(prompt.indexOf(':') + 1 || prompt.length).trim()
  const commands = quoted.length ? quoted : [textAfterColon || 'ls -la']
  for (const command of commands) yield { call: 'shell', input: { command } }
}

/** Calls a tool of an MCP server by its name, with arguments in JSON. */
function* use({ prompt, step, results }: ScenarioInput): Generator<ScenarioAction> {
  if (step > 0) return yield { say: results.join('\n') }
  const [, name = '', json = ''] = usePattern.exec(prompt) ?? []
  try {
    yield { use: name, input: JSON.parse(json) as object }
  } catch {
    yield { say: `The arguments are not valid JSON: ${json}` }
  }
}

function* question({ step, results }: ScenarioInput): Generator<ScenarioAction> {
  if (step > 0) return yield { say: `The response: ${results.join('\n')}` }
  const fields = [
    { name: 'environment', type: 'string', options: ['staging', 'production'] },
    { name: 'replicas', type: 'integer' },
    { name: 'share', type: 'number', required: false },
    { name: 'confirmed', type: 'boolean' },
    { name: 'regions', type: 'array', options: ['eu', 'us', 'asia'], required: false },
    { name: 'note', type: 'string', required: false },
  ]
  yield { say: 'Before I continue, a question.' }
  yield { call: 'ask_user', input: { message: 'Where shall this be deployed?', fields } }
}

function* parallel({ step, results }: ScenarioInput): Generator<ScenarioAction> {
  if (step > 0) return yield { say: `${results.length} results:\n${results.join('\n---\n')}` }
  yield { call: 'list_files', input: {} }
  yield { call: 'list_files', input: { pattern: '**/*.txt' } }
  yield { call: 'search', input: { pattern: 'the' } }
}

function* list({ step, results }: ScenarioInput): Generator<ScenarioAction> {
  if (step > 0) return yield { say: results.join('\n') }
  yield { call: 'list_files', input: {} }
}

function* write({ prompt, step, results }: ScenarioInput): Generator<ScenarioAction> {
  if (step > 0) return yield { say: results.join('\n') }
  const [, path = 'note.txt', content = 'Written by the script.'] =
    /write\s+([^\s:]+)?(?::\s*(.*))?/is.exec(prompt) ?? []
  yield { call: 'write_file', input: { path, content: `${content}\n` } }
}

function* read({ prompt, step, results }: ScenarioInput): Generator<ScenarioAction> {
  if (step > 0) return yield { say: results.join('\n') }
  const [, path = 'note.txt'] = /read\s+(\S+)/i.exec(prompt) ?? []
  yield { call: 'read_file', input: { path } }
}

function* reason(): Generator<ScenarioAction> {
  yield { think: 'First I weigh what was asked, then what is known, and then I decide.' }
  yield { say: 'I thought about it, and the response is yes.' }
}

function* silence({ prompt }: ScenarioInput): Generator<ScenarioAction> {
  const [seconds = 40] = numbersIn(prompt)
  yield { waitMs: seconds * 1000 }
  yield { say: `Those were ${seconds} seconds of silence.` }
}

function* error({ prompt }: ScenarioInput): Generator<ScenarioAction> {
  const [status = 400] = numbersIn(prompt)
  if (/\blate\b/i.test(prompt)) yield { say: 'It begins well.' }
  yield { fail: `The script fails as it was asked to (${status}).`, status }
}

function* flood({ prompt }: ScenarioInput): Generator<ScenarioAction> {
  const [kilobytes = 2048] = numbersIn(prompt)
  const piece = `${'0123456789abcde '.repeat(64).trimEnd()}\n`
  for (let sent = 0; sent < kilobytes; sent++) yield { say: piece, isOnePiece: true }
}

function* stream({ prompt }: ScenarioInput): Generator<ScenarioAction> {
  const [pieces = 100, waitMs = 20] = numbersIn(prompt)
  for (let piece = 1; piece <= pieces; piece++) {
    if (piece > 1) yield { waitMs }
    yield { say: `piece-${piece} `, isOnePiece: true }
  }
}
