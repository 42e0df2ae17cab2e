import { printableLine } from '#lib/printable.ts'
import type { AgentQuestion, Field } from './conversation.ts'
import type { Keyboard, Typed } from './keyboard.ts'
import type { Show } from './show.ts'

/** The keys for each answer to a permission request. */
const permissions: Record<string, { key: string; label: string }> = {
  allow_once: { key: 'o', label: 'allow once' },
  allow_always: { key: 'a', label: 'always allow' },
  reject_once: { key: 'r', label: 'reject' },
  reject_always: { key: 'n', label: 'never allow' },
  cancel: { key: 'c', label: 'cancel' },
}

type ChatConsole = { keyboard: Keyboard; show: Show }
type Choice = { option: string; key: string; label: string }

/** Asks the person what the intern asks. @returns the answer for the intern; undefined when they want to leave. */
export function answerTo(asked: AgentQuestion, hands: ChatConsole): Promise<string | undefined> {
  return asked.kind === 'permission' ? permit(asked, hands) : fillIn(asked, hands)
}

/** The answer of somebody who leaves instead. */
export const leavingAnswer = ({ kind }: AgentQuestion) =>
  kind === 'permission' ? 'cancel' : JSON.stringify({ action: 'cancel' })

async function permit(
  asked: Extract<AgentQuestion, { kind: 'permission' }>,
  hands: ChatConsole,
): Promise<string | undefined> {
  hands.show.question(printableLine(asked.operation ?? 'permission'), asked.detail)
  const offered = [...asked.options, 'cancel'].flatMap((option) => {
    const known = permissions[option]
    return known ? [{ option, ...known }] : []
  })
  return choose(offered, hands)
}

/** One of some choices, by its key or its words, and Enter: a slip of the finger allows nothing. Ctrl-C cancels. */
async function choose(offered: Choice[], { keyboard, show }: ChatConsole): Promise<string | undefined> {
  const prompt = `  ${offered.map(({ key, label }) => `[${key}] ${label}`).join('  ')} > `
  for (;;) {
    const typed = await keyboard.line(prompt)
    if (typed === 'left') return undefined
    if (typed === 'interrupted') return 'cancel'
    const word = typed.text.trim().toLowerCase()
    const chosen = offered.find(({ option, key, label }) => [option, key, label].includes(word))
    if (chosen) return chosen.option
    show.line(`  Type one of ${offered.map(({ key }) => key).join(', ')}, and Enter.`)
  }
}

const sending: Choice[] = [
  { option: 'accept', key: 'y', label: 'send' },
  { option: 'decline', key: 'd', label: 'decline' },
  { option: 'cancel', key: 'c', label: 'cancel' },
]

async function fillIn({ message, fields }: Extract<AgentQuestion, { kind: 'elicitation' }>, hands: ChatConsole) {
  hands.show.question(message)
  const content: Record<string, unknown> = {}
  for (const field of fields) {
    const value = await fill(field, hands)
    if (value === 'left') return undefined
    if (value === 'interrupted') return JSON.stringify({ action: 'cancel' })
    if (value.read !== '') content[field.name] = value.read
  }
  const action = await choose(sending, hands)
  if (action === undefined) return undefined
  return JSON.stringify(action === 'accept' ? { action, content } : { action })
}

async function fill(
  field: Field,
  { keyboard, show }: ChatConsole,
): Promise<{ read: unknown } | Exclude<Typed, object>> {
  const optional = field.required ? '' : ', may stay empty'
  for (;;) {
    const typed = await keyboard.line(`  ${printableLine(field.name)} (${expectedValue(field)}${optional})> `)
    if (typeof typed === 'string') return typed
    const value = readValue(field, typed.text.trim())
    if (value !== undefined && (value !== '' || !field.required)) return { read: value }
    show.line(value === '' ? '  It is required.' : `  It must be ${expectedValue(field)}.`)
  }
}

function expectedValue({ type, options: offered }: Field): string {
  const options = offered?.map(printableLine)
  if (type === 'array') return options ? `some of ${options.join(', ')}, with commas` : 'a list with commas'
  if (options) return `one of ${options.join(', ')}`
  const names: Record<string, string> = { integer: 'a whole number', number: 'a number', boolean: 'yes or no' }
  return names[type] ?? 'a text'
}

/** @returns undefined for what does not fit. */
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
