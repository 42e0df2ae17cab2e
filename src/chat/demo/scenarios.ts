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
export type Calling = { [Name in ToolName]: { call: Name; input: ToolInputs[Name] } }[ToolName]

/** The next action of a scenario. `whole` writes a text in one piece. */
export type Line =
  | { say: string; whole?: boolean }
  | { think: string }
  | Calling
  /** A tool of an MCP server, by its name there. */
  | { use: string; input: object }
  | { waitMs: number }
  | { fail: string; status: number }

/** The user's last prompt, the number of model messages since, and the results of its last calls. */
export type Scene = { prompt: string; step: number; results: string[] }

type Scenario = { keyword: RegExp; play: (scene: Scene) => Iterable<Line> }

/**
 * The model's texts and calls for an agent. They follow from the first keyword in the prompt and the turn so far. The
 * demo model and the agent's offline script use them; docs/agents.md lists the keywords for users.
 */
export function linesOf(scene: Scene): Iterable<Line> {
  const scenario = scenarios.find(({ keyword }) => keyword.test(scene.prompt))
  return scenario?.play(scene) ?? [{ say: `You said: ${scene.prompt}` }]
}

const usage = /\buse\s+(\w+)\s*(\{.*\})/s

const scenarios: Scenario[] = [
  { keyword: /\bhaiku\b/i, play: haiku },
  { keyword: usage, play: use },
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
const wasRefused = (result: string) => result.includes('did not allow')

function* haiku({ step, results }: Scene): Generator<Line> {
  if (step === 0) {
    yield { say: 'I will look at the files first.' }
    yield { call: 'shell', input: { command: 'ls -la' } }
  } else if (step === 1) {
    const closed = results.some((result) => wasRefused(result) || result.startsWith('Error'))
    const unsafe = results.some((result) => result.includes('the sandbox is not available'))
    yield { say: unsafe ? noSandbox : closed ? 'Without the shell, then.' : 'Now the haiku.' }
    yield { call: 'write_file', input: { path: 'haiku.txt', content: closed ? finishedPoem : firstPoem } }
  } else {
    yield { say: `Done. ${results.join(' ')}` }
  }
}

const noSandbox = 'Without the shell, then: the sandbox is not available, and commands are not run without it.'
const firstPoem = 'Names in a column,\neach one a door left ajar:\nlight from other rooms.\n'
const finishedPoem = 'A door that stays shut:\nbehind it the files sleep on,\nunread, unbothered.\n'

/** Reads a file that the sandbox hides, first inside the sandbox, then outside. */
function* escalate({ step, results }: Scene): Generator<Line> {
  const command = 'cat /etc/hostname'
  if (step === 0) {
    yield { say: 'I try it in the sandbox.' }
    yield { call: 'shell', input: { command } }
  } else if (step === 1) {
    yield { say: 'That needs a way out of the sandbox.' }
    yield { call: 'shell', input: { command, unsandboxed: true, reason: 'The file is outside the workspace.' } }
  } else {
    yield { say: results.some(wasRefused) ? 'So I leave it.' : `It says: ${results.join('\n')}` }
  }
}

/** Each command in backticks is a separate call; without any, the text after a colon. */
function* shell({ prompt, step, results }: Scene): Generator<Line> {
  if (step > 0) return yield { say: results.join('\n') }
  const quoted = [...prompt.matchAll(/`([^`]+)`/g)].map(([, command]) => command!)
  const after = prompt.slice(prompt.indexOf(':') + 1 || prompt.length).trim()
  const commands = quoted.length ? quoted : [after || 'ls -la']
  for (const command of commands) yield { call: 'shell', input: { command } }
}

/** Calls a tool of an MCP server by its name, with arguments in JSON. */
function* use({ prompt, step, results }: Scene): Generator<Line> {
  if (step > 0) return yield { say: results.join('\n') }
  const [, name = '', json = ''] = usage.exec(prompt) ?? []
  try {
    yield { use: name, input: JSON.parse(json) as object }
  } catch {
    yield { say: `These are no arguments in JSON: ${json}` }
  }
}

function* question({ step, results }: Scene): Generator<Line> {
  if (step > 0) return yield { say: `The answer: ${results.join('\n')}` }
  const fields = [
    { name: 'environment', type: 'string', options: ['staging', 'production'] },
    { name: 'replicas', type: 'integer' },
    { name: 'share', type: 'number', required: false },
    { name: 'confirmed', type: 'boolean' },
    { name: 'regions', type: 'array', options: ['eu', 'us', 'asia'], required: false },
    { name: 'note', type: 'string', required: false },
  ]
  yield { say: 'Before I go on, a question.' }
  yield { call: 'ask_user', input: { message: 'Where shall this be deployed?', fields } }
}

function* parallel({ step, results }: Scene): Generator<Line> {
  if (step > 0) return yield { say: `${results.length} results:\n${results.join('\n---\n')}` }
  yield { call: 'list_files', input: {} }
  yield { call: 'list_files', input: { pattern: '**/*.txt' } }
  yield { call: 'search', input: { pattern: 'the' } }
}

function* list({ step, results }: Scene): Generator<Line> {
  if (step > 0) return yield { say: results.join('\n') }
  yield { call: 'list_files', input: {} }
}

function* write({ prompt, step, results }: Scene): Generator<Line> {
  if (step > 0) return yield { say: results.join('\n') }
  const [, path = 'note.txt', content = 'Written by the script.'] =
    /write\s+([^\s:]+)?(?::\s*(.*))?/is.exec(prompt) ?? []
  yield { call: 'write_file', input: { path, content: `${content}\n` } }
}

function* read({ prompt, step, results }: Scene): Generator<Line> {
  if (step > 0) return yield { say: results.join('\n') }
  const [, path = 'note.txt'] = /read\s+(\S+)/i.exec(prompt) ?? []
  yield { call: 'read_file', input: { path } }
}

function* reason(): Generator<Line> {
  yield { think: 'First I weigh what was asked, then what is known, and then I decide.' }
  yield { say: 'I thought about it, and the answer is yes.' }
}

function* silence({ prompt }: Scene): Generator<Line> {
  const [seconds = 40] = numbersIn(prompt)
  yield { waitMs: seconds * 1000 }
  yield { say: `That were ${seconds} seconds of silence.` }
}

function* error({ prompt }: Scene): Generator<Line> {
  const [status = 400] = numbersIn(prompt)
  if (/\blate\b/i.test(prompt)) yield { say: 'It begins well.' }
  yield { fail: `The script fails as it was asked to (${status}).`, status }
}

function* flood({ prompt }: Scene): Generator<Line> {
  const [kilobytes = 2048] = numbersIn(prompt)
  const piece = `${'0123456789abcde '.repeat(64).trimEnd()}\n`
  for (let sent = 0; sent < kilobytes; sent++) yield { say: piece, whole: true }
}

function* stream({ prompt }: Scene): Generator<Line> {
  const [pieces = 100, waitMs = 20] = numbersIn(prompt)
  for (let piece = 1; piece <= pieces; piece++) {
    if (piece > 1) yield { waitMs }
    yield { say: `piece-${piece} `, whole: true }
  }
}
