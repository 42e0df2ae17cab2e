import { getCommand, type ToolCall } from './tool-call.ts'

/** One word for each kind of tool, the same for all agents. */
const operationByKind: ReadonlyMap<string | undefined, string> = new Map([
  ['execute', 'shell'],
  ['edit', 'edit'],
  ['delete', 'delete'],
  ['move', 'move'],
  ['read', 'read'],
  ['search', 'search'],
  ['fetch', 'fetch'],
  ['think', 'think'],
  ['switch_mode', 'switch_mode'],
])

/**
 * The operation of a tool call, with one meaning for all agents. A name that narrows the kind (`shell.escalate`) is used
 * as it is. If the protocol has no word for the kind, the operation is the tool's own name. Null if neither is known.
 */
export function toOperation(call: ToolCall): string | null {
  const { kind, name, title, changes } = call
  const word = operationByKind.get(kind) ?? (getCommand(call).command ? 'shell' : changes ? 'edit' : undefined)
  if (word) return name?.startsWith(`${word}.`) && isName(name) ? name : word
  return [name, title].find((one) => one !== undefined && isName(one)) ?? null
}

const isName = (text: string) => /^[A-Za-z][\w.:/-]{0,99}$/.test(text)
