type Members = Record<string, unknown>

/** Replaces the value of a member before it is measured. Undefined omits the member. */
type Replace = (value: unknown, name: string, within: Members) => unknown

/**
 * Returns the length in bytes of a parsed value when it is serialized with replaced members. `JSON.stringify` with a
 * replacer takes several times as long, and so it does for deeply nested values.
 */
export function jsonBytes(value: unknown, replace: Replace): number {
  if (Array.isArray(value)) {
    let bytes = Math.max(value.length + 1, 2)
    for (const item of value) bytes += jsonBytes(item, replace)
    return bytes
  }
  if (typeof value === 'object' && value !== null) return objectBytes(value as Members, replace)
  return Buffer.byteLength(JSON.stringify(value) ?? 'null')
}

function objectBytes(value: Members, replace: Replace): number {
  let bytes = 1
  for (const name in value) {
    const member = replace(value[name], name, value)
    if (member !== undefined) bytes += Buffer.byteLength(JSON.stringify(name)) + 2 + jsonBytes(member, replace)
  }
  return Math.max(bytes, 2)
}
