import { createHash } from 'node:crypto'

/** OpenAI accepts names of up to 64 letters, digits, `_` and `-`. Other providers accept at least these. */
const maxLength = 64

/** Returns the name of a tool for the model. It includes the server's name, so that names of two servers cannot collide. */
export function toToolName(server: string, tool: string): string {
  const name = `${server}__${tool}`
  const clean = name.replace(/[^A-Za-z0-9_-]/g, '_')
  if (clean === name && name.length <= maxLength) return name
  const hashSuffix = createHash('sha256').update(name).digest('hex').slice(0, 8)
  return `${clean.slice(0, maxLength - hashSuffix.length - 1)}_${hashSuffix}`
}
