import { printableLine } from '#platform/text/printable.ts'
import type { ApiClient } from '../kit/api-client.ts'
import type { AgentQuestion, Field } from './conversation.ts'
import type { Display } from './display.ts'
import type { Keyboard, KeyboardInput } from './keyboard.ts'
import { readPermission } from './permission-details.ts'

/** The key for each answer to a permission request. Answers that stay in force also need Enter. */
const permissionAnswers: Record<string, { key: string; label: string; needsEnter?: true }> = {
  allow_once: { key: 'o', label: 'allow once' },
  allow_always: { key: 'a', label: 'always allow', needsEnter: true },
  reject_once: { key: 'r', label: 'reject' },
  reject_always: { key: 'n', label: 'never allow' },
  cancel: { key: 'c', label: 'cancel' },
}

type AskDeps = { client: ApiClient; intern: string; keyboard: Keyboard; display: Display; signal: AbortSignal }
export type Choice = { option: string; key: string; label: string; needsEnter?: boolean }

/**
 * Asks the user a question of the intern. @returns the answer for the intern; undefined if the user leaves the chat
 * @throws the reason of the signal when it aborts
 */
export function askUser(question: AgentQuestion, deps: AskDeps): Promise<string | undefined> {
  return question.kind === 'permission' ? askPermission(question, deps) : askForm(question, deps)
}

/** The answer that cancels a question. */
export const cancelAnswer = ({ kind }: AgentQuestion) =>
  kind === 'permission' ? 'cancel' : JSON.stringify({ action: 'cancel' })

async function askPermission(
  question: Extract<AgentQuestion, { kind: 'permission' }>,
  deps: AskDeps,
): Promise<string | undefined> {
  const { client, intern, display } = deps
  const { subject, changes, isCut } = await readPermission(client, intern, question)
  display.question(printableLine(question.operation ?? 'permission'), subject && printableLine(subject))
  display.diff(changes)
  if (isCut) display.line('  (Not all of it is displayed. Read it completely in the console before you allow it.)')
  // A single key press must not allow an operation that is not displayed completely, is unknown, or leaves the sandbox: that
  // has a name with a dot, such as `shell.escalate`.
  const isRisky = isCut || (question.operation?.includes('.') ?? true)
  const choices = [...question.options, 'cancel'].flatMap((kind) => {
    const permission = permissionAnswers[kind]
    if (!permission) return []
    const needsEnter = permission.needsEnter || (isRisky && kind === 'allow_once')
    const namedChoices = (question.choices ?? []).filter((choice) => choice.kind === kind)
    // The kind itself selects a single choice.
    if (namedChoices.length < 2) return [{ option: kind, ...permission, needsEnter }]
    return namedChoices.map(({ id, name }, at) => ({
      option: id,
      key: `${permission.key}${at + 1}`,
      label: `${permission.label}: ${printableLine(name)}`,
      needsEnter: true,
    }))
  })
  return choose(choices, deps)
}

/** Lets the user choose by typing a key or a label and Enter. Some choices need only their key. Ctrl-C cancels. */
export async function choose(
  choices: Choice[],
  { keyboard, display, signal }: Pick<AskDeps, 'keyboard' | 'display' | 'signal'>,
): Promise<string | undefined> {
  const labels = choices.map(({ key, label, needsEnter }) => `[${key}] ${label}${needsEnter ? ' (Enter)' : ''}`)
  const singleKeys = choices.flatMap(({ key, needsEnter }) => (needsEnter ? [] : [key]))
  for (;;) {
    const userInput = await keyboard.answer(`  ${labels.join('  ')} > `, singleKeys, signal)
    if (userInput === 'left') return undefined
    if (userInput === 'interrupted') return 'cancel'
    const word = userInput.text.trim().toLowerCase()
    const chosen = choices.find(({ option, key, label }) =>
      [option, key, label].some((accepted) => accepted.toLowerCase() === word),
    )
    if (chosen) return chosen.option
    display.line(`  Type one of ${choices.map(({ key }) => key).join(', ')} and press Enter.`)
  }
}

const formActions: Choice[] = [
  { option: 'accept', key: 'y', label: 'send', needsEnter: true },
  { option: 'decline', key: 'd', label: 'decline', needsEnter: true },
  { option: 'cancel', key: 'c', label: 'cancel', needsEnter: true },
]

async function askForm({ message, fields }: Extract<AgentQuestion, { kind: 'elicitation' }>, deps: AskDeps) {
  deps.display.question(message)
  const content: Record<string, unknown> = {}
  for (const field of fields) {
    const value = await fillField(field, deps)
    if (value === 'left') return undefined
    if (value === 'interrupted') return JSON.stringify({ action: 'cancel' })
    if (value.answer !== '') content[field.name] = value.answer
  }
  const action = await choose(formActions, deps)
  if (action === undefined) return undefined
  return JSON.stringify(action === 'accept' ? { action, content } : { action })
}

async function fillField(
  field: Field,
  { keyboard, display, signal }: AskDeps,
): Promise<{ answer: unknown } | Exclude<KeyboardInput, object>> {
  const optional = field.required ? '' : ', optional'
  for (;;) {
    const question = `  ${printableLine(field.name)} (${expectedValue(field)}${optional})> `
    const userInput = await keyboard.answer(question, [], signal)
    if (typeof userInput === 'string') return userInput
    const value = readValue(field, userInput.text.trim())
    if (value !== undefined && (value !== '' || !field.required)) return { answer: value }
    display.line(value === '' ? '  This field is required.' : `  Enter ${expectedValue(field)}.`)
  }
}

function expectedValue({ type, options: offeredValues }: Field): string {
  const options = offeredValues?.map(printableLine)
  if (type === 'array')
    return options ? `one or more of ${options.join(', ')}, separated by commas` : 'a list, separated by commas'
  if (options) return `one of ${options.join(', ')}`
  const names: Record<string, string> = { integer: 'a whole number', number: 'a number', boolean: 'yes or no' }
  return names[type] ?? 'text'
}

/** Parses the text that the user typed for a field. @returns undefined if it is invalid */
export function readValue({ type, options }: Field, text: string): unknown {
  if (text === '') return ''
  switch (type) {
    case 'number':
    case 'integer': {
      const number = Number(text)
      return Number.isNaN(number) || (type === 'integer' && !Number.isInteger(number)) ? undefined : number
    }
    case 'boolean':
      if (/^(y|yes|true)$/i.test(text)) return true
      return /^(n|no|false)$/i.test(text) ? false : undefined
    case 'array': {
      const chosen = text.split(',').map((word) => word.trim())
      return options && chosen.some((word) => !options.includes(word)) ? undefined : chosen
    }
    default:
      return options && !options.includes(text) ? undefined : text
  }
}
