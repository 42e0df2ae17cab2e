import { printableLine } from '#platform/text/printable.ts'
import type { ApiClient } from '../kit/api-client.ts'
import type { AgentQuestion, Field } from './conversation.ts'
import type { Keyboard, Typed } from './keyboard.ts'
import type { Show } from './show.ts'
import { wholePermission } from './whole-question.ts'

/** The keys for each answer to a permission request. What holds for longer than this once takes Enter as well. */
const permissions: Record<string, { key: string; label: string; needsEnter?: true }> = {
  allow_once: { key: 'o', label: 'allow once' },
  allow_always: { key: 'a', label: 'always allow', needsEnter: true },
  reject_once: { key: 'r', label: 'reject' },
  reject_always: { key: 'n', label: 'never allow' },
  cancel: { key: 'c', label: 'cancel' },
}

type Hands = { client: ApiClient; intern: string; keyboard: Keyboard; show: Show }
type Choice = { option: string; key: string; label: string; needsEnter?: boolean }

/** Asks the person what the intern asks. @returns the answer for the intern; undefined when they want to leave. */
export function answerTo(asked: AgentQuestion, hands: Hands): Promise<string | undefined> {
  return asked.kind === 'permission' ? permit(asked, hands) : fillIn(asked, hands)
}

/** The answer of somebody who leaves instead. */
export const leavingAnswer = ({ kind }: AgentQuestion) =>
  kind === 'permission' ? 'cancel' : JSON.stringify({ action: 'cancel' })

async function permit(
  asked: Extract<AgentQuestion, { kind: 'permission' }>,
  hands: Hands,
): Promise<string | undefined> {
  const { client, intern, show } = hands
  const { about, changes, isCut } = await wholePermission(client, intern, asked)
  show.question(printableLine(asked.operation ?? 'permission'), about && printableLine(about))
  show.diff(changes)
  if (isCut) show.line('  (It is long: read all of it, here or in the console, before you allow it.)')
  // Outside the sandbox, and where not all of it is in sight, a slip of the finger must allow nothing.
  const isGrave = isCut || (asked.operation?.includes('.') ?? true)
  const offered = [...asked.options, 'cancel'].flatMap((kind) => {
    const known = permissions[kind]
    if (!known) return []
    const needsEnter = known.needsEnter || (isGrave && kind === 'allow_once')
    const ofKind = (asked.choices ?? []).filter((choice) => choice.kind === kind)
    if (ofKind.length < 2) return [{ option: kind, ...known, needsEnter }]
    return ofKind.map(({ id, name }, at) => ({
      ...{
        option: id,
        key: `${known.key}${at + 1}`,
        label: `${known.label}: ${printableLine(name)}`,
        needsEnter: true,
      },
    }))
  })
  return choose(offered, hands)
}

/** One of some choices, by its key or its words and Enter; some by their key alone. Ctrl-C cancels. */
async function choose(
  offered: Choice[],
  { keyboard, show }: Pick<Hands, 'keyboard' | 'show'>,
): Promise<string | undefined> {
  const shown = offered.map(({ key, label, needsEnter }) => `[${key}] ${label}${needsEnter ? ' (Enter)' : ''}`)
  const alone = offered.flatMap(({ key, needsEnter }) => (needsEnter ? [] : [key]))
  for (;;) {
    const typed = await keyboard.answer(`  ${shown.join('  ')} > `, alone)
    if (typed === 'left') return undefined
    if (typed === 'interrupted') return 'cancel'
    const word = typed.text.trim().toLowerCase()
    const chosen = offered.find(({ option, key, label }) =>
      [option, key, label].some((one) => one.toLowerCase() === word),
    )
    if (chosen) return chosen.option
    show.line(`  Type one of ${offered.map(({ key }) => key).join(', ')}, and Enter.`)
  }
}

const sending: Choice[] = [
  { option: 'accept', key: 'y', label: 'send', needsEnter: true },
  { option: 'decline', key: 'd', label: 'decline', needsEnter: true },
  { option: 'cancel', key: 'c', label: 'cancel', needsEnter: true },
]

async function fillIn({ message, fields }: Extract<AgentQuestion, { kind: 'elicitation' }>, hands: Hands) {
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

async function fill(field: Field, { keyboard, show }: Hands): Promise<{ read: unknown } | Exclude<Typed, object>> {
  const optional = field.required ? '' : ', may stay empty'
  for (;;) {
    const typed = await keyboard.answer(`  ${printableLine(field.name)} (${expectedValue(field)}${optional})> `)
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
