const types: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])

/** Names of types in other languages, in lower case. */
const foreignTypes: ReadonlyMap<string, string | undefined> = new Map([
  ['', undefined],
  ['any', undefined],
  ['str', 'string'],
  ['text', 'string'],
  ['int', 'integer'],
  ['long', 'integer'],
  ['float', 'number'],
  ['double', 'number'],
  ['decimal', 'number'],
  ['bool', 'boolean'],
  ['dict', 'object'],
  ['map', 'object'],
  ['list', 'array'],
  ['tuple', 'array'],
  ['none', 'null'],
])

/**
 * The types of JSON Schema for those of other languages, such as `str` of Python and `OBJECT` of Gemini. Undefined for any
 * type. Returns unknown types and correct ones unchanged.
 */
export function normalizeType(type: unknown): unknown {
  if (type === null) return undefined
  if (Array.isArray(type)) return normalizeTypes(type)
  if (typeof type !== 'string' || types.has(type)) return type
  const lower = type.toLowerCase()
  if (foreignTypes.has(lower)) return foreignTypes.get(lower)
  return types.has(lower) ? lower : type
}

function normalizeTypes(list: unknown[]): unknown {
  if (list.length > 0 && list.every((type) => types.has(type)) && new Set(list).size === list.length) return list
  const normalized = [...new Set(list.map(normalizeType))]
  return normalized.length === 0 || normalized.includes(undefined) ? undefined : normalized
}

/** Whether the value of `type` names only types of JSON Schema. */
export const isKnownType = (type: unknown): boolean =>
  Array.isArray(type) ? type.every((name) => types.has(name)) : types.has(type)

/** Whether the value of `type` is this type, or has it in its list. */
export const hasType = (type: unknown, name: string): boolean =>
  type === name || (Array.isArray(type) && type.includes(name))
