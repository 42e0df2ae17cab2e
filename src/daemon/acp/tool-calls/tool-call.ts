import { nonEmptyText } from '#platform/core/non-empty-text.ts'
import { parseJsonOr } from '#platform/core/parse-json.ts'
import { readContentText } from '../content.ts'
import { readProperty } from '../rpc-message.ts'

/** A change of a file by a tool call. `before` is null for a new file. */
export type FileChange = { path: string; before: string | null; after: string }

/** A tool call as its agent has reported it so far. */
export type ToolCall = {
  name?: string
  title?: string
  /** A tool kind of the protocol, such as `edit`. */
  kind?: string
  status?: string
  command?: string
  /** The command as a shell script, if the agent sends it as a list of arguments. */
  script?: string
  /** The arguments of the tool, as JSON or as the agent wrote them. */
  input?: string
  changes?: FileChange[]
  /** The files that the tool uses. */
  paths?: string[]
  /** The output of the tool. */
  text?: string
}

/**
 * Reads a tool call, or its update with the call before it. Missing properties are unchanged. Agents put a command into the
 * input, or the whole input as JSON into the text. The output comes as text, as raw output, or as terminal output in `_meta`.
 */
export function readToolCall(call: unknown, before: ToolCall = {}): ToolCall {
  const name = nonEmptyText(readProperty(call, 'name'))
  const title = nonEmptyText(readProperty(call, 'title'))
  const kind = nonEmptyText(readProperty(call, 'kind'))
  const status = nonEmptyText(readProperty(call, 'status'))
  const rawInput = readProperty(call, 'rawInput')
  // Once the input is known, or the call has ended, JSON in the text is output.
  const canHaveInputInText = before.input === undefined && !hasProperties(rawInput) && !endStatuses.has(status)
  const content = readContent(readProperty(call, 'content'), canHaveInputInText)
  const input = hasProperties(rawInput) ? rawInput : content.json
  const command = readCommand(input)
  const { script: earlierScript, ...earlier } = before
  const script = readScript(input) ?? (command === undefined ? earlierScript : undefined)
  const text = content.text ?? readOutput(readProperty(call, 'rawOutput'))
  const paths = readPaths(readProperty(call, 'locations'))
  return {
    ...earlier,
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

const endStatuses: ReadonlySet<string | undefined> = new Set(['completed', 'failed'])

/** Whether the agent has reported the end of a call. */
export const hasEnded = ({ status }: ToolCall): boolean => endStatuses.has(status)

/**
 * The command that a call runs, also as a shell script. The input of any tool can have a property `command`. That property is the
 * command of the call only if the tool runs commands (`execute`), or can run commands as far as the agent reports: it has no
 * kind, or the kind `other` and no name.
 */
export function getCommand({ kind, name, command, script }: ToolCall): Pick<ToolCall, 'command' | 'script'> {
  const isShell = kind === 'execute' || kind === undefined || (kind === 'other' && name === undefined)
  return isShell ? { ...(command && { command }), ...(script && { script }) } : {}
}

/** A piece of output of the agent's own terminal, which some agents send while a command runs. */
export function readTerminalOutput(call: unknown): string | undefined {
  return nonEmptyText(readProperty(readProperty(readProperty(call, '_meta'), 'terminal_output_delta'), 'data'))
}

function readCommand(input: unknown): string | undefined {
  const command = readCommandInput(input)
  return Array.isArray(command) ? command.map(String).join(' ') : nonEmptyText(command)
}

/** A command as text, or as a list with its arguments. Some agents send the arguments separately. */
function readCommandInput(input: unknown): unknown {
  const command = readProperty(input, 'command') ?? readProperty(input, 'cmd')
  const args = readProperty(input, 'args') ?? readProperty(input, 'arguments')
  if (typeof command !== 'string' || !Array.isArray(args) || args.length === 0) return command
  const isProgram = /^[\w./+-]+$/.test(command)
  return isProgram ? [command, ...args] : [command, ...args.map((arg) => quote(String(arg)))].join(' ')
}

const quote = (word: string) => `'${word.replaceAll("'", "'\\''")}'`

const shells = /^(?:.*\/)?(?:ba|da|z)?sh$/

/** Quotes the arguments. The script of `sh -c` is used as it is. */
function readScript(input: unknown): string | undefined {
  const command = readCommandInput(input)
  if (!Array.isArray(command)) return undefined
  const words = command.map(String)
  const [program = '', option = '', script = ''] = words
  if (words.length === 3 && shells.test(program) && /^-l?c$/.test(option)) return script
  return words.map(quote).join(' ')
}

function readContent(content: unknown, canHaveInput: boolean) {
  const changes: FileChange[] = []
  const texts: string[] = []
  let json: unknown
  for (const item of Array.isArray(content) ? content : []) {
    const change = readProperty(item, 'type') === 'diff' ? readChange(item) : undefined
    if (change) changes.push(change)
    const text = readContentText(readProperty(item, 'content'))
    const parsed = text === undefined || !canHaveInput ? undefined : parseObject(text)
    if (hasProperties(parsed)) json ??= parsed
    else if (text) texts.push(text)
  }
  return { changes, json, text: texts.length > 0 ? texts.join('\n') : undefined }
}

function readChange(item: unknown): FileChange | undefined {
  const path = readProperty(item, 'path')
  const before = readProperty(item, 'oldText')
  // Some agents send null for the text of a file that they delete.
  const after = readProperty(item, 'newText') ?? (typeof before === 'string' ? '' : undefined)
  if (typeof path !== 'string' || typeof after !== 'string') return undefined
  return { path, after, before: typeof before === 'string' ? before : null }
}

function readPaths(locations: unknown): string[] {
  const paths = Array.isArray(locations)
    ? locations.map((location) => nonEmptyText(readProperty(location, 'path')))
    : []
  return [...new Set(paths.filter((path) => path !== undefined))]
}

/** The arguments of a call that an agent sends as text. */
function parseObject(text: string): object | undefined {
  if (!text.trimStart().startsWith('{')) return undefined
  return parseJsonOr(text, undefined) as object | undefined
}

function readOutput(output: unknown): string | undefined {
  if (typeof output === 'string') return nonEmptyText(output)
  return nonEmptyText(readProperty(output, 'output')) ?? (hasProperties(output) ? asText(output) : undefined)
}

const hasProperties = (value: unknown) =>
  typeof value === 'string'
    ? value !== ''
    : typeof value === 'object' && value !== null && Object.keys(value).length > 0

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
