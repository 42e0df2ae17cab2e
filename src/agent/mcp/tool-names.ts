import { createHash } from 'node:crypto'

/** The longest name of a tool that providers accept. */
const longest = 64

/** The name under which the model knows a tool: by its server's and its own, so that no two servers meet. */
export function toolNameOf(server: string, tool: string): string {
  const name = `${server}__${tool}`
  const clean = name.replace(/[^A-Za-z0-9_-]/g, '_')
  if (clean === name && name.length <= longest) return name
  const mark = createHash('sha256').update(name).digest('hex').slice(0, 8)
  return `${clean.slice(0, longest - mark.length - 1)}_${mark}`
}
