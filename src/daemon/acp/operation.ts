import { commandRunBy, type ToolCall } from './tool-call.ts'

/** The kinds of tools in one word each, whatever an agent calls its own. */
const wordOfKind: Record<string, string> = {
  execute: 'shell',
  edit: 'edit',
  delete: 'delete',
  move: 'move',
  read: 'read',
  search: 'search',
  fetch: 'fetch',
  think: 'think',
  switch_mode: 'switch_mode',
}

/**
 * The kind of tool that a call is of: one meaning for all agents. A name that narrows the kind (`shell.escalate`) is
 * kept; of a kind that the protocol has no word for, the tool's own name is the word. Null when nothing of it is known.
 */
export function operationOf(call: ToolCall): string | null {
  const { kind, name, title, changes } = call
  const word = wordOfKind[kind ?? ''] ?? (commandRunBy(call).command ? 'shell' : changes ? 'edit' : undefined)
  if (word) return name?.startsWith(`${word}.`) && isName(name) ? name : word
  return [name, title].find((one) => one !== undefined && isName(one)) ?? null
}

const isName = (text: string) => /^[A-Za-z][\w.:/-]{0,99}$/.test(text)
