import type { InternElicitation } from '../../api/types.ts'

export type Field = InternElicitation['fields'][number]

/** Converts the form data to the answer. Empty fields are omitted. @throws Error if a required list is empty. */
export function parseAnswer(fields: Field[], formData: FormData): Record<string, unknown> {
  const content: Record<string, unknown> = {}
  for (const field of fields) {
    const value = fieldValue(field, formData.getAll(field.name).map(String))
    if (value !== undefined) content[field.name] = value
  }
  return content
}

function fieldValue({ name, type, options, required }: Field, values: string[]): unknown {
  if (type === 'array') {
    const items = options ? values : (values[0] ?? '').split(',').map((item) => item.trim())
    const selected = items.filter((item) => item !== '')
    if (required && selected.length === 0) throw new Error(`${name}: choose at least one.`)
    return selected.length > 0 ? selected : undefined
  }
  const text = values[0] ?? ''
  if (text === '') return undefined
  if (type === 'boolean') return text === 'yes'
  return type === 'number' || type === 'integer' ? Number(text) : text
}
