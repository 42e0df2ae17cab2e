import { Fault } from '../../core/fault.ts'

/**
 * Refuses text and member names with U+0000. Postgres cannot store it, and both databases must accept the same values.
 */
export function refuseNul(where: 'path' | 'query' | 'body', value: unknown): void {
  const pending: unknown[] = [value]
  while (pending.length > 0) {
    const next = pending.pop()
    if (typeof next === 'string' && next.includes('\0')) {
      throw new Fault(
        'invalid',
        `Invalid request: the ${where} has text with the character U+0000, which cannot be stored`,
      )
    }
    if (typeof next !== 'object' || next === null) continue
    if (Array.isArray(next)) for (const item of next) pending.push(item)
    else for (const [name, item] of Object.entries(next)) pending.push(name, item)
  }
}
