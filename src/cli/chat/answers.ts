import type { Asked, Field } from './conversation.ts'
import type { Keyboard } from './keyboard.ts'

/** The key for each answer to a permission. */
const keys: Record<string, { key: string; label: string }> = {
  allow_once: { key: 'o', label: 'allow once' },
  allow_always: { key: 'a', label: 'always allow' },
  reject_once: { key: 'r', label: 'reject' },
  reject_always: { key: 'n', label: 'never allow' },
  cancel: { key: 'c', label: 'cancel' },
}

type Hands = { keyboard: Keyboard; write: (text: string) => void }

/** Asks the person what the intern asks. @returns the answer for the intern; undefined when they want to leave. */
export function answerTo(asked: Asked, hands: Hands): Promise<string | undefined> {
  return asked.kind === 'permission' ? permit(asked, hands) : fillIn(asked, hands)
}

async function permit(asked: Extract<Asked, { kind: 'permission' }>, { keyboard, write }: Hands) {
  const offered = [...asked.options, 'cancel'].flatMap((option) => (keys[option] ? [{ option, ...keys[option] }] : []))
  write(`\n\x1b[33m? ${asked.operation ?? 'permission'}\x1b[0m${asked.detail ? `  ${asked.detail}` : ''}\n`)
  write(`  ${offered.map(({ key, label }) => `[${key}] ${label}`).join('  ')} `)
  const pressed = await keyboard.key(offered.map(({ key }) => key))
  if (pressed === undefined) return undefined
  const { option, label } = offered.find(({ key }) => key === pressed) ?? { option: 'cancel', label: 'cancel' }
  write(`\x1b[1m${label}\x1b[0m\n`)
  return option
}

async function fillIn({ message, fields }: Extract<Asked, { kind: 'elicitation' }>, { keyboard, write }: Hands) {
  write(`\n\x1b[33m? ${message}\x1b[0m\n`)
  const content: Record<string, unknown> = {}
  for (const field of fields) {
    const value = await fill(field, keyboard, write)
    if (value === undefined) return undefined
    if (value !== '') content[field.name] = value
  }
  write('  [y] send  [d] decline  [c] cancel ')
  const pressed = await keyboard.key(['y', 'd', 'c'])
  if (pressed === undefined) return undefined
  write('\n')
  if (pressed === 'y') return JSON.stringify({ action: 'accept', content })
  return JSON.stringify({ action: pressed === 'd' ? 'decline' : 'cancel' })
}

async function fill(field: Field, keyboard: Keyboard, write: (text: string) => void) {
  const choices = field.options ? ` (${field.options.join(', ')})` : field.type === 'boolean' ? ' (yes, no)' : ''
  const optional = field.required ? '' : ', may stay empty'
  for (;;) {
    const text = await keyboard.line(`  ${field.name}: ${field.type}${choices}${optional}> `)
    if (text === undefined) return undefined
    const value = readValue(field, text.trim())
    if (value !== undefined && (value !== '' || !field.required)) return value
    write('  That does not fit.\n')
  }
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
