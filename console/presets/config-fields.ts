import type { Change } from '../components/text/field-changes.tsx'

/** The contents of a version. */
export type Version = { system_prompt: string | null; config: Record<string, unknown> }

/** How a field is entered. `lines` is a list with one item per line, `json` any other value. */
type Kind = 'prompt' | 'model' | 'models' | 'number' | 'flag' | 'text' | 'lines' | 'json'
export type Field = { name: string; kind: Kind; hint?: string; isCommon?: boolean }

/** All fields of a version, in display order. `isCommon`: displayed also without a value. */
export const fields: Field[] = [
  { name: 'model', kind: 'model', isCommon: true },
  { name: 'models', kind: 'models', isCommon: true },
  { name: 'system_prompt', kind: 'prompt', isCommon: true },
  { name: 'temperature', kind: 'number', hint: '0 to 2', isCommon: true },
  { name: 'max_output_tokens', kind: 'number', hint: 'Whole number', isCommon: true },
  { name: 'reasoning', kind: 'json', hint: '{"effort": "low"}', isCommon: true },
  { name: 'provider', kind: 'json', hint: '{"sort": "price"}', isCommon: true },
  { name: 'top_p', kind: 'number', hint: '0 to 1' },
  { name: 'top_k', kind: 'number', hint: 'Whole number' },
  { name: 'min_p', kind: 'number', hint: '0 to 1' },
  { name: 'top_a', kind: 'number', hint: '0 to 1' },
  { name: 'frequency_penalty', kind: 'number', hint: '-2 to 2' },
  { name: 'presence_penalty', kind: 'number', hint: '-2 to 2' },
  { name: 'repetition_penalty', kind: 'number', hint: '0 to 2' },
  { name: 'seed', kind: 'number', hint: 'Whole number' },
  { name: 'stop', kind: 'lines', hint: 'One sequence per line' },
  { name: 'logit_bias', kind: 'json', hint: '{"50256": -100}' },
  { name: 'logprobs', kind: 'flag' },
  { name: 'top_logprobs', kind: 'number', hint: 'Whole number' },
  { name: 'text', kind: 'json', hint: '{"format": {"type": "json_object"}}' },
  { name: 'modalities', kind: 'json', hint: '["text", "image"]' },
  { name: 'image_config', kind: 'json', hint: '{"aspect_ratio": "16:9"}' },
  { name: 'tools', kind: 'json', hint: '[{"type": "function", "name": "look_up"}]' },
  { name: 'tool_choice', kind: 'json', hint: '"auto"' },
  { name: 'parallel_tool_calls', kind: 'flag' },
  { name: 'max_tool_calls', kind: 'number', hint: 'Whole number' },
  { name: 'stop_server_tools_when', kind: 'json', hint: '[{"type": "step_count_is", "step_count": 5}]' },
  { name: 'route', kind: 'text', hint: 'fallback or sort' },
  { name: 'plugins', kind: 'json', hint: '[{"id": "web"}]' },
  { name: 'service_tier', kind: 'text', hint: 'flex or priority' },
  { name: 'truncation', kind: 'text', hint: 'auto or disabled' },
  { name: 'cache_control', kind: 'json', hint: '{"type": "ephemeral"}' },
  { name: 'prompt_cache_options', kind: 'json', hint: '{"mode": "explicit"}' },
]

/** The entered text, by field. A field without text is not part of the version. */
export type Entries = Readonly<Record<string, string>>

/** The form of a version, with the text of each field. */
export function entriesOf({ system_prompt, config }: Version): Entries {
  const values: [string, unknown][] = [['system_prompt', system_prompt], ...Object.entries(config)]
  return Object.fromEntries(
    values.filter(([, value]) => value !== null).map(([name, value]) => [name, textOf(name, value)]),
  )
}

const kindOf = (name: string): Kind => fields.find((field) => field.name === name)?.kind ?? 'json'

function textOf(name: string, value: unknown): string {
  const kind = kindOf(name)
  if (kind === 'lines' || kind === 'models') return linesOf([value].flat())
  if (typeof value === 'string' && kind !== 'json') return value
  return JSON.stringify(value, null, kind === 'json' ? 2 : undefined)
}

/** One item per line, or JSON if that would be another list. */
function linesOf(items: unknown[]): string {
  const isPlain = (item: unknown) => typeof item === 'string' && item !== '' && !/^\[|\n/.test(item)
  return items.every(isPlain) && items.length > 0 ? items.join('\n') : JSON.stringify(items)
}

export type Problems = Readonly<Record<string, string>>

/** The version that the entries make, and the entries that cannot be read. */
export function parseEntries(entries: Entries): { version: Version; problems: Problems } {
  const config: Record<string, unknown> = {}
  const problems: Record<string, string> = {}
  for (const [name, text] of Object.entries(entries)) {
    if (name === 'system_prompt' || text.trim() === '') continue
    try {
      config[name] = parseValue(kindOf(name), text)
    } catch (error) {
      problems[name] = `Not valid JSON: ${(error as Error).message}`
    }
  }
  return { version: { system_prompt: entries.system_prompt || null, config }, problems }
}

function parseValue(kind: Kind, text: string): unknown {
  const trimmed = text.trim()
  switch (kind) {
    case 'json':
      return JSON.parse(trimmed)
    case 'number':
      // The service refuses any other text and reports the expected form.
      return Number.isNaN(Number(trimmed)) ? trimmed : Number(trimmed)
    case 'flag':
      return trimmed === 'true'
    case 'models':
    case 'lines':
      return trimmed.startsWith('[') ? JSON.parse(trimmed) : text.split('\n').filter((line) => line !== '')
    default:
      return trimmed
  }
}

/** The problems of fields in an error message such as `Invalid request: settings.config.top_p: …; …`, and the rest of the message. */
export function parseProblems(message: string): { problems: Problems; rest: string | undefined } {
  const problems: Record<string, string> = {}
  const others: string[] = []
  for (const part of message.replace(/^Invalid request: /, '').split('; ')) {
    const [, name, path = '', text] = /^settings\.(?:config\.)?(\w+)([^:]*): (.*)$/s.exec(part) ?? []
    if (name === undefined || name === 'config') others.push(part)
    else problems[name] = path === '' ? text! : `${path.replace(/^\./, '')}: ${text}`
  }
  return { problems, rest: others.length > 0 ? others.join('; ') : undefined }
}

/** The fields in which two versions differ, with the removed and added lines. */
export function changesBetween(from: Version, to: Version): Change[] {
  const [was, is] = [entriesOf(from), entriesOf(to)]
  const names = [...fields.map(({ name }) => name), ...Object.keys(was), ...Object.keys(is)]
  return [...new Set(names)].flatMap((field) => {
    if (was[field] === is[field]) return []
    const [removed, added] = [was[field]?.split('\n') ?? [], is[field]?.split('\n') ?? []]
    return [
      {
        field,
        removed: removed.filter((line) => !added.includes(line)),
        added: added.filter((line) => !removed.includes(line)),
      },
    ]
  })
}

/**
 * Applies the changes between `base` and `theirs` to `mine`, except in fields that `mine` changed itself. A missing entry is the same
 * as an empty one, unlike in `mergeFields` (`object-form.ts`).
 */
export function merge(base: Entries, mine: Entries, theirs: Entries): Entries {
  const names = new Set([...Object.keys(base), ...Object.keys(mine), ...Object.keys(theirs)])
  const merged = [...names].map((name) => [name, (mine[name] ?? '') === (base[name] ?? '') ? theirs[name] : mine[name]])
  return Object.fromEntries(merged.filter(([, text]) => text !== undefined))
}
