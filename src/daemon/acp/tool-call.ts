import { member } from './connection.ts'

/** What a tool call would write, or wrote. `before` is null for a file that is not there yet. */
export type FileChange = { path: string; before: string | null; after: string }

/** What an agent has said about a tool call so far. */
export type ToolCall = {
  name?: string
  title?: string
  /** Of the protocol's kinds, such as `edit`. */
  kind?: string
  status?: string
  command?: string
  /** The same as bash would be given it, where the agent tells its words apart. */
  script?: string
  /** What the tool was called with, as JSON or as the agent wrote it. */
  input?: string
  changes?: FileChange[]
  /** The files it is about. */
  paths?: string[]
  /** What it says, or said at its end. */
  text?: string
}

/**
 * Members that are absent say nothing new. Agents put a command into the input, or all of the input as JSON into the
 * text; what a tool gave comes as text, as raw output, or beside the protocol as pieces of a terminal (`output`).
 */
export function readToolCall(call: unknown): ToolCall {
  const [name, title, kind, status] = ['name', 'title', 'kind', 'status'].map((key) => string(member(call, key)))
  const rawInput = member(call, 'rawInput')
  const content = contentOf(member(call, 'content'))
  const input = hasMembers(rawInput) ? rawInput : content.json
  const command = commandOf(input)
  const script = scriptOf(input)
  const text = content.text ?? outputOf(member(call, 'rawOutput'))
  const paths = pathsOf(member(call, 'locations'))
  return {
    ...(name && { name }),
    ...(title && { title }),
    ...(kind && { kind }),
    ...(status && { status }),
    ...(command && { command }),
    ...(script && { script }),
    ...(input !== undefined && { input: asText(input) }),
    ...(content.changes.length > 0 && { changes: content.changes }),
    ...(paths.length > 0 && { paths }),
    ...(text && { text }),
  }
}

/**
 * The command that a call runs, as it is shown and, in `script`, as bash would be given it. Whoever writes a call may put a
 * member of that name into the input of any tool: it is the command only of a tool that runs commands, or of one that the
 * agent tells nothing of.
 */
export function commandRunBy({ kind, name, command, script }: ToolCall): Pick<ToolCall, 'command' | 'script'> {
  const isShell = kind === 'execute' || kind === undefined || (kind === 'other' && name === undefined)
  return isShell ? { ...(command && { command }), ...(script && { script }) } : {}
}

/** A piece of what a terminal of the agent's own shows, which some tell as they go. */
export function terminalOutput(call: unknown): string | undefined {
  return string(member(member(member(call, '_meta'), 'terminal_output_delta'), 'data'))
}

function commandOf(input: unknown): string | undefined {
  const command = member(input, 'command') ?? member(input, 'cmd')
  return Array.isArray(command) ? command.map(String).join(' ') : string(command)
}

const shells = /^(?:.*\/)?(?:ba|da|z)?sh$/

/** Words that were told apart stay apart; what a shell is only given to read is what it reads. */
function scriptOf(input: unknown): string | undefined {
  const command = member(input, 'command') ?? member(input, 'cmd')
  if (!Array.isArray(command)) return undefined
  const words = command.map(String)
  const [program = '', option = '', script = ''] = words
  if (words.length === 3 && shells.test(program) && /^-l?c$/.test(option)) return script
  return words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
}

function contentOf(content: unknown) {
  const changes: FileChange[] = []
  const texts: string[] = []
  let json: unknown
  for (const item of Array.isArray(content) ? content : []) {
    const change = member(item, 'type') === 'diff' ? changeOf(item) : undefined
    if (change) changes.push(change)
    const text = string(member(member(item, 'content'), 'text'))
    const parsed = text === undefined ? undefined : objectIn(text)
    if (parsed) json ??= parsed
    else if (text) texts.push(text)
  }
  return { changes, json, text: texts.length > 0 ? texts.join('\n') : undefined }
}

function changeOf(item: unknown): FileChange | undefined {
  const [path, after, before] = ['path', 'newText', 'oldText'].map((key) => member(item, key))
  if (typeof path !== 'string' || typeof after !== 'string') return undefined
  return { path, after, before: typeof before === 'string' ? before : null }
}

function pathsOf(locations: unknown): string[] {
  const paths = Array.isArray(locations) ? locations.map((location) => string(member(location, 'path'))) : []
  return [...new Set(paths.filter((path) => path !== undefined))]
}

/** The arguments of a call that an agent tells as text. */
function objectIn(text: string): object | undefined {
  if (!text.trimStart().startsWith('{')) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function outputOf(output: unknown): string | undefined {
  if (typeof output === 'string') return string(output)
  return string(member(output, 'output')) ?? (hasMembers(output) ? asText(output) : undefined)
}

const hasMembers = (value: unknown) =>
  typeof value === 'string'
    ? value !== ''
    : typeof value === 'object' && value !== null && Object.keys(value).length > 0

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

const string = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
